"""Folds one replay in a separate process, under a lock. The replay's row has its progress and its result."""

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess

import msgspec
import psycopg
import structlog
from psycopg.errors import LockNotAvailable

from league.application.earlier_rules import adopted_timelines, rules_to_bring_back
from league.application.rulesets_in_use import in_use
from league.domain.refusals import NotFound, Refusal
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.eventlog import codec
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections import runs
from league.projections.folds.match_fold import RulesTimeline
from league.projections.replays.replay import ReplayPeriod, fold_under, replay, retire_run
from league.projections.runs import Conn

LOCK_SPACE = 7_120_431
"""The first key of the advisory locks that let only one worker fold a replay."""
PROGRESS_EVERY = 500
"""Matches between two updates of a replay's progress."""
ATTEMPTS = 3
"""Limit on the attempts of a replay. A fold that died this often would die again."""
LOCK_PATIENCE = "2s"
"""Time to wait for the lock. The server may take a moment to notice that the process of the last attempt is dead."""
PAUSE = 1.0
"""Seconds between two attempts, so that the database can recover."""
LOOK_FOR_CANCEL = 0.5
"""Seconds between two checks whether a replay in progress was cancelled."""

FoldProcess: type[BaseProcess] = multiprocessing.get_context("spawn").Process
"""The class of a fold's process, which shares no memory with the worker."""

log = structlog.get_logger()


class FoldCancelled(Exception):
    """The replay was cancelled while it was being folded."""


def run_of(database_url: str, number: int) -> int:
    """The run of a replay. Raises NotFound, and WrongState, which says why, if it has none."""
    with connect(database_url) as conn:
        row = conn.execute("SELECT run FROM replays WHERE replay = %s", (number,)).fetchone()
        if row is None:
            raise NotFound("replay", "replay", str(number))
        if row[0] is None:
            raise runs.no_run(conn, number)
        return int(row[0])


def is_free(database_url: str, number: int) -> bool:
    """Whether no worker is folding a replay now."""
    with connect(database_url) as conn:
        return bool(runs.first_value(conn, "SELECT pg_try_advisory_lock(%s, %s)", (LOCK_SPACE, number)))


def progress_of(database_url: str, number: int) -> tuple[int, int] | None:
    """The number of matches that a replay has scored, and of all its matches; None if it has finished."""
    with connect(database_url) as conn:
        query = "SELECT done, total FROM replays WHERE replay = %s AND unfinished"
        row = conn.execute(query, (number,)).fetchone()
    return None if row is None else (int(row[0]), int(row[1]))


def fold_to_the_end(
    database_url: str, number: int, ending: threading.Event, progress: Callable[[int, int], None] | None = None
) -> None:
    """Fold a replay until it finishes by a result, a refusal, a cancellation, or too many attempts.

    Stops if `ending` is set, or if another worker is folding the replay. Calls `progress` with the number of scored
    matches and of all matches.
    """
    while progress_of(database_url, number) is not None and not ending.is_set():
        exitcode = _fold_apart(database_url, number, ending, progress)
        if exitcode == 0 or ending.is_set() or progress_of(database_url, number) is None:
            return
        log.error("replay_fold_died", replay=number, exitcode=exitcode)
        ending.wait(PAUSE)


def _fold_apart(
    database_url: str, number: int, ending: threading.Event, progress: Callable[[int, int], None] | None
) -> int | None:
    """Make one attempt, in a separate process. Returns the exit code."""
    process = FoldProcess(target=_attempt, args=(database_url, number))
    process.start()
    try:
        looked = time.monotonic()
        while process.is_alive() and not ending.is_set():
            process.join(0.2)
            if time.monotonic() - looked >= LOOK_FOR_CANCEL:
                with suppress(psycopg.OperationalError):
                    if (reached := progress_of(database_url, number)) is None:
                        break
                    if progress is not None:
                        progress(*reached)
                looked = time.monotonic()
    finally:
        process.terminate()
        process.join()
    if process.exitcode == -signal.SIGTERM:
        # The process was stopped on purpose, so this attempt does not count as a failure.
        with suppress(psycopg.OperationalError), connect(database_url) as conn:
            # Changes nothing if the fold had finished and the process was only exiting.
            conn.execute(
                "UPDATE replays SET attempts = greatest(attempts - 1, 0) WHERE replay = %s AND unfinished", (number,)
            )
    return process.exitcode


def _attempt(database_url: str, number: int) -> None:
    # Ctrl-C reaches every process of the terminal; the worker stops this one when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    fold_replay(database_url, number)


def fold_replay(database_url: str, number: int) -> None:
    """Fold one replay, unless it is finished or another process is folding it."""
    with connect(database_url, autocommit=True) as conn:
        if not _locked(conn, number):
            return
        row = conn.execute(
            "UPDATE replays SET attempts = attempts + 1 WHERE replay = %s AND unfinished"
            " RETURNING candidate, starts_at, ends_at, known_at, restores, attempts",
            (number,),
        ).fetchone()
        if row is None:
            return
        candidate, starts_at, ends_at, known_at, restores, attempts = row
        if attempts > ATTEMPTS:
            failure = say(
                "the fold died {attempts} times before its end; the worker's log says more", attempts=ATTEMPTS
            )
            conn.execute("UPDATE replays SET failure = %s WHERE replay = %s", (failure, number))
            return
        revised = None if candidate is None else msgspec.json.decode(candidate, type=Rulebook)
        period, progress = ReplayPeriod(starts_at, ends_at), _note_progress(conn, number)
        try:
            if restores is not None:
                fold_under(database_url, partial(_brought_back, database_url, restores), progress, number=number)
            else:
                replay(database_url, revised, period, progress, known_at, number)
            _note_run(conn, number)
        except FoldCancelled:
            return  # the worker that would have stopped this fold may be dead
        except Refusal as refusal:
            conn.execute("UPDATE replays SET failure = %s WHERE replay = %s", (str(refusal), number))


def _brought_back(database_url: str, position: int, _: RulesTimeline) -> RulesTimeline:
    """The rules that the event at a position adopted, with the rulesets that are in use now. Raises Refusal."""
    with EventStore(database_url, codec) as store, connect(database_url) as conn:
        adopted = adopted_timelines((stored.position, stored.event) for stored in store.load("rulebook"))
        return rules_to_bring_back(adopted, position, in_use(conn)).rules


def _note_run(conn: Conn, number: int) -> None:
    """Note in its row that a replay has its run. If it was cancelled, remove the run and raise FoldCancelled."""
    with conn.transaction():
        noted = "UPDATE replays SET run = replay, done = total WHERE replay = %s AND unfinished"
        if conn.execute(noted, (number,)).rowcount:
            runs.raise_generation(conn)
            return
    with suppress(Refusal), conn.transaction():
        retire_run(conn, number)
    runs.sweep(conn)
    raise FoldCancelled


def _locked(conn: Conn, number: int) -> bool:
    """Take the replay's lock, which ends with the connection. Returns whether this connection has it."""
    conn.execute(f"SET lock_timeout = '{LOCK_PATIENCE}'")
    try:
        conn.execute("SELECT pg_advisory_lock(%s, %s)", (LOCK_SPACE, number))
    except LockNotAvailable:
        return False
    return True


def _note_progress(conn: Conn, number: int) -> Callable[[int, int], None]:
    noted = -PROGRESS_EVERY

    def note(done: int, total: int) -> None:
        nonlocal noted
        if done - noted >= PROGRESS_EVERY or done == total:
            note_it = "UPDATE replays SET done = %s, total = %s WHERE replay = %s AND unfinished"
            if not conn.execute(note_it, (done, total, number)).rowcount:
                raise FoldCancelled
            noted = done

    return note
