"""Runs: the whole league folded under one timeline, each in table partitions of its own.

A run is built in tables that no reader sees and attached when it is complete, so no reader ever meets half of one. The
tables belong to the owner: functions of the database make, attach, analyze and drop them for the program.

Equal runs have equal digests. A digest covers canonical rows: no recording times, no edition numbers, no personal data
(see `tables.py`). The state of the read side is one value for all rows that everybody reads.
"""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, LiteralString

import msgspec
from msgspec import Struct
from psycopg import Connection, sql
from psycopg.errors import LockNotAvailable, UndefinedTable
from psycopg.rows import tuple_row

from league.domain.refusals import NotFound, Refusal
from league.domain.sentences import say
from league.domain.wrong_states import ReplayFailed, ReplayIsDropped, ReplayNotDone
from league.eventlog.codec import UNFOLDED
from league.projections.folds.match_fold import RulesTimeline
from league.projections.tables import RUN_TABLES, digested_columns

FOLDS = "10"
"""The version of the folds; increase it when the same log may give different rows."""

MOST_REPLAYS = 10
"""The most replay runs that stay: each is a full copy of the league's rows, stored while its revision is discussed."""

OLD_REPLAYS: LiteralString = """
    SELECT run FROM runs WHERE ready AND run <> ALL(%s)
        AND run NOT IN (SELECT replay FROM shown_replays)
    ORDER BY created_at DESC, run DESC OFFSET %s FOR UPDATE SKIP LOCKED
"""
RETIRE_OLD: LiteralString = """
    UPDATE runs SET ready = false WHERE run = ANY(%s)
        AND run NOT IN (SELECT replay FROM shown_replays)
"""
"""Both leave out the runs of shown candidates: whoever shows one locks the row of its run, perhaps between the two."""
END_PROPOSAL: LiteralString = "DELETE FROM shown_replays WHERE replay = %s"
"""Ends a proposal: its candidate was withdrawn, or is official."""

DROP_PATIENCE = "50ms"
"""How long the removal of a run waits for a lock. Meanwhile the readers of every run queue behind it."""

CLAIMS = 7_120_432
"""The first key of the advisory locks that let only one process fold the same run."""

Conn = Connection[Any]


def first_value(conn: Conn, query: LiteralString | sql.Composed, parameters: Sequence[Any] | None = None) -> Any:
    """The first value of the first row that a query finds; None where it finds none."""
    row = conn.execute(query, parameters).fetchone()
    return None if row is None else row[0]


class HashSpan(Struct, frozen=True):
    """A span of a run's timeline: from `start` on (None: from the beginning) the edition with this hash applies."""

    start: datetime | None
    hash: str


def table_of(run: int, table: str) -> sql.Identifier:
    """The partition that holds a run's rows of a table; temporary ones come first in the search path."""
    return sql.Identifier(f"{table}_{run}")


def new_run(
    conn: Conn, rules: RulesTimeline, position: int, base: RulesTimeline | None = None, number: int | None = None
) -> int:
    """Make the tables of a run, which readers do not see until it is attached. Returns its number.

    `base`: the rules that it revises. `number`: the number of the replay that makes it; None: the next free number.
    """
    run = number_of_new_run(conn, rules, position, base, number)
    conn.execute("SELECT make_run(%s)", (run,))
    return run


def number_of_new_run(
    conn: Conn, rules: RulesTimeline, position: int, base: RulesTimeline | None = None, number: int | None = None
) -> int:
    """Record a run that has no tables yet, see `new_run`. Returns its number."""
    insert = (
        "INSERT INTO runs (run, timeline, code, position, base) OVERRIDING SYSTEM VALUE"
        " VALUES (coalesce(%s, nextval(pg_get_serial_sequence('runs', 'run'))), %s, %s, %s, %s) RETURNING run"
    )
    revised = None if base is None else _timeline(base)
    return int(first_value(conn, insert, (number, _timeline(rules), FOLDS, position, revised)))


def attach(conn: Conn, run: int) -> None:
    """Make a run visible to readers."""
    conn.execute("SELECT attach_run(%s)", (run,))
    conn.execute("UPDATE runs SET ready = true WHERE run = %s", (run,))


def analyze(conn: Conn, run: int) -> None:
    """Update the planner's statistics of a run: without them readers wait for seconds."""
    conn.execute("SELECT analyze_run(%s)", (run,))


def retire(conn: Conn, run: int) -> None:
    """Stop directing readers to a run; `sweep` removes its rows."""
    conn.execute("UPDATE runs SET ready = false WHERE run = %s", (run,))


def prune(conn: Conn) -> None:
    """Retire all but the latest replay runs and those of shown candidates, and remove those without readers."""
    try:
        with conn.transaction():
            old = conn.execute(OLD_REPLAYS, (runs_in_use(conn), MOST_REPLAYS)).fetchall()
            if old:
                conn.execute(RETIRE_OLD, ([run for (run,) in old],))
                raise_generation(conn)
    except LockNotAvailable:
        return  # the next call prunes
    sweep(conn)


def hold(conn: Conn, run: int) -> bool:
    """Protect a run from removal until the transaction ends. Returns False if the run is gone."""
    return bool(first_value(conn, "SELECT hold_run(%s)", (run,)))


def sweep(conn: Conn) -> bool:
    """Remove retired runs without readers. Returns whether all are gone.

    A run that is being folded is invisible here: it is committed when it is ready.
    """
    all_gone = True
    for (run,) in conn.execute("SELECT run FROM runs WHERE NOT ready").fetchall():
        try:
            with conn.transaction():
                # Readers of a run lock this table (`snapshot.hold`).
                conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT").format(table_of(run, "matches")))
                conn.execute(f"SET LOCAL lock_timeout = '{DROP_PATIENCE}'")
                drop(conn, run)
        except LockNotAvailable:
            all_gone = False
        except UndefinedTable:
            pass  # another process has removed it meanwhile
    return all_gone


def drop(conn: Conn, run: int) -> None:
    """Remove a run and its rows."""
    conn.execute("SELECT drop_run(%s)", (run,))
    conn.execute("DELETE FROM runs WHERE run = %s", (run,))


def runs_in_use(conn: Conn) -> list[int]:
    """The official run, the run before it and the run of the journal, locked as such until the transaction ends.

    Does not block: raises LockNotAvailable while the league is being folded, or a run is being promoted.
    """
    # Without NOWAIT here too, `FOR UPDATE NOWAIT` would wait for `lock_official`.
    conn.execute("LOCK TABLE official_run IN ROW SHARE MODE NOWAIT")
    with conn.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute("SELECT run, previous, journaled FROM official_run FOR UPDATE NOWAIT").fetchone()
    return [run for run in row or () if run is not None]


def lock_official(conn: Conn) -> None:
    """Make the projector wait until the transaction ends. Waits for its current transaction; readers wait for nothing.

    The lock is the table's: PostgreSQL grants table locks in the order of the requests. A row lock goes to the first
    that asks after it is free, and that would be the projector again and again.
    """
    conn.execute("LOCK TABLE official_run IN EXCLUSIVE MODE")


def promote(conn: Conn, run: int, adopted: int) -> None:
    """Make a run official, whose rules the event at position `adopted` adopts. It is a proposal no longer."""
    conn.execute(END_PROPOSAL, (run,))
    conn.execute("UPDATE official_run SET previous = run, run = %s, adopted = %s", (run, adopted))


def adopted_at(conn: Conn) -> int | None:
    """The position of the event that adopted the rules of the official run, if it was promoted."""
    adopted: int | None = first_value(conn, "SELECT adopted FROM official_run")
    return adopted


def official_run(conn: Conn, *, lock: bool = False) -> int | None:
    """The official run; None before the first projection. `lock`: block promotions until the transaction ends."""
    query = "SELECT run FROM official_run FOR SHARE" if lock else "SELECT run FROM official_run"
    run: int | None = first_value(conn, query)
    return run


def journaled(conn: Conn) -> int | None:
    """The run whose ratings the journal has reached; None if the journal is empty."""
    run: int | None = first_value(conn, "SELECT journaled FROM official_run")
    return run


def set_journaled(conn: Conn, run: int) -> None:
    """Record that the journal has reached this run's ratings."""
    conn.execute("UPDATE official_run SET journaled = %s", (run,))


def make_official(conn: Conn, run: int) -> None:
    """Direct readers to a run that was not promoted: it follows the rules of the log, no adoption of its own."""
    conn.execute(
        "INSERT INTO official_run (run) VALUES (%s)"
        " ON CONFLICT (singleton) DO UPDATE SET run = excluded.run, adopted = NULL",
        (run,),
    )


def claim(conn: Conn, rules: RulesTimeline, position: int) -> None:
    """Block other transactions that claim the same fold until this one ends."""
    conn.execute(
        "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (CLAIMS, f"{last_folded(conn, position)} {_timeline(rules)}")
    )


def find(
    conn: Conn,
    rules: RulesTimeline,
    position: int,
    other_than: int | None = None,
    of_replay: RulesTimeline | None = None,
    of_known: bool | None = None,
) -> int | None:
    """A complete run that is folded under the same rules, up to the same position, by the same code.

    Positions are equivalent if only events that no fold needs lie between them. `of_replay`: only a run that a replay
    of these rules made, or that was official once. `of_known`: whether its replay shows what was known at a moment;
    None: either.
    """
    base = None if of_replay is None else _timeline(of_replay)
    wanted = (last_folded(conn, position), base, base, of_known, of_known)
    row = conn.execute(
        "SELECT min(run) FROM runs WHERE timeline = %s::jsonb AND code = %s AND ready"
        " AND run IS DISTINCT FROM %s::integer AND position >= %s"
        " AND (%s::jsonb IS NULL OR (coalesce(base = %s::jsonb, true) OR run IN (SELECT run FROM official_run))"
        " AND EXISTS (SELECT FROM replays WHERE replays.run = runs.run))"
        " AND (%s::boolean IS NULL OR %s::boolean ="
        " EXISTS (SELECT FROM replays WHERE replays.run = runs.run AND known_at IS NOT NULL)) AND NOT EXISTS"
        " (SELECT FROM followed_events AS e"
        " WHERE e.position > %s AND e.position <= runs.position AND topic <> ALL(%s))",
        (_timeline(rules), FOLDS, other_than, *wanted, position, list(UNFOLDED)),
    ).fetchone()
    return None if row is None else row[0]


def folded_under(conn: Conn, rules: RulesTimeline) -> int | None:
    """The latest complete run that is folded under these rules, up to any position, by the same code.

    None that shows what was known at a moment: it must not be folded further.
    """
    query: LiteralString = (
        "SELECT max(run) FROM runs WHERE timeline = %s::jsonb AND code = %s AND ready AND NOT EXISTS"
        " (SELECT FROM replays WHERE replays.run = runs.run AND known_at IS NOT NULL)"
    )
    run: int | None = first_value(conn, query, (_timeline(rules), FOLDS))
    return run


def no_run(conn: Conn, run: int) -> Refusal:
    """The refusal of a run that is not there: it says what became of its replay, or names the latest runs."""
    of_replay = "SELECT cancelled_at IS NOT NULL, failure, run IS NOT NULL, attempts > 0 FROM replays WHERE replay = %s"
    latest = "SELECT run FROM runs WHERE ready ORDER BY run DESC LIMIT 10"
    with conn.cursor(row_factory=tuple_row) as cursor:
        replay = cursor.execute(of_replay, (run,)).fetchone()
        there = [str(known) for (known,) in cursor.execute(latest).fetchall()]
    if replay is None:
        return NotFound("run", "run", str(run), tuple(reversed(there)), "league replays")
    was_cancelled, failure, was_done, has_begun = replay
    subject = say("replay {number}", number=run)
    if was_cancelled:
        return ReplayFailed(subject, say("cancelled"), say("it has no figures and no rows; compute it again"))
    if failure is not None:
        return ReplayFailed(subject, say("without a run"), say("it has failed: {why}", why=failure))
    if was_done:
        return ReplayIsDropped(subject, say("dropped"), say("its figures and rows are removed; compute it again"))
    state = say("running") if has_begun else say("waiting")
    return ReplayNotDone(subject, state, say("it is not done yet; wait for it"))


def is_ready(conn: Conn, run: int) -> bool:
    """Whether readers can use this run."""
    return conn.execute("SELECT FROM runs WHERE run = %s AND ready", (run,)).fetchone() is not None


def shows_known(conn: Conn, run: int) -> bool:
    """Whether the replay of this run shows what was known at a moment. Such a run is not folded further."""
    query = "SELECT FROM replays WHERE run = %s AND known_at IS NOT NULL"
    return conn.execute(query, (run,)).fetchone() is not None


def is_of_these_folds(conn: Conn, run: int) -> bool:
    """Whether this version of the folds has folded a run."""
    return conn.execute("SELECT FROM runs WHERE run = %s AND code = %s", (run, FOLDS)).fetchone() is not None


def is_based_on(conn: Conn, run: int, rules: RulesTimeline) -> bool:
    """Whether a run revises these rules. A run that was official itself revises none, and may follow any."""
    query = "SELECT base IS NULL OR base = %s::jsonb FROM runs WHERE run = %s"
    return bool(first_value(conn, query, (_timeline(rules), run)))


def position_of(conn: Conn, run: int) -> int:
    """The position up to which a run is folded."""
    return int(first_value(conn, "SELECT position FROM runs WHERE run = %s", (run,)))


def last_folded(conn: Conn, position: int) -> int:
    """The position of the last event that folds need, up to this position; 0 if there is none."""
    query = "SELECT coalesce(max(position), 0) FROM followed_events WHERE position <= %s AND topic <> ALL(%s)"
    return int(first_value(conn, query, (position, list(UNFOLDED))))


def set_position(conn: Conn, run: int, position: int) -> None:
    """Set the position up to which the run is folded."""
    conn.execute("UPDATE runs SET position = %s WHERE run = %s", (position, run))


def set_timeline(conn: Conn, run: int, rules: RulesTimeline) -> None:
    """Set the rules under which the run is folded from now on."""
    conn.execute("UPDATE runs SET timeline = %s WHERE run = %s", (_timeline(rules), run))


def _timeline(rules: RulesTimeline) -> str:
    return msgspec.json.encode([HashSpan(start, hash_) for start, hash_ in rules.hashes()]).decode()


# ---------------------------------------------------------------- the state of the read side


CHANNEL = "league_projected"
"""The channel on which each commit that leads to another state announces it, as JSON."""


class ReadState(Struct, frozen=True, order=True, array_like=True):
    """The state of the read side: the rows of the official run, and the rows that all runs share, follow from it.

    Each commit that changes such rows leads to a greater state: a commit of the projector moves the position, any other
    raises the generation. Within a generation the official run stays the same.
    """

    generation: int
    run: int
    position: int


def tell_state(conn: Conn) -> None:
    """Announce the state that this transaction makes to the processes that serve the league.

    Call it last in a transaction: others that raise the generation wait until this one ends.
    """
    conn.execute("SELECT tell_state()")


def raise_generation(conn: Conn) -> None:
    """Raise the generation, and announce the new state.

    Call it last in a transaction: others that raise the generation, or announce a state, wait until this one ends.
    """
    conn.execute("SELECT raise_generation()")


# ---------------------------------------------------------------- digests


def run_digest(conn: Conn, run: int) -> str:
    """The SHA-256 over the canonical rows of a run, table by table, as hexadecimal."""
    total = hashlib.sha256()
    for table in RUN_TABLES:
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
