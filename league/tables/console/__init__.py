"""Live tables: the lobby, a table to play at or to watch, and finished hands turn by turn."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute, Route

from league.console.menu_entry import Entry
from league.console.pages import Console
from league.console.shown import Shown
from league.console.site_part import SitePart
from league.domain.sentences import say
from league.tables.console.lobby import OPEN_TABLE, TABLE_OF_MATCH, TABLES
from league.tables.console.moves import answer_move
from league.tables.console.review import TABLE_HAND
from league.tables.console.table_page import TABLE
from league.tables.console.table_stream import answer_stream

FOLDER = Path(__file__).parent
TEMPLATE = "tables/console/on_pages.html"


def _routes(console: Console) -> list[BaseRoute]:
    """What the page of a table asks for besides pages: its moves and its events."""
    return [
        Route("/tables/{id}/moves/{move}", partial(answer_move, console), methods=["POST"], name="table_move"),
        Route("/tables/{id}/stream", partial(answer_stream, console), name="table_stream"),
    ]


def _is_in_play(match: Mapping[str, Any]) -> bool:
    return match["table"] is not None and match["table"]["phase"] != "CLOSED"


SITE = SitePart(
    pages=(TABLES, OPEN_TABLE, TABLE_OF_MATCH, TABLE, TABLE_HAND),
    routes=_routes,
    menu=(Entry("tables", say("Tables")),),
    more=(Entry("tables", say("Tables")),),
    static=FOLDER / "static",
    on_home=Shown(
        "tables(first: 4, filter: {phase: [OPEN, PLAYING], listed: true})"
        " { nodes { tableId phase seats { player { displayName } } } }",
        TEMPLATE,
    ),
    on_matches=Shown("table { tableId phase }", TEMPLATE),
    records_itself=_is_in_play,
)
