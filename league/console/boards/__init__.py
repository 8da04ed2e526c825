"""The leaderboards, by region, month and mode, now and as of a day."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.api.graphql.enums import BoardKind
from league.console.asking import NoPage
from league.console.pages import Page
from league.wording.language import _

HERE = Path(__file__).parent
KINDS = tuple(BoardKind.__members__)


def _board_of(request: Request) -> Mapping[str, Any]:
    """The board in the address. Raises NoPage for one that there is not, and for a day that is none."""
    kind, asked = request.path_params["kind"].upper(), request.query_params
    if kind not in KINDS:
        raise NoPage(404)
    is_series = kind == "SERIES"
    return {
        "kind": kind,
        "region": asked.get("region") or None,
        "month": (asked.get("month") or None) if is_series else None,
        "mode": (asked.get("mode") or None) if is_series else None,
        "asOf": _end_of(asked["day"]) if asked.get("day") else None,
        "all": asked.get("all") == "1",
        "after": asked.get("after"),
    }


def _end_of(day: str) -> str:
    """The last moment of a day, so that its matches count. Days of the address are days of UTC."""
    try:
        return f"{date.fromisoformat(day)}T23:59:59+00:00"
    except ValueError:
        raise NoPage(400, _("{day} is not a day; write it as 2026-11-22.", day=day)) from None


BOARD = Page(
    path="/boards/{kind}",
    name="board",
    folder=HERE,
    document="board.graphql",
    template="board.html",
    variables=_board_of,
    needs="league",
    adds=lambda _data, _request: {"kinds": KINDS},
)

BOARDS = Page(
    path="/boards",
    name="boards",
    folder=HERE,
    document="boards.graphql",
    template="boards.html",
    adds=lambda data, _request: {"boards": [data[kind] for kind in KINDS if kind in data]},
)

PAGES = (BOARDS, BOARD)
