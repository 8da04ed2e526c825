"""Duties: what a process does by itself is done once, never early, never missed. At rest nothing is asked."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, cast

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.errors import DeadlockDetected, QueryCanceled
from structlog.typing import EventDict
from waiting import wait_until

from league.application import duties
from league.application.bootstrap import clock, in_background
from league.application.duties import AWAKE, LONGEST_PAUSE, LONGEST_REST, PAUSE, Connection, Duty, Waiter, keep_duties
from league.infra.database import connect

CHANNEL = "league_test"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class Open:
    """A connection that is not lost, of which nothing is asked."""

    closed = False


CONNECTION = cast("Connection", Open())


class World:
    """A database with one thing to do, its clock, and a waiter whose works end at once or later."""

    def __init__(self, *before: Duty) -> None:
        """`before`: duties that are looked at before it."""
        self.seconds, self.set_ahead = 0.0, timedelta()
        self.due: datetime | None = None
        self.failures, self.asked, self.done = 0, 0, list[datetime]()
        self.failure: Exception = ValueError()
        self.attempts = list[float]()
        self.is_left_undone = False
        self.works_later, self._left = False, list[tuple[Future[bool], Any]]()
        duty = Duty(name="test", due=self._due, work=self._work, channels=(CHANNEL,))
        self.waiter = Waiter([*before, duty], self.now, self._start, lambda: self.seconds)

    def now(self) -> datetime:
        """The time of the database."""
        return BEGAN + timedelta(seconds=self.seconds) + self.set_ahead

    def _due(self, _: object) -> datetime | None:
        self.asked += 1
        return self.due

    def _work(self) -> None:
        self.attempts.append(self.seconds)
        assert self.due is not None, "it is done once"
        assert self.due <= self.now(), "it is not done before its time"
        if self.is_left_undone:
            return
        if self.failures:
            self.failures -= 1
            raise self.failure
        self.done.append(self.due)
        self.due = None

    def _start(self, work: Any) -> Future[bool]:
        future = Future[bool]()
        self._left.append((future, work))
        if not self.works_later:
            self.end_works()
        return future

    def end_works(self) -> None:
        """Let the works that were started end."""
        left, self._left = self._left, []
        for future, work in left:
            future.set_result(work())

    def run(self, seconds: float) -> None:
        """Let time pass, as `keep_duties` does."""
        ends = self.seconds + seconds
        while self.seconds < ends:
            self.waiter.look(CONNECTION)
            self.seconds += min(max(self.waiter.seconds(), 0.001), AWAKE, max(ends - self.seconds, 0.001))
        self.waiter.look(CONNECTION)

    def change(self, due: datetime | None, *, is_told: bool = True) -> None:
        """Something happens, after which it is due then; the notification of it may be lost."""
        self.due = due
        if is_told:
            self.waiter.told({CHANNEL})


STEPS = st.lists(
    st.tuples(
        st.floats(0, 400), st.floats(-100, 1_000), st.booleans(), st.integers(0, 3), st.floats(-500, 500), st.booleans()
    ),
    max_size=8,
)


@given(STEPS)
def test_what_is_due_is_done_once_never_early_and_never_missed(
    steps: list[tuple[float, float, bool, int, float, bool]],
) -> None:
    """This holds whatever is set, told, lost, failing or slow, and when a clock is set, once it is looked at again."""
    world = World()
    changes = 0
    for passes, due_in, is_told, failures, set_by, works_later in steps:
        world.run(passes)
        world.works_later = works_later
        world.failures = failures
        if world.due is None:
            world.change(world.now() + timedelta(seconds=due_in), is_told=is_told)
            changes += 1
        if set_by > 0:
            world.set_ahead += timedelta(seconds=set_by)
            world.waiter.look_at_all()  # the process sees that a clock was set
        world.run(5)
        world.end_works()
    world.waiter.look_at_all()  # it listens again
    world.works_later, world.failures = False, min(world.failures, 2)
    world.end_works()
    world.run(2_000)
    assert world.due is None
    assert len(world.done) == changes


def test_nothing_is_asked_at_rest() -> None:
    """Nor before the time of what is due later; then it is done in that moment."""
    world = World()
    world.run(1)
    assert world.asked == 1
    world.run(600)
    assert world.asked == 1
    world.change(world.now() + timedelta(seconds=500))
    world.run(PAUSE + 1)
    assert world.asked == 2
    world.run(480)
    assert (world.asked, world.done) == (2, [])
    world.run(10)
    assert len(world.done) == 1
    assert abs((BEGAN + timedelta(seconds=world.attempts[0]) - world.done[0]).total_seconds()) < 1


def test_many_changes_lead_to_one_look_in_a_pause() -> None:
    """A busy league is not asked more often than one that changes once in a while."""
    world = World()
    for _ in range(1_000):
        world.waiter.told({CHANNEL})
        world.waiter.told({"another"})
        world.run(0.1)
    assert world.asked <= 100 / PAUSE + 2


def test_a_change_during_the_work_is_looked_at_after_it() -> None:
    """The work may have begun before the change."""
    world = World()
    world.works_later = True
    world.change(world.now())
    world.run(PAUSE + 1)
    world.waiter.told({CHANNEL})
    world.end_works()
    world.run(1)
    asked = world.asked
    world.run(PAUSE)
    assert world.asked == asked + 1


def test_announcements_that_were_lost_during_the_work_are_made_up_for_after_it() -> None:
    """As a change is that was heard of."""
    world = World()
    world.works_later = True
    world.change(world.now())
    world.run(PAUSE + 1)
    world.waiter.look_at_all()
    world.end_works()
    world.run(1)
    asked = world.asked
    world.run(PAUSE)
    assert world.asked == asked + 1


def test_a_duty_that_cannot_be_looked_at_delays_no_other() -> None:
    """It may be too slow. It is looked at again after pauses that grow."""
    looked_at = list[float]()

    def too_slow(_: object) -> datetime:
        looked_at.append(world.seconds)
        raise QueryCanceled

    world = World(Duty(name="slow", due=too_slow, work=lambda: None, channels=(CHANNEL,)))
    world.change(world.now(), is_told=False)
    world.run(1)
    assert len(world.done) == 1
    world.run(200)
    pauses = [after - before for before, after in pairwise(looked_at)]
    assert [round(pause) for pause in pauses] == [10, 20, 40, 60, 60]


def test_an_error_of_the_database_that_is_no_outage_is_logged(logs: list[EventDict]) -> None:
    """A deadlock, say."""
    world = World()
    world.failures, world.failure = 1, DeadlockDetected()
    world.change(world.now())
    world.run(1)
    assert [(one["event"], one["duty"]) for one in logs if "duty" in one] == [("duty_failed", "test")]


def test_what_fails_is_tried_again_after_pauses_that_grow(logs: list[EventDict]) -> None:
    """Up to a limit. Something that is only still due is tried again after the same pause each time."""
    world = World()
    world.failures = 8
    world.change(world.now())
    world.run(1_000)
    pauses = [after - before for before, after in zip(world.attempts, world.attempts[1:], strict=False)]
    assert [pause // 10 * 10 for pause in pauses] == [10, 20, 40, 60, 60, 60, 60, 60]
    assert max(pauses) <= LONGEST_PAUSE + AWAKE
    assert {one["event"] for one in logs if "duty" in one} == {"duty_failed"}


def test_what_stays_due_is_tried_again_after_the_same_pause() -> None:
    """Another process may have taken it, and may die."""
    world = World()
    world.is_left_undone = True
    world.change(world.now())
    world.run(45)
    assert [at // 10 * 10 for at in world.attempts] == [0, 10, 20, 30, 40]


def test_a_clock_of_the_database_that_was_set_delays_nothing_for_longer_than_a_rest() -> None:
    """The process does not notice it if it runs on another machine."""
    world = World()
    world.change(world.now() + timedelta(days=10))
    world.run(PAUSE + 1)
    world.set_ahead = timedelta(days=11)
    world.run(LONGEST_REST)
    assert len(world.done) == 1


# ---------------------------------------------------------------- with a database


class Task:
    """Something to do, of which the test says when it is due."""

    def __init__(self) -> None:
        self.due: datetime | None = None
        self.asked, self.is_done = 0, threading.Event()
        self.duty = Duty(name="test", due=self._due, work=self._work, channels=(CHANNEL,), pause=0.01)

    def _due(self, conn: psycopg.Connection[Any]) -> datetime | None:
        conn.execute("SELECT")
        self.asked += 1
        return self.due

    def _work(self) -> None:
        self.due = None
        self.is_done.set()

    def keep(self, url: str) -> Any:
        """A context in which it is done when it is due."""
        return in_background(lambda ended: keep_duties(url, [self.duty], clock, ended.is_set))


END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.mark.also_on_server
def test_a_notification_wakes_it(database_url: str) -> None:
    """It waits for nothing else."""
    task = Task()
    with task.keep(database_url), connect(database_url, autocommit=True) as conn:
        wait_until(lambda: task.asked == 1)
        task.due = datetime(2026, 1, 1, tzinfo=UTC)
        conn.execute(f"NOTIFY {CHANNEL}")
        wait_until(task.is_done.is_set)


@pytest.mark.also_on_server
def test_a_lost_connection_loses_nothing(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has changed meanwhile is found when the waiter listens again."""
    monkeypatch.setattr(duties, "LISTEN_AGAIN", 0.01)
    task = Task()
    with task.keep(database_url), psycopg.connect(database_url, autocommit=True) as superuser:
        wait_until(lambda: task.asked == 1)
        task.due = datetime(2026, 1, 1, tzinfo=UTC)
        superuser.execute(END_OTHERS)
        wait_until(task.is_done.is_set)


def test_a_clock_that_is_set_is_noticed(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the machine has slept: what has become due meanwhile is done."""
    ahead = [0.0]
    monkeypatch.setattr(duties, "clock_ahead", lambda: ahead[0])
    monkeypatch.setattr(duties, "AWAKE", 0.01)
    task = Task()
    with task.keep(database_url):
        wait_until(lambda: task.asked == 1)
        task.due, ahead[0] = datetime(2026, 1, 1, tzinfo=UTC), 3600.0
        wait_until(task.is_done.is_set)
