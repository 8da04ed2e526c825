"""Live tables: the lobby, a table to play at or to watch, and finished hands turn by turn."""

from league.console.tables.lobby import OPEN_TABLE, TABLES
from league.console.tables.moves import MOVE_PATH, answer_move
from league.console.tables.review import TABLE_HAND
from league.console.tables.table_page import TABLE
from league.console.tables.table_stream import STREAM_PATH, answer_stream

PAGES = (TABLES, OPEN_TABLE, TABLE, TABLE_HAND)

__all__ = ["MOVE_PATH", "PAGES", "STREAM_PATH", "answer_move", "answer_stream"]
