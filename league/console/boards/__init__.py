"""The leaderboards, by region, month and mode, now and as of a day."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.api.graphql.leaf_types import BoardKind
from league.console.addresses import day_of, end_of
from league.console.asking import NoPage
from league.console.boards.board_picture import board_picture
from league.console.pages import Page

HERE = Path(__file__).parent


def _board_of(request: Request) -> Mapping[str, Any]:
    """The board in the address. Raises NoPage for one that there is not."""
    kind, asked = request.path_params["kind"].upper(), request.query_params
    if kind not in BoardKind.__members__:
        raise NoPage(404)
    is_series = kind == "SERIES"
    return {
        "kind": kind,
        "region": asked.get("region") or None,
        "month": (asked.get("month") or None) if is_series else None,
        "mode": (asked.get("mode") or None) if is_series else None,
        "all": asked.get("all") == "1",
        "after": asked.get("after"),
    }


def _at_the_end_of_the_day(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The last moment of the day in the address, so that its matches count."""
    return {"asOf": end_of(day_of(request, "day"), zone)}


BOARD = Page(
    path="/boards/{kind}",
    name="board",
    folder=HERE,
    document="board.graphql",
    template="board.html",
    variables=_board_of,
    by_clock=_at_the_end_of_the_day,
    picture=board_picture,
    needs="league",
)

BOARDS = Page(path="/boards", name="boards", folder=HERE, document="boards.graphql", template="boards.html")

PAGES = (BOARDS, BOARD)
