"""What if: fold the league again with other facts of some matches, in temporary tables of one transaction.

Writes nothing that other sessions read or write, so it blocks none; the temporary tables end with the transaction.
Copies only what the folds read again, so the cost is that of the change itself.
"""

from collections.abc import Mapping

from psycopg import sql

from league.domain.match import MatchState
from league.domain.merges import Aliases
from league.projections.replays.copied_rows import copy_to_run
from league.projections.runs import Conn, table_of
from league.projections.tables import OF_RUNS, written_columns
from league.projections.writers import catalogue
from league.projections.writers.league_rows import fold_from
from league.projections.writers.match_rows import Key, Touched, store_matches

OF_MATCHES = ("matches", "hands", "appearances")
OF_EVERYBODY = ("ratings", "achievements", "badges", "series_games", "series_pairs", "standings", "honours")


def fold_with(
    conn: Conn, run: int, states: Mapping[str, MatchState], aliases: Aliases, *, again: Key | None = None
) -> tuple[int, Key | None]:
    """Fold a run with these facts, whose players are read through `aliases`; from the place `again` on in any case.

    Returns the number of the other run, and the first place that is folded again.

    For the rest of this transaction the names of the read tables include both runs; the transaction must never be
    committed. The other run holds only what can differ: all ratings, badges, boards and standings; the hands and
    appearances of these matches; matches and rating changes from that place on.
    """
    other = _new_run(conn, run)
    ids = list(states)
    for table in OF_MATCHES:
        copy_to_run(conn, table, run, other, sql.SQL("WHERE match_id = ANY(%s)"), [ids])
    rules = catalogue.rules_of_run(conn, run)
    touched = store_matches(conn, other, states, rules, (), aliases).and_also(Touched(again))
    for table in OF_EVERYBODY:
        copy_to_run(conn, table, run, other)
    if touched.earliest is not None:
        _copy_from(conn, run, other, touched.earliest, ids)
    fold_from(conn, other, rules, touched, None)
    for of_runs in OF_RUNS:
        both = sql.SQL("CREATE TEMP VIEW {} AS SELECT {columns} FROM {} UNION ALL SELECT {columns} FROM {}")
        names = (sql.Identifier(of_runs.name), table_of(run, of_runs.name), table_of(other, of_runs.name))
        columns = sql.SQL(", ").join(map(sql.Identifier, written_columns(of_runs)))
        conn.execute(both.format(*names, columns=columns))
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
    copy_to_run(conn, "checkpoints", run, other, sql.SQL("WHERE (decided_at, match_id) = (%s, %s)"), checkpoint)
    later = sql.SQL("WHERE decided IS NOT NULL AND (decided_at, match_id) > (%s, %s) AND match_id <> ALL(%s)")
    copy_to_run(conn, "matches", run, other, later, [*checkpoint, but])
    copy_to_run(conn, "changes", run, other, sql.SQL("WHERE (decided_at, match_id) >= (%s, %s)"), key)
