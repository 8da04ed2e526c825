"""The search for jobs: what waits is sent again, also if its announcement was lost. At rest nothing is searched."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import cast

from dramatiq import Broker
from dramatiq.brokers.stub import StubBroker

from league.application.duties import Connection, Waiter
from league.application.jobs import CHANNEL, LOOK_AGAIN, BrokerOutageLog, JobSearch
from league.application.redis_queue import QueueAlarm

CONNECTION = cast("Connection", None)


class Queue:
    """A queue of which the test says whether jobs wait."""

    broker: Broker = StubBroker()
    queue = "test"
    channels: tuple[str, ...] = (CHANNEL,)
    at_once = 1

    def __init__(self) -> None:
        self.has_waiting, self.searches = False, 0

    def send_unfinished_again(self) -> bool:
        """Send nothing."""
        self.searches += 1
        return self.has_waiting


class Search:
    """A search whose clock the test sets, and which ends when the test says so."""

    def __init__(self) -> None:
        self.queue, self.seconds, self._left = Queue(), 0.0, list[tuple[Future[bool], Callable[[], bool]]]()
        search = JobSearch([self.queue], BrokerOutageLog(self.queue.broker), QueueAlarm())
        now = datetime(2026, 1, 1, tzinfo=UTC)
        self.waiter = Waiter([search.duty], lambda: now, self._start, lambda: self.seconds)

    def _start(self, work: Callable[[], bool]) -> Future[bool]:
        future = Future[bool]()
        self._left.append((future, work))
        return future

    def run(self, seconds: float) -> int:
        """Let time pass. Returns how often the queue was searched in this time."""
        before, ends = self.queue.searches, self.seconds + seconds
        while self.seconds < ends:
            self.step()
            self.seconds += 1
        return self.queue.searches - before

    def step(self, *meanwhile: Callable[[], object]) -> None:
        """Look once. Something may happen between the end of the search and the next look."""
        self.waiter.look(CONNECTION)
        left, self._left = self._left, []
        for future, work in left:
            future.set_result(work())
        for happens in meanwhile:
            happens()


def test_nothing_is_searched_at_rest() -> None:
    """One search at the start, one after a change, and repeated ones while something waits."""
    search = Search()
    assert search.run(1_000) == 1
    search.waiter.told({CHANNEL})
    assert search.run(1_000) == 1
    search.queue.has_waiting = True
    search.waiter.told({CHANNEL})
    assert search.run(100 * LOOK_AGAIN) > 50
    search.queue.has_waiting = False
    search.run(LOOK_AGAIN + 1)
    assert search.run(1_000) == 0


def test_what_is_stored_while_nobody_listens_is_found() -> None:
    """The connection may be lost while a search runs that finds nothing."""
    search = Search()
    search.step(search.waiter.look_at_all)
    assert search.run(2 * LOOK_AGAIN) == 1
