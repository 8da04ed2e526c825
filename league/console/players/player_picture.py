"""The pictures of a player and of a pair for chats: the rating over time, and a few figures."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from league.pictures.pictures import Chart, Portrait, player_picture
from league.wording.language import _
from league.wording.numbers import date_of, percent

MODES = {"oneOnOne": "1v1", "twoOnTwo": "2v2"}
MOST_FIGURES = 3
"""Figures in a row."""


def picture_of_player(data: Mapping[str, Any]) -> str:
    """The picture, from the data of the player's document."""
    player = data["player"]
    rating = next((one for one in player["ratings"] if one["mode"] == "OVERALL"), None)
    most = max(MODES, key=lambda field: player[field]["total"])
    title = _("Rating in {mode}", mode=MODES[most])
    return _picture(data, player, player["region"] or _("Player"), rating, title, player[most]["points"])


def picture_of_pair(data: Mapping[str, Any]) -> str:
    """The picture, from the data of the pair's document."""
    pair = data["team"]
    points = pair["ratingSeries"]["points"]
    return _picture(data, pair, _("A pair of the league"), pair["rating"], _("Rating over time"), points)


def _picture(
    data: Mapping[str, Any],
    who: Mapping[str, Any],
    about: str,
    rating: Mapping[str, Any] | None,
    title: str,
    points: list[Mapping[str, Any]],
) -> str:
    """`about`: what stands below the name; `title` and `points`: of the chart of the rating."""
    league, statistics = data["league"], who["statistics"]
    zone = ZoneInfo(league["timeZone"])
    figures = []
    if rating is not None:
        figures.append((_("rating (provisional)") if rating["provisional"] else _("rating"), str(rating["shown"])))
        if rating["rank"]:
            figures.append((_("rank"), str(rating["rank"])))
    figures.append((_("matches"), str(statistics["matches"])))
    if statistics["winRate"] is not None and len(figures) < MOST_FIGURES:
        figures.append((_("won"), percent(statistics["winRate"])))
    if data["as_of"] is not None:
        about += " · " + _("as of {day}", day=date_of(datetime.fromisoformat(data["as_of"]), zone))
    chart = _chart(points, title, zone)
    return player_picture(Portrait(who["displayName"], about, chart, figures, (), (league["name"], "")))


def _chart(points: list[Mapping[str, Any]], title: str, zone: ZoneInfo) -> Chart | None:
    if not points:
        return None
    drawn = [(datetime.fromisoformat(point["decidedAt"]), float(point["rating"])) for point in points]
    return Chart(title, drawn, date_of(drawn[0][0], zone), date_of(drawn[-1][0], zone))
