"""Compares the rows that readers see with those that the log folds to, table by table.

It compares every table and column of `tables.py`, and of the tables that commands write with their events
(`rows_again`), except those in `bookkeeping`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy
from psycopg import sql

from league.projections.rows_again.bookkeeping import bookkeeping
from league.projections.rows_again.making import columns_of, tables_made_again
from league.projections.runs import Conn
from league.projections.tables import metadata

ONLY = {"editions": "edition IS NOT NULL"}
"""Editions without a number are candidates of replays, which are not in the log."""

ALL = sql.SQL("true")

LONGEST = 200
"""Characters of a value that is shown."""

DIFFERING = """
    WITH official AS (SELECT {columns} FROM league.{table} WHERE {official}),
         anew AS (SELECT {columns} FROM pg_temp.{table} WHERE {anew})
    SELECT {columns}, is_anew
    FROM (SELECT *, false AS is_anew FROM (TABLE official EXCEPT ALL TABLE anew) AS a
          UNION ALL SELECT *, true FROM (TABLE anew EXCEPT ALL TABLE official) AS b) AS differing
    ORDER BY {order} LIMIT 2
"""

GAP = """
    SELECT subject, id, mode, entry, before, reached
    FROM (SELECT *, lag(after) OVER (PARTITION BY subject, id, mode ORDER BY entry) AS reached FROM league.journal) AS j
    WHERE before <> reached ORDER BY entry LIMIT 1
"""
# A rating begins with the start of the edition under which its first match was played.
BEGINNING = """
    SELECT subject, id, mode, entry, before
    FROM (SELECT DISTINCT ON (subject, id, mode) * FROM league.journal ORDER BY subject, id, mode, entry) AS first
    WHERE before <> ALL (
        SELECT (convert_from(document, 'UTF8')::jsonb #>> '{rating,start}')::double precision FROM pg_temp.editions)
    ORDER BY entry LIMIT 1
"""
END = """
    SELECT subject, id, mode, after, rating
    FROM (SELECT DISTINCT ON (subject, id, mode) subject, id, mode, after FROM league.journal
          ORDER BY subject, id, mode, entry DESC) AS last
    FULL JOIN (SELECT subject, id, mode, rating FROM league.ratings, league.official_run AS o
               WHERE ratings.run = coalesce(o.journaled, o.run) AND mode <> 'overall') AS r USING (subject, id, mode)
    WHERE after IS DISTINCT FROM rating ORDER BY subject, id, mode LIMIT 1
"""


def differing_rows(conn: Conn, official: int, anew: int) -> Iterator[str]:
    """By table, the first row in which a run differs from the one in the temporary table of the same name."""
    for table in metadata.tables.values():
        if table.name not in bookkeeping():
            columns = [
                c.name for c in table.columns if c.name != "run" and f"{table.name}.{c.name}" not in bookkeeping()
            ]
            key = [name for name in columns if table.columns[name].primary_key] if table.primary_key else columns
            rows = (_rows_of(table, official), _rows_of(table, anew))
            yield from _first_difference(conn, table.name, columns, key, rows)


def differing_rows_again(conn: Conn) -> Iterator[str]:
    """By table, the first of the rows written with their events that differs from what was made of the log apart."""
    for table in tables_made_again():
        columns = columns_of(conn, table)
        yield from _first_difference(conn, table, columns.compared, columns.key, (ALL, ALL))


def journal_faults(conn: Conn) -> Iterator[str]:
    """Where the journal does not begin as a rating does, has a gap, or does not end at the rating that it tells of.

    What caused each step is not checked: it depends on when the log was folded.
    """
    for subject, id_, mode, entry, before in conn.execute(BEGINNING):
        yield (
            f"table journal, {subject} {id_}, {mode}: its first entry, {entry}, begins at {before}, but no edition lets"
            " a rating begin there: an entry before it is gone"
        )
    for subject, id_, mode, entry, before, reached in conn.execute(GAP):
        yield (
            f"table journal, {subject} {id_}, {mode}: entry {entry} begins at {before}, but the one before it ended at"
            f" {reached}"
        )
    for subject, id_, mode, after, rating in conn.execute(END):
        yield f"table journal, {subject} {id_}, {mode}: it ends at {_text(after)}, but the rating is {_text(rating)}"


def _first_difference(
    conn: Conn, table: str, columns: Sequence[str], key: Sequence[str], rows: tuple[sql.Composable, sql.Composable]
) -> Iterator[str]:
    """`rows`: which ones to compare, of those that are there, and of those that follow from the log."""
    query = sql.SQL(DIFFERING).format(
        table=sql.Identifier(table),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        order=sql.SQL(", ").join(map(sql.Identifier, [*key, "is_anew"])),
        official=rows[0],
        anew=rows[1],
    )
    differing = conn.execute(query).fetchall()
    if not differing:
        return
    *values, is_anew = differing[0]
    found = dict(zip(columns, values, strict=True))
    row = ", ".join(f"{name.removesuffix('_id').replace('_', ' ')} {_text(found[name])}" for name in key)
    where = f"table {table}, row {row}" if row else f"table {table}"
    *values, is_other_anew = differing[-1]
    other = dict(zip(columns, values, strict=True))
    if is_anew == is_other_anew or any(found[name] != other[name] for name in key):
        yield f"{where}: " + ("it is missing" if is_anew else "the log does not say so")
        return
    name = next(name for name in columns if found[name] != other[name])
    if isinstance(found[name], bytes) or max(len(_text(row[name])) for row in (found, other)) > LONGEST:
        yield f"{where}: {name} is not what the log says"
    else:
        yield f"{where}: {name} is {_text(found[name])}, but the log says {_text(other[name])}"


def _rows_of(table: sqlalchemy.Table, run: int) -> sql.Composable:
    if "run" in table.columns:
        return sql.SQL("run = {}").format(run)
    return sql.SQL(ONLY.get(table.name, "true"))


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}".rstrip("0").rstrip(".")
    return "nothing" if value is None else str(value)
