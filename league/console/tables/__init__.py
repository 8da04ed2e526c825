"""Live tables: the lobby, a table to play at or to watch, and finished hands turn by turn."""

from functools import partial

from starlette.routing import BaseRoute, Route

from league.console.pages import Console
from league.console.tables.lobby import OPEN_TABLE, TABLES
from league.console.tables.moves import answer_move
from league.console.tables.review import TABLE_HAND
from league.console.tables.table_page import TABLE
from league.console.tables.table_stream import answer_stream

PAGES = (TABLES, OPEN_TABLE, TABLE, TABLE_HAND)


def routes(console: Console) -> list[BaseRoute]:
    """What the page of a table asks for besides pages: its moves and its events."""
    return [
        Route("/tables/{id}/moves/{move}", partial(answer_move, console), methods=["POST"], name="table_move"),
        Route("/tables/{id}/stream", partial(answer_stream, console), name="table_stream"),
    ]
