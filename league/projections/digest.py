"""The digest of a run: equal runs have equal digests.

It covers canonical rows: no recording times, no edition numbers, no personal data (see `tables.py`).
"""

import hashlib
from collections.abc import Iterator

from psycopg import sql

from league.projections.runs import Conn, table_of
from league.projections.tables import OF_RUNS, digested_columns


def run_digest(conn: Conn, run: int) -> str:
    """The SHA-256 over the canonical rows of a run, table by table, as hexadecimal."""
    total = hashlib.sha256()
    for table in OF_RUNS:
        columns = digested_columns(table)
        if not columns:
            continue
        query = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(
            _listed(columns), table_of(run, table.name), _listed(table.info["digest_by"])
        )
        total.update(table.name.encode())
        for block in _copied(conn, query):
            total.update(block)
    for block in _copied(conn, sql.SQL(STATED_WINNERS).format(table_of(run, "hands"))):
        total.update(block)
    return total.hexdigest()


STATED_WINNERS = """
    SELECT match_id, hand, winner_by, stated_winner FROM {} WHERE winner_by = 'stated' OR stated_winner IS NOT NULL
    ORDER BY match_id, hand
"""
"""Read after the tables, so that a run without stated winners has the digest that it had before there were any."""


def _copied(conn: Conn, query: sql.Composed) -> Iterator[bytes | bytearray | memoryview]:
    """The rows of a query as text."""
    copied = sql.SQL("COPY ({}) TO STDOUT").format(query)
    with conn.cursor() as cursor, cursor.copy(copied) as copy:
        yield from copy


def _listed(columns: list[str] | tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
