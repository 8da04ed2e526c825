"""How many live tables a player may have at once: counted when they open one or sit down at one."""

from collections.abc import Collection
from typing import Any

import psycopg
from msgspec import Struct

from league.tables.domain.refusals import TooManyTables
from league.tables.domain.seats import MOST_TABLES

OTHERS = """
    SELECT FROM live_tables WHERE table_id <> %s AND (opened_by = ANY(%s) OR players && %s::text[]) LIMIT %s
"""


class TablesAtOnce(Struct, frozen=True):
    """The tables of a player that are not over: those that they opened, and those at which they sit."""

    table: str
    """The one that they get now."""
    ids: Collection[str]
    """Of the player, also those that were merged."""

    def check(self, conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        """Raise TooManyTables where the player has as many others already. No other writer can append meanwhile."""
        ids = list(self.ids)
        if conn.execute(OTHERS, [self.table, ids, ids, MOST_TABLES]).rowcount == MOST_TABLES:
            raise TooManyTables(MOST_TABLES)
