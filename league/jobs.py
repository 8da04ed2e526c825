"""Jobs: dramatiq carries the id of a replay to a worker, and the worker folds it in a process of its own.

The row says what is to be done and how it went; a message that is lost, or comes twice, does no harm.
"""

import multiprocessing
import time
from collections.abc import Callable

import dramatiq
import msgspec
import psycopg
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Callbacks, Pipelines, Retries, ShutdownNotifications

from league.database import connect
from league.domain.refusals import Refusal
from league.domain.rulebook_document import canonical
from league.domain.rules import Rulebook
from league.projections.replay import Span, replay

QUEUE = "replays"
LOCK_SPACE = 7_120_431
"""The first half of the advisory locks that keep two workers off one replay."""
PROGRESS_EVERY = 500
"""Matches between two notes of how far a replay has come."""


class ReplayFailed(Exception):
    """The process that folded a replay ended without a result."""


def broker_for(url: str | None) -> dramatiq.Broker:
    """Redis where a URL is given, else the broker of this process, whose messages end with it.

    Without dramatiq's time limit: a replay takes as long as it takes.
    """
    middleware = [AgeLimit(), ShutdownNotifications(), Callbacks(), Pipelines(), Retries(max_retries=0)]
    if url is None:
        return StubBroker(middleware=middleware)
    return RedisBroker(url=url, middleware=middleware)  # type: ignore[no-untyped-call]


class Jobs:
    """The door to the workers of one league."""

    def __init__(self, database_url: str, broker: dramatiq.Broker) -> None:
        self._url, self.broker = database_url, broker
        self._actor = dramatiq.actor(broker=broker, actor_name="replay", queue_name=QUEUE)(self._carry_out)

    def start_replay(self, candidate: Rulebook, span: Span, requested_by: str) -> int:
        """Write a replay down and hand its number to a worker."""
        with connect(self._url) as conn:
            row = conn.execute(
                "INSERT INTO replays (candidate, starts_at, ends_at, requested_by) VALUES (%s, %s, %s, %s)"
                " RETURNING replay",
                (canonical(candidate), span.start, span.end, requested_by),
            ).fetchone()
        assert row is not None
        self._actor.send(row[0])
        return int(row[0])

    def send_unfinished_again(self) -> int:
        """Hand out what no worker has finished; done at start-up. Returns how many."""
        with connect(self._url) as conn:
            rows = conn.execute("SELECT replay FROM replays WHERE run IS NULL AND failure IS NULL").fetchall()
        for (number,) in rows:
            self._actor.send(number)
        return len(rows)

    def work(self, stop: Callable[[], bool]) -> None:
        """Take jobs until `stop()`."""
        worker = dramatiq.Worker(self.broker, worker_threads=1, worker_timeout=500)
        worker.start()
        self.send_unfinished_again()
        try:
            while not stop():
                time.sleep(0.2)
        finally:
            worker.stop()

    def _carry_out(self, number: int) -> None:
        process = multiprocessing.get_context("spawn").Process(target=fold_replay, args=(self._url, number))
        process.start()
        process.join()
        if process.exitcode:
            raise ReplayFailed(f"replay {number}: the fold ended with exit code {process.exitcode}")


def fold_replay(database_url: str, number: int) -> None:
    """Carry out one replay. What was done already, or is being done elsewhere, is left alone."""
    with connect(database_url, autocommit=True) as conn:
        locked = conn.execute("SELECT pg_try_advisory_lock(%s, %s)", (LOCK_SPACE, number)).fetchone()
        row = conn.execute(
            "SELECT candidate, starts_at, ends_at FROM replays WHERE replay = %s AND run IS NULL AND failure IS NULL",
            (number,),
        ).fetchone()
        if row is None or locked is None or not locked[0]:
            return
        candidate = msgspec.json.decode(row[0], type=Rulebook)
        try:
            run = replay(database_url, candidate, Span(row[1], row[2]), _note_progress(conn, number))
        except Refusal as refusal:
            conn.execute("UPDATE replays SET failure = %s WHERE replay = %s", (str(refusal), number))
        else:
            conn.execute("UPDATE replays SET run = %s, done = total WHERE replay = %s", (run, number))


def _note_progress(conn: psycopg.Connection[tuple[object, ...]], number: int) -> Callable[[int, int], None]:
    noted = -PROGRESS_EVERY

    def note(done: int, total: int) -> None:
        nonlocal noted
        if done - noted >= PROGRESS_EVERY or done == total:
            conn.execute("UPDATE replays SET done = %s, total = %s WHERE replay = %s", (done, total, number))
            noted = done

    return note
