"""What if: fold the league again with other facts of some matches, in temporary tables of one transaction.

Writes nothing that other sessions read or write, so it blocks none; the temporary tables end with the transaction.
Copies only what the folds read again, so the cost is that of the change itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

from psycopg import sql

from league.domain.match import MatchState
from league.domain.merges import Aliases
from league.projections.runs import Conn, table_of
from league.projections.tables import OF_RUNS
from league.projections.writers import catalogue
from league.projections.writers.league_rows import fold_from
from league.projections.writers.match_rows import Key, store_matches

OF_MATCHES = ("matches", "hands", "appearances")
OF_EVERYBODY = ("ratings", "achievements", "badges", "series_games", "series_pairs", "standings", "honours")


def fold_with(conn: Conn, run: int, states: Mapping[str, MatchState], aliases: Aliases) -> tuple[int, Key | None]:
    """Fold a run with these facts, whose players are read through `aliases`.

    Returns the number of the other run, and the first place that is folded again.

    For the rest of this transaction the names of the read tables include both runs; the transaction must never be
    committed. The other run holds only what can differ: all ratings, badges, boards and standings; the hands and
    appearances of these matches; matches and rating changes from that place on.
    """
    other = _new_run(conn, run)
    ids = list(states)
    for table in OF_MATCHES:
        _copy(conn, table, run, other, "match_id = ANY(%s)", [ids])
    rules = catalogue.rules_of_run(conn, run)
    touched = store_matches(conn, other, states, rules, (), aliases)
    for table in OF_EVERYBODY:
        _copy(conn, table, run, other, "true", [])
    if touched.earliest is not None:
        _copy_from(conn, run, other, touched.earliest, ids)
    fold_from(conn, other, rules, touched, None)
    for table in (table.name for table in OF_RUNS):
        both = sql.SQL("CREATE TEMP VIEW {} AS SELECT {columns} FROM {} UNION ALL SELECT {columns} FROM {}")
        names = (sql.Identifier(table), table_of(run, table), table_of(other, table))
        conn.execute(both.format(*names, columns=_joined(_columns(conn, table))))
    return other, touched.earliest


def _new_run(conn: Conn, run: int) -> int:
    row = conn.execute(
        "INSERT INTO runs (timeline, code, position, latest_decided_at, shown_edition)"
        " SELECT timeline, code, position, latest_decided_at, shown_edition FROM runs WHERE run = %s RETURNING run",
        (run,),
    ).fetchone()
    assert row is not None
    other: int = row[0]
    for table in (table.name for table in OF_RUNS):
        make = sql.SQL("CREATE TEMP TABLE {} (LIKE {} INCLUDING ALL) ON COMMIT DROP")
        conn.execute(make.format(table_of(other, table), sql.Identifier(table)))
    return other


def _copy_from(conn: Conn, run: int, other: int, key: Key, but: list[str]) -> None:
    """What the league fold reads when it goes back to a place: everything from the last checkpoint before it on."""
    last = sql.SQL(
        "SELECT decided_at, match_id FROM {} WHERE (decided_at, match_id) < (%s, %s)"
        " ORDER BY decided_at DESC, match_id DESC LIMIT 1"
    )
    found = conn.execute(last.format(table_of(run, "checkpoints")), key).fetchone()
    checkpoint = found or ("-infinity", "")
    _copy(conn, "checkpoints", run, other, "(decided_at, match_id) = (%s, %s)", checkpoint)
    later = "decided IS NOT NULL AND (decided_at, match_id) > (%s, %s) AND match_id <> ALL(%s)"
    _copy(conn, "matches", run, other, later, [*checkpoint, but])
    _copy(conn, "changes", run, other, "(decided_at, match_id) >= (%s, %s)", key)


def _copy(conn: Conn, table: str, run: int, other: int, rows: LiteralString, parameters: Sequence[Any]) -> None:
    """Copy the rows of a table that match a condition."""
    columns = _columns(conn, table)
    values = [sql.Literal(other) if column == "run" else sql.Identifier(column) for column in columns]
    query = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {} WHERE {}").format(
        table_of(other, table), _joined(columns), sql.SQL(", ").join(values), table_of(run, table), sql.SQL(rows)
    )
    conn.execute(query, parameters)


def _columns(conn: Conn, table: str) -> list[str]:
    found = conn.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(sql.Identifier(table))).description
    return [column.name for column in found or ()]


def _joined(columns: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
