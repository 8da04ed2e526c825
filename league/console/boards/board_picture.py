"""The picture of a board for chats: its first places."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from league.api.graphql.leaf_types import BoardKind
from league.pictures.pictures import Row, Table, table_picture
from league.projections.boards.definitions import BOARDS
from league.wording.language import _, counted, spoken
from league.wording.numbers import date_of, month_of

SHOWN = 5
"""Places in the picture, which is then about as high as wide."""


def board_picture(data: Mapping[str, Any]) -> str:
    """The picture, from the data of the board's document."""
    board, league = data["board"], data["league"]
    definition = BOARDS[BoardKind[board["kind"]].value]
    places = board["places"]
    rows = [
        Row(
            place["rank"],
            place["competitor"]["displayName"],
            " · ".join(_details(place)),
            definition.in_words(place["value"]),
            ((place["moves"]["week"] or {}).get("change")),
        )
        for place in places["nodes"][:SHOWN]
    ]
    day = board["asOf"] and date_of(datetime.fromisoformat(board["asOf"]), ZoneInfo(league["timeZone"]))
    parts = (
        month_of(board["month"]) if board["month"] else "",
        board["region"] or "",
        _("as of {day}", day=day) if day else "",
    )
    subtitle = " · ".join(part for part in parts if part) or _("Leaderboard")
    who = _("pair") if board["kind"] == "TEAMS" or board["mode"] == "TWO_ON_TWO" else _("player")
    total = places["totalCount"]
    note = _("{shown} of {total} are shown", shown=len(rows), total=total) if len(rows) < total else ""
    return table_picture(
        Table(spoken(definition.title), subtitle, who, spoken(definition.heading), rows, (league["name"], ""), note)
    )


def _details(place: Mapping[str, Any]) -> list[str]:
    region = place["competitor"].get("region")
    matches = counted("{count} match", "{count} matches", place["matches"])
    return [region, matches] if region else [matches]
