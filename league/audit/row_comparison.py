"""Compares the rows that readers see with the rows that the log folds to, table by table.

It compares every table and column of `tables.py`, and of the tables that commands write with their events
(`rows_again`), except the tables and columns in `bookkeeping`.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy
from psycopg import sql

from league.domain.sentences import Sentence, joined, say, say_count
from league.projections.rows_again import bookkeeping, columns_of, tables_made_again
from league.projections.runs import Conn
from league.projections.tables import metadata

ROW_CONDITIONS = {"editions": "edition IS NOT NULL"}
"""Editions without a number are candidates of replays, which are not in the log."""

ALL = sql.SQL("true")

LONGEST = 200
"""Longer values are not shown in messages; in characters."""

NOTHING = say("nothing")

MOST_NAMED = 20
"""The most rows that are named for each table and kind of difference. The others are counted."""

# Missing, unexpected and changed rows are three kinds, each with its own limit: none hides behind another.
DIFFERING = """
    WITH official AS (SELECT {columns} FROM league.{table} WHERE {official}),
         anew AS (SELECT {columns} FROM pg_temp.{table} WHERE {anew}),
         differing AS (
             SELECT *, false AS is_anew FROM (TABLE official EXCEPT ALL TABLE anew) AS a
             UNION ALL SELECT *, true FROM (TABLE anew EXCEPT ALL TABLE official) AS b
         ),
         kinds AS (
             SELECT *, bool_or(is_anew) OVER same_key AS key_follows, bool_or(NOT is_anew) OVER same_key AS key_stands
             FROM differing WINDOW same_key AS (PARTITION BY {key})
         ),
         placed AS (
             SELECT *, dense_rank() OVER (PARTITION BY key_follows, key_stands ORDER BY {key}) AS place FROM kinds
         ),
         counted AS (SELECT *, max(place) OVER (PARTITION BY key_follows, key_stands) AS last_place FROM placed)
    SELECT {columns}, is_anew, key_follows, key_stands, place, last_place FROM counted WHERE place <= {most}
    ORDER BY key_follows, key_stands, place, is_anew
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


def differing_rows(conn: Conn, official: int, anew: int) -> Iterator[Sentence]:
    """Messages, table by table, on the rows in which a run differs from the new run in the temporary tables."""
    for table in metadata.tables.values():
        if table.name not in bookkeeping():
            columns = [
                c.name for c in table.columns if c.name != "run" and f"{table.name}.{c.name}" not in bookkeeping()
            ]
            key = [name for name in columns if table.columns[name].primary_key] if table.primary_key else columns
            rows = (_rows_of(table, official), _rows_of(table, anew))
            yield from _differences(conn, table.name, columns, key, rows)


def differing_rows_again(conn: Conn) -> Iterator[Sentence]:
    """Messages, table by table, on rows written by commands that differ from the rows made again from the log."""
    for table in tables_made_again():
        columns = columns_of(conn, table)
        yield from _differences(conn, table, columns.compared, columns.key, (ALL, ALL))


def journal_faults(conn: Conn) -> Iterator[Sentence]:
    """Messages on where the journal does not begin at a starting rating, has a gap, or does not end at the rating.

    What caused each step is not checked: it depends on when the log was folded.
    """
    for subject, id_, mode, entry, before in conn.execute(BEGINNING):
        yield say(
            "{where}: its first entry, {entry}, begins at {before}, but no edition lets a rating begin there: an entry "
            "before it is gone",
            where=_in_journal(subject, id_, mode),
            entry=entry,
            before=before,
        )
    for subject, id_, mode, entry, before, reached in conn.execute(GAP):
        of = {"where": _in_journal(subject, id_, mode), "entry": entry, "before": before, "reached": reached}
        yield say("{where}: entry {entry} begins at {before}, but the one before it ended at {reached}", **of)
    for subject, id_, mode, after, rating in conn.execute(END):
        of = {"where": _in_journal(subject, id_, mode), "after": _text(after), "rating": _text(rating)}
        yield say("{where}: it ends at {after}, but the rating is {rating}", **of)


def _in_journal(subject: str, id_: str, mode: str) -> Sentence:
    return say("table journal, {subject} {id}, {mode}", subject=subject, id=id_, mode=mode)


def _differences(
    conn: Conn, table: str, columns: Sequence[str], key: Sequence[str], rows: tuple[sql.Composable, sql.Composable]
) -> Iterator[Sentence]:
    """`rows`: the conditions on the rows to compare, first for the league's table, then for the table made again."""
    query = sql.SQL(DIFFERING).format(
        table=sql.Identifier(table),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        key=sql.SQL(", ").join(map(sql.Identifier, key)) if key else sql.SQL("true"),
        most=sql.Literal(MOST_NAMED),
        official=rows[0],
        anew=rows[1],
    )
    found = [
        _DifferingRow(dict(zip(columns, values, strict=False)), *values[len(columns) :])
        for values in conn.execute(query)
    ]
    for _kind, alike in groupby(found, key=lambda one: (one.follows, one.stands)):
        last = None
        for _place, same in groupby(alike, key=lambda one: one.place):
            first, *_, last = sides if len(sides := list(same)) > 1 else sides * 2
            yield _difference(_where(table, key, first.row), first, last)
        if last is not None and last.last_place > MOST_NAMED:
            yield _more(table, last, last.last_place - MOST_NAMED)


class _DifferingRow(NamedTuple):
    """A row that only one of the two tables has: the league's, or the one made again from the log."""

    row: dict[str, Any]
    is_anew: bool
    follows: bool
    """Whether the table made again has a row with this key that the league's table does not have."""
    stands: bool
    """Whether the league's table has a row with this key that the table made again does not have."""
    place: int
    """The number of its key among the keys of its kind, from 1."""
    last_place: int
    """The highest place of its kind."""


def _where(table: str, key: Sequence[str], row: Mapping[str, Any]) -> Sentence:
    named = [joined(" ", (name.removesuffix("_id").replace("_", " "), _text(row[name]))) for name in key]
    if not named:
        return say("table {table} of the database", table=table)
    return say("table {table}, row {row}", table=table, row=joined(", ", named))


def _difference(where: Sentence, found: _DifferingRow, other: _DifferingRow) -> Sentence:
    """`found`, `other`: the row as it is, and as the log says. If only one exists, both are that one."""
    if not found.stands:
        return say("{where}: it is missing", where=where)
    if not found.follows:
        return say("{where}: the log does not say so", where=where)
    name = next(name for name in found.row if found.row[name] != other.row[name])
    value, said = _text(found.row[name]), _text(other.row[name])
    if isinstance(found.row[name], bytes) or max(len(value), len(said)) > LONGEST:
        return say("{where}: {column} is not what the log says", where=where, column=name)
    of = {"where": where, "column": name, "value": value, "said": said}
    return say("{where}: {column} is {value}, but the log says {said}", **of)


def _more(table: str, kind: _DifferingRow, count: int) -> Sentence:
    if not kind.stands:
        return say_count(
            "table {table}: {count} more row is missing",
            "table {table}: {count} more rows are missing",
            count,
            table=table,
        )
    if not kind.follows:
        return say_count(
            "table {table}: {count} more row does not follow from the log",
            "table {table}: {count} more rows do not follow from the log",
            count,
            table=table,
        )
    return say_count(
        "table {table}: {count} more row differs", "table {table}: {count} more rows differ", count, table=table
    )


def _rows_of(table: sqlalchemy.Table, run: int) -> sql.Composable:
    if "run" in table.columns:
        return sql.SQL("run = {}").format(run)
    return sql.SQL(ROW_CONDITIONS.get(table.name, "true"))


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}".rstrip("0").rstrip(".")
    return NOTHING if value is None else str(value)
