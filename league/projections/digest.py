"""The digest of a run: equal runs have equal digests.

It covers canonical rows: no recording times, no edition numbers, no personal data (see `tables.py`).
"""

import hashlib

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
        query = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
            _listed(columns), table_of(run, table.name), _listed(table.info["digest_by"])
        )
        total.update(table.name.encode())
        with conn.cursor() as cursor, cursor.copy(query) as copy:
            for block in copy:
                total.update(block)
    return total.hexdigest()


def _listed(columns: list[str] | tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
