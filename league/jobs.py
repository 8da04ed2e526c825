"""Jobs: dramatiq carries the id of a replay to a worker, and the worker folds it in a process of its own.

The row says what is to be done and how it went; a message that is lost, or comes twice, does no harm.
"""

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

import dramatiq
import msgspec
import psycopg
import structlog
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Callbacks, Pipelines, Retries, ShutdownNotifications
from psycopg.errors import LockNotAvailable
from redis.exceptions import ConnectionError as RedisConnectionError

from league.database import connect
from league.domain.refusals import KeyReused, NotFound, Refusal, WrongState
from league.domain.rulebook_document import canonical
from league.domain.rules import Rulebook
from league.projections.replay import Period, drop_run, replay

QUEUE = "replays"
CHANNEL = "league_replays"
"""On which the database tells of every change to the table of replays."""
AT_ONCE = 4
"""Folds that a worker lets run side by side."""
LOCK_SPACE = 7_120_431
"""The first half of the advisory locks that keep two workers off one replay."""
PROGRESS_EVERY = 500
"""Matches between two notes of how far a replay has come."""
ATTEMPTS = 3
"""A fold that died so often will die again."""
LOCK_PATIENCE = "2s"
"""The server may notice a moment late that the process of the last attempt is dead."""
PAUSE = 1.0
"""Seconds between two attempts: the database may be on its way back."""

LOOK_FOR_CANCEL = 0.5
"""Seconds between two looks whether a replay that is being folded was cancelled."""

LOOK_AGAIN = 3.0
"""Seconds between two looks for replays whose message was lost, or never sent."""

log = structlog.get_logger()


def broker_for(url: str | None) -> dramatiq.Broker:
    """Redis where a URL is given, else the broker of this process, whose messages end with it.

    Without dramatiq's time limit: a replay takes as long as it takes.
    """
    middleware = [AgeLimit(), ShutdownNotifications(), Callbacks(), Pipelines(), Retries(max_retries=0)]
    if url is None:
        return StubBroker(middleware=middleware)
    return RedisBroker(url=url, middleware=middleware)  # type: ignore[no-untyped-call]


class Cancelled(Exception):
    """Nobody wants the result of a fold any more."""


class Jobs:
    """The door to the workers of one league."""

    def __init__(self, database_url: str, broker: dramatiq.Broker) -> None:
        self._url, self.broker = database_url, broker
        self._ending, self._taking = threading.Event(), threading.Lock()
        self._taken: set[int] = set()
        """Replays that this worker folds now."""
        self._actor = dramatiq.actor(broker=broker, actor_name="replay", queue_name=QUEUE)(self._carry_out)

    def start_replay(
        self,
        candidate: Rulebook | None,
        period: Period,
        requested_by: str,
        known_at: datetime | None = None,
        *,
        key: str | None = None,
        input_hash: str | None = None,
    ) -> int:
        """Write a replay down and hand its number to a worker; see `replay.replay` for what is asked.

        The same key with the same input hash gives the first number again. Raises KeyReused.
        """
        asked = (None if candidate is None else canonical(candidate), period.start, period.end, known_at)
        with connect(self._url) as conn:
            row = conn.execute(
                "INSERT INTO replays (candidate, starts_at, ends_at, known_at, requested_by, key, input_hash)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s)"
                " ON CONFLICT (requested_by, key) WHERE key IS NOT NULL DO NOTHING RETURNING replay",
                (*asked, requested_by, key, input_hash),
            ).fetchone()
            if row is None:
                first = "SELECT replay, input_hash FROM replays WHERE requested_by = %s AND key = %s"
                known = conn.execute(first, (requested_by, key)).fetchone()
                assert known is not None
                assert key is not None
                if known[1] != input_hash:
                    raise KeyReused(key)
                return int(known[0])
        try:
            self._actor.send(row[0])
        except (dramatiq.errors.ConnectionError, RedisConnectionError) as error:
            # The row is there, and workers look for such rows from time to time.
            log.warning("broker_away", replay=row[0], error=str(error))
        return int(row[0])

    def cancel_replay(self, number: int) -> bool:
        """Let nobody fold a replay any more; who folds it now breaks off. A second time does nothing, and gives False.

        Raises NotFound, and WrongState for one that has come to its end.
        """
        cancel = "UPDATE replays SET cancelled_at = clock_timestamp() WHERE replay = %s AND unfinished"
        with connect(self._url) as conn:
            if conn.execute(cancel, (number,)).rowcount:
                return True
            row = conn.execute("SELECT cancelled_at FROM replays WHERE replay = %s", (number,)).fetchone()
        if row is None:
            raise NotFound("replay", "replay", str(number))
        if row[0] is None:
            raise WrongState(f"replay {number}", "over", "only what waits or runs can be cancelled")
        return False

    def run_of(self, number: int) -> int:
        """The run that a replay has become. Raises NotFound, and WrongState while there is none."""
        with connect(self._url) as conn:
            row = conn.execute("SELECT run FROM replays WHERE replay = %s", (number,)).fetchone()
        if row is None:
            raise NotFound("replay", "replay", str(number))
        if row[0] is None:
            raise WrongState(f"replay {number}", "without a run", "it is not done")
        return int(row[0])

    def send_unfinished_again(self) -> int:
        """Hand out what no worker has finished or folds; done at start-up and from time to time. Returns how many."""
        with connect(self._url) as conn:
            rows = conn.execute("SELECT replay FROM replays WHERE unfinished ORDER BY replay").fetchall()
        waiting = [number for (number,) in rows if number not in self._taken]
        # No more than can be begun: the rows wait better than messages, which nobody counts.
        for number in waiting[: AT_ONCE - len(self._taken)]:
            self._actor.send(number)
        return len(waiting)

    def work(self, stop: Callable[[], bool]) -> None:
        """Take jobs until `stop()`; a fold that is under way then is broken off, and left to the next start."""
        worker = dramatiq.Worker(self.broker, worker_threads=AT_ONCE, worker_timeout=500)
        worker.start()
        try:
            looked = -LOOK_AGAIN
            while not stop():
                if time.monotonic() - looked >= LOOK_AGAIN:
                    # The database may be away for a moment; there is a next look.
                    with suppress(psycopg.OperationalError):
                        self.send_unfinished_again()
                    looked = time.monotonic()
                time.sleep(0.2)
        finally:
            self._ending.set()
            worker.stop()

    def _carry_out(self, number: int) -> None:
        """Fold a replay, unless somebody does so already: a message may come twice, and workers hand out again."""
        with self._taking:
            if number in self._taken or not self._is_free(number):
                return
            self._taken.add(number)
        try:
            self._fold_to_the_end(number)
        finally:
            self._taken.discard(number)

    def _fold_to_the_end(self, number: int) -> None:
        """Fold until it comes to an end: a result, a refusal, a cancellation, or one attempt too many."""
        while self._is_unfinished(number) and not self._ending.is_set():
            exitcode = self._fold_apart(number)
            if exitcode == 0 or self._ending.is_set() or not self._is_unfinished(number):
                return
            log.error("replay_fold_died", replay=number, exitcode=exitcode)
            self._ending.wait(PAUSE)

    def _is_free(self, number: int) -> bool:
        """Whether no other worker folds it."""
        with connect(self._url) as conn:
            row = conn.execute("SELECT pg_try_advisory_lock(%s, %s)", (LOCK_SPACE, number)).fetchone()
        return row is not None and bool(row[0])

    def _is_unfinished(self, number: int) -> bool:
        query = "SELECT unfinished FROM replays WHERE replay = %s"
        with connect(self._url) as conn:
            row = conn.execute(query, (number,)).fetchone()
        return row is not None and bool(row[0])

    def _fold_apart(self, number: int) -> int | None:
        """One attempt, in a process of its own. Returns the exit code."""
        process = multiprocessing.get_context("spawn").Process(target=_attempt, args=(self._url, number))
        process.start()
        looked = time.monotonic()
        while process.is_alive() and not self._ending.is_set():
            process.join(0.2)
            if time.monotonic() - looked >= LOOK_FOR_CANCEL:
                with suppress(psycopg.OperationalError):
                    if not self._is_unfinished(number):
                        break
                looked = time.monotonic()
        process.terminate()
        process.join()
        if process.exitcode == -signal.SIGTERM:
            # It was asked to end, as by us: that says nothing against the replay.
            with suppress(psycopg.OperationalError), connect(self._url) as conn:
                # Unless it had come to its end already, and was only leaving.
                conn.execute(
                    "UPDATE replays SET attempts = greatest(attempts - 1, 0) WHERE replay = %s AND unfinished",
                    (number,),
                )
        return process.exitcode


def note_folded(
    database_url: str, run: int, candidate: Rulebook | None, period: Period, actor: str, known_at: datetime | None
) -> int:
    """Write a replay down that somebody has folded without a worker. Returns its number."""
    with connect(database_url) as conn:
        row = conn.execute(
            "INSERT INTO replays (candidate, starts_at, ends_at, known_at, requested_by, run, attempts, done, total)"
            " SELECT %s, %s, %s, %s, %s, %s, 1, count(*), count(*) FROM matches WHERE run = %s RETURNING replay",
            (
                None if candidate is None else canonical(candidate),
                *(period.start, period.end),
                known_at,
                actor,
                run,
                run,
            ),
        ).fetchone()
    assert row is not None
    return int(row[0])


def _attempt(database_url: str, number: int) -> None:
    # Ctrl-C reaches every process of the terminal; the worker ends this one when it ends itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    fold_replay(database_url, number)


def fold_replay(database_url: str, number: int) -> None:
    """Carry out one replay. What was done already, or is being done elsewhere, is left alone."""
    with connect(database_url, autocommit=True) as conn:
        if not _locked(conn, number):
            return
        row = conn.execute(
            "UPDATE replays SET attempts = attempts + 1 WHERE replay = %s AND unfinished"
            " RETURNING candidate, starts_at, ends_at, known_at, attempts",
            (number,),
        ).fetchone()
        if row is None:
            return
        candidate, starts_at, ends_at, known_at, attempts = row
        if attempts > ATTEMPTS:
            failure = f"the fold died {ATTEMPTS} times before its end; the worker's log says more"
            conn.execute("UPDATE replays SET failure = %s WHERE replay = %s", (failure, number))
            return
        revised = None if candidate is None else msgspec.json.decode(candidate, type=Rulebook)
        try:
            run = replay(database_url, revised, Period(starts_at, ends_at), _note_progress(conn, number), known_at)
        except Cancelled:
            return  # also where the worker that would have ended this fold is dead
        except Refusal as refusal:
            conn.execute("UPDATE replays SET failure = %s WHERE replay = %s", (str(refusal), number))
        else:
            done = "UPDATE replays SET run = %s, done = total WHERE replay = %s AND unfinished"
            if not conn.execute(done, (run, number)).rowcount:
                _forget_cancelled(conn, database_url, run)


def _forget_cancelled(conn: psycopg.Connection[tuple[object, ...]], database_url: str, run: int) -> None:
    """A replay was cancelled in the moment in which it was done: its run goes, unless it is somebody else's too."""
    if not conn.execute("SELECT FROM replays WHERE run = %s", (run,)).fetchone():
        with suppress(Refusal):
            drop_run(database_url, run)


def _locked(conn: psycopg.Connection[tuple[object, ...]], number: int) -> bool:
    """Whether the replay is this connection's now; the lock goes with the connection."""
    conn.execute(f"SET lock_timeout = '{LOCK_PATIENCE}'")
    try:
        conn.execute("SELECT pg_advisory_lock(%s, %s)", (LOCK_SPACE, number))
    except LockNotAvailable:
        return False
    return True


def _note_progress(conn: psycopg.Connection[tuple[object, ...]], number: int) -> Callable[[int, int], None]:
    noted = -PROGRESS_EVERY

    def note(done: int, total: int) -> None:
        nonlocal noted
        if done - noted >= PROGRESS_EVERY or done == total:
            note_it = "UPDATE replays SET done = %s, total = %s WHERE replay = %s AND unfinished"
            if not conn.execute(note_it, (done, total, number)).rowcount:
                raise Cancelled
            noted = done

    return note
