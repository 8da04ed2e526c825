"""The picture of a match for chats: who won, and the score."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from league.pictures.pictures import Row, Table, table_picture
from league.wording.language import _
from league.wording.matches import status_in_words
from league.wording.numbers import date_of


def match_picture(data: Mapping[str, Any]) -> str:
    """The picture, from the data of the match's document."""
    match, league = data["match"], data["league"]
    rows = [
        Row(
            1 if side["won"] else None,
            " & ".join(player["displayName"] for player in side["players"]),
            _("won") if side["won"] else "",
            "-" if side["score"] is None else str(side["score"]),
        )
        for side in match["sides"]
    ]
    when = datetime.fromisoformat(match["decidedAt"] or match["beganAt"])
    subtitle = f"{date_of(when, ZoneInfo(league['timeZone']))} · {status_in_words(match['status'].lower())}"
    foot = (league["name"], match["matchId"])
    return table_picture(Table(match["ruleset"]["title"], subtitle, _("Side"), _("Score"), rows, foot))
