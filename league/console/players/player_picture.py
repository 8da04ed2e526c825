"""The picture of a player for chats: the rating over time, and a few figures."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from league.pictures.player_picture import Chart, Portrait, player_picture
from league.wording.language import _
from league.wording.numbers import date_of, percent

MODES = {"oneOnOne": "1v1", "twoOnTwo": "2v2"}


def picture_of_player(data: Mapping[str, Any]) -> str:
    """The picture, from the data of the player's document."""
    player, league = data["player"], data["league"]
    statistics = player["statistics"]
    figures = []
    if rating := next((one for one in player["ratings"] if one["mode"] == "OVERALL"), None):
        figures.append((_("rating (provisional)") if rating["provisional"] else _("rating"), str(rating["shown"])))
        if rating["rank"]:
            figures.append((_("rank"), str(rating["rank"])))
    figures.append((_("matches"), str(statistics["matches"])))
    if statistics["winRate"] is not None and len(figures) < 3:  # noqa: PLR2004  # figures in a row
        figures.append((_("won"), percent(statistics["winRate"])))
    most = max(MODES, key=lambda field: player[field]["total"])
    chart = _chart(player[most]["points"], MODES[most], ZoneInfo(league["timeZone"]))
    subtitle = player["region"] or _("Player")
    return player_picture(Portrait(player["displayName"], subtitle, chart, figures, (), (league["name"], "")))


def _chart(points: list[Mapping[str, Any]], mode: str, zone: ZoneInfo) -> Chart | None:
    if not points:
        return None
    drawn = [(datetime.fromisoformat(point["decidedAt"]), float(point["rating"])) for point in points]
    return Chart(_("Rating in {mode}", mode=mode), drawn, date_of(drawn[0][0], zone), date_of(drawn[-1][0], zone))
