"""Runs in temporary tables of one transaction: the league folded with other facts, or under other rules.

The transaction must never be committed. For the rest of it the names of the read tables include both runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection

from league.domain.match import MatchState
from league.domain.player import Aliases
from league.infra.database import WITHOUT_TIME_LIMITS, engine
from league.projections import runs
from league.projections import tables as t
from league.projections.copy_rows import copy_to_run
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.snapshot import chosen_run
from league.projections.replays.starting_points import copy_scored_matches, sections_that_differ
from league.projections.runs import Conn, table_of
from league.projections.writers import catalogue
from league.projections.writers.checkpoints import checkpoints_before
from league.projections.writers.league_rows import fold_from, play_series, rate_all
from league.projections.writers.match_rows import Key, TouchedMatches, store_matches
from league.projections.writers.series_rows import calendar_of, store_honours


@contextmanager
def official_apart(url: str) -> Iterator[tuple[Connection, int]]:
    """A connection that sees the league at one moment, and the official run; what it writes is rolled back.

    Raises NotFound before the league is projected.
    """
    pool = engine(url, pool_size=1, limits=WITHOUT_TIME_LIMITS)
    try:
        with pool.execution_options(isolation_level="REPEATABLE READ").connect() as conn:
            # Closing the connection rolls back what was written.
            yield conn, chosen_run(conn, None)
    finally:
        pool.dispose()


def beneath_of(conn: Connection) -> Conn:
    """The psycopg connection under a SQLAlchemy connection."""
    beneath = conn.connection.driver_connection
    assert isinstance(beneath, psycopg.Connection)
    return beneath


MATCH_TABLES = ("matches", "hands", "appearances")
LEAGUE_TABLES = ("ratings", "achievements", "badges", "series_games", "series_pairs", "standings", "honours")


def fold_with(
    conn: Conn, run: int, states: Mapping[str, MatchState], aliases: Aliases, *, again: Key | None = None
) -> tuple[int, Key | None]:
    """Fold a run with these facts, whose players are read through `aliases`.

    Folding begins at the first place that changes, or at the place `again` if that comes earlier. Returns the number of
    the other run, and the place at which folding began; None if nothing had to be folded.

    For the rest of this transaction the names of the read tables include both runs; the transaction must never be
    committed. The other run holds only what can differ: all ratings, badges, boards and standings; the hands and
    appearances of these matches; matches and rating changes from that place on.
    """
    other = _new_run(conn, run)
    ids = list(states)
    for table in MATCH_TABLES:
        copy_to_run(conn, table, run, other, sql.SQL("WHERE match_id = ANY(%s)"), [ids])
    rules = catalogue.rules_of_run(conn, run)
    touched = store_matches(conn, other, states, rules, (), aliases).and_also(TouchedMatches(again))
    _copy(conn, LEAGUE_TABLES, run, other)
    if touched.earliest is not None:
        _copy_from(conn, run, other, touched.earliest, ids)
    fold_from(conn, other, rules, touched, None)
    _show_both(conn, run, other)
    return other, touched.earliest


RATED = ("ratings", "achievements", "badges")
PLAYED = ("series_games", "series_pairs", "standings")
SHOWN = """
    UPDATE runs SET (latest_decided_at, shown_edition) = (
        SELECT decided_at, edition FROM {} WHERE decided IS NOT NULL ORDER BY decided_at DESC, match_id DESC LIMIT 1)
    WHERE run = %s
"""


def fold_under_rules(conn: Conn, run: int, rules: RulesTimeline) -> int:
    """Fold a run under other rules, which score every match as its own rules do. Returns the number of the other run.

    The other run holds what follows from scored matches: ratings, badges, achievements, the series and its standings.
    It copies what no section that differs decides.
    """
    other, differ = _new_run(conn, run, rules), sections_that_differ(catalogue.rules_of_run(conn, run), rules)
    # The names of the new editions must mean their documents, and nobody may wait for this transaction to end.
    conn.execute("CREATE TEMP TABLE editions ON COMMIT DROP AS SELECT * FROM editions")
    conn.execute("CREATE UNIQUE INDEX ON pg_temp.editions (hash)")
    for edition in rules.editions.values():
        catalogue.store_edition(conn, edition, None)
    copy_scored_matches(conn, run, other, rules)
    calendar = calendar_of(conn)
    if differ & {"rating", "badges"}:
        rate_all(conn, other, rules, lambda _: None)
    else:
        _copy(conn, RATED, run, other)
        conn.execute(sql.SQL(SHOWN).format(table_of(other, "matches")), (other,))
    if "series" in differ:
        play_series(conn, other, rules, calendar)
    else:
        _copy(conn, PLAYED, run, other)
    store_honours(conn, other, rules, calendar.closings)
    _show_both(conn, run, other)
    return other


def _copy(conn: Conn, tables: Sequence[str], run: int, other: int) -> None:
    for table in tables:
        copy_to_run(conn, table, run, other)


def _show_both(conn: Conn, run: int, other: int) -> None:
    """Make the names of the read tables include both runs."""
    for of_runs in t.RUN_TABLES:
        both = sql.SQL("CREATE TEMP VIEW {} AS SELECT {columns} FROM {} UNION ALL SELECT {columns} FROM {}")
        names = (sql.Identifier(of_runs.name), table_of(run, of_runs.name), table_of(other, of_runs.name))
        columns = sql.SQL(", ").join(map(sql.Identifier, t.written_columns(of_runs)))
        conn.execute(both.format(*names, columns=columns))


def _new_run(conn: Conn, run: int, rules: RulesTimeline | None = None) -> int:
    """A run with temporary tables. `rules`: its own rules, under which it has no ratings yet; None: those of `run`."""
    if rules is None:
        row = conn.execute(
            "INSERT INTO runs (timeline, code, position, latest_decided_at, shown_edition)"
            " SELECT timeline, code, position, latest_decided_at, shown_edition FROM runs WHERE run = %s RETURNING run",
            (run,),
        ).fetchone()
        assert row is not None
        other: int = row[0]
    else:
        other = runs.number_of_new_run(conn, rules, runs.position_of(conn, run))
    for table in (table.name for table in t.RUN_TABLES):
        make = sql.SQL("CREATE TEMP TABLE {} (LIKE {} INCLUDING ALL) ON COMMIT DROP")
        conn.execute(make.format(table_of(other, table), sql.Identifier(table)))
    return other


def _copy_from(conn: Conn, run: int, other: int, key: Key, but: list[str]) -> None:
    """Copy what the league fold reads when it goes back to a place: all rows from the last checkpoint before it on."""
    places: list[tuple[Any, ...]] = [place for place, _ in checkpoints_before(conn, run, key)] or [("-infinity", "")]
    needed = sql.SQL("WHERE (decided_at, match_id) BETWEEN (%s, %s) AND (%s, %s)")
    copy_to_run(conn, "checkpoints", run, other, needed, [*places[0], *places[-1]])
    later = sql.SQL("WHERE decided IS NOT NULL AND (decided_at, match_id) > (%s, %s) AND match_id <> ALL(%s)")
    copy_to_run(conn, "matches", run, other, later, [*places[-1], but])
    copy_to_run(conn, "changes", run, other, sql.SQL("WHERE (decided_at, match_id) >= (%s, %s)"), key)
