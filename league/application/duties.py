"""Duties: what a process does by itself when its time has come. One waiter serves all duties of a process.

A duty says when it is due. The waiter sleeps until the earliest of these times, or until the database announces a
change after which a duty may be due earlier; in between it asks the database nothing. A waiter that loses its
connection opens another one every second until it listens again, and then looks at all duties, because announcements
may have been lost.
"""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import Any

import psycopg
import structlog
from msgspec import Struct

from league.infra.database import connect, heard
from league.infra.outages import outages

Connection = psycopg.Connection[Any]

PAUSE = 10.0
"""Seconds from a change to a look at the duty. A busy league is asked no more often than this."""
LONGEST_PAUSE = 60.0
"""Longest pause in seconds before a duty that fails, or stays due, is tried again."""
LONGEST_REST = 3600.0
"""Seconds after which a duty is looked at in any case: the clock of the database may have been set."""
LISTEN_AGAIN = 1.0
"""Seconds between two attempts to listen."""
AWAKE = 1.0
"""Longest wait in seconds before the waiter asks its own process whether to stop. It asks the database nothing then."""
CLOCK_SET = 1.0
"""If this machine's clock moves against its monotonic clock by more seconds than this, somebody has set it."""

log = structlog.get_logger()


class Duty(Struct, frozen=True, kw_only=True):
    """Something that must happen by itself."""

    name: str
    """Its name in the log."""
    due: Callable[[Connection], datetime | None]
    """When it must be done next. None: not before something happens. It only reads."""
    work: Callable[[], object]
    """Does what is due. It runs in a thread, and may find that another process has done it."""
    channels: tuple[str, ...]
    """The channels that announce every change after which it may be due earlier than it said."""
    told: Callable[[], object] | None = None
    """Called at once when one of these channels announces a change. It must not block."""
    refused: tuple[type[Exception], ...] = ()
    """Errors of `work` that need no traceback in the log."""
    pause: float = PAUSE
    """Seconds from a change to a look at it, and to the next attempt if it stays due. It grows while attempts fail."""


class _Plan:
    """What the waiter knows of a duty. Times are of the monotonic clock."""

    def __init__(self, duty: Duty) -> None:
        self.duty = duty
        self.look_at = 0.0
        """When to ask whether it is due."""
        self.news_at: float | None = None
        """When to look at it because of a change, if there was one since the last look."""
        self.changed_meanwhile = False
        """Whether there was a change since the running work began. The work may not have seen it."""
        self.not_before = 0.0
        """When it may be tried again."""
        self.failures = 0
        """How often it has failed in a row."""
        self.running: Future[bool] | None = None

    def tried(self, now: float, *, succeeded: bool) -> None:
        """Look at it again at once. If it is due even so, it waits for a pause, which grows while it fails."""
        self.failures = 0 if succeeded else self.failures + 1
        grown = self.duty.pause * 2 ** min(max(self.failures - 1, 0), 10)
        if self.changed_meanwhile:
            self.news_at, self.changed_meanwhile = now + self.duty.pause, False
        self.look_at, self.not_before = now, now + max(min(grown, LONGEST_PAUSE), self.duty.pause)


class Waiter:
    """Decides when the duties of a process are looked at and done."""

    def __init__(
        self,
        duties: Sequence[Duty],
        clock: Callable[[], datetime],
        start: Callable[[Callable[[], bool]], Future[bool]],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` is that of the database. `start` runs a work beside the waiter. `timer` is a monotonic clock."""
        self._plans = [_Plan(duty) for duty in duties]
        self._clock, self._start, self._timer = clock, start, timer

    @property
    def channels(self) -> list[str]:
        """The channels to listen to."""
        return sorted({channel for plan in self._plans for channel in plan.duty.channels})

    def seconds(self) -> float:
        """Seconds until a duty must be looked at; 0 if one must be looked at now."""
        waiting = [plan.look_at for plan in self._plans if plan.running is None]
        return max(min(waiting, default=self._timer() + LONGEST_REST) - self._timer(), 0.0)

    def look_at_all(self) -> None:
        """Look at all duties the next time: announcements may have been lost, or a clock was set."""
        for plan in self._plans:
            plan.look_at, plan.changed_meanwhile = self._timer(), plan.running is not None

    def told(self, channels: Collection[str]) -> None:
        """Something has changed."""
        for plan in self._plans:
            if not set(plan.duty.channels).isdisjoint(channels):
                if plan.duty.told is not None:
                    plan.duty.told()
                soon = self._timer() + plan.duty.pause
                plan.changed_meanwhile = plan.running is not None
                plan.news_at = soon if plan.news_at is None else plan.news_at
                plan.look_at, plan.not_before = min(plan.look_at, plan.news_at), min(plan.not_before, soon)

    def look(self, conn: Connection) -> None:
        """Start what is due now. Raises the error of the database if the connection is lost."""
        for plan in self._plans:
            if plan.running is not None and plan.running.done():
                plan.tried(self._timer(), succeeded=plan.running.result())
                plan.running = None
            if plan.running is None and self._timer() >= plan.look_at:
                self._look_at(plan, conn)

    def _look_at(self, plan: _Plan, conn: Connection) -> None:
        now = self._timer()
        if plan.news_at is not None and plan.news_at <= now:
            plan.news_at = None
        try:
            due = plan.duty.due(conn)
            seconds = None if due is None else (due - self._clock()).total_seconds()
        except Exception as error:
            if conn.closed:
                raise
            if not outages.note(error):
                log.exception("duty_failed", duty=plan.duty.name)
            plan.tried(now, succeeded=False)
            plan.look_at = plan.not_before
            return
        if seconds is None or seconds > 0:
            plan.failures, plan.not_before = 0, now
            rest = now + min(LONGEST_REST if seconds is None else seconds, LONGEST_REST)
            plan.look_at = rest if plan.news_at is None else min(rest, plan.news_at)
        elif now < plan.not_before:
            plan.look_at = plan.not_before
        else:
            plan.running = self._start(lambda: _do(plan.duty))


def _do(duty: Duty) -> bool:
    """Do a duty. Logs a failure. Returns whether it succeeded."""
    try:
        duty.work()
    except duty.refused as error:
        log.warning("duty_put_off", duty=duty.name, error=str(error))
    except Exception as error:
        if not outages.note(error):
            log.exception("duty_failed", duty=duty.name)
    else:
        return True
    return False


def keep_duties(
    url: str,
    duties: Sequence[Duty],
    clock: Callable[[], datetime],
    stop: Callable[[], bool],
    prepare: Iterable[str] = (),
) -> None:
    """Do what is due until `stop()` returns true. Waits for work in progress then.

    `clock` is that of the database. `prepare`: statements for each new connection of the waiter.
    """
    with ThreadPoolExecutor(max(len(duties), 1), "duty") as threads:
        waiter = Waiter(duties, clock, threads.submit)
        while not stop():
            try:
                with connect(url, autocommit=True) as conn:
                    for statement in (*prepare, *(f"LISTEN {channel}" for channel in waiter.channels)):
                        conn.execute(statement)
                    _keep(waiter, conn, stop)
            except Exception as error:
                if not outages.note(error):
                    log.exception("duties_not_kept")
            if not stop():
                time.sleep(LISTEN_AGAIN)


def _keep(waiter: Waiter, conn: Connection, stop: Callable[[], bool]) -> None:
    waiter.look_at_all()
    before = clock_ahead()
    while not stop():
        waiter.look(conn)
        if channels := heard(conn, min(waiter.seconds(), AWAKE)):
            waiter.told(channels)
        if abs(clock_ahead() - before) > CLOCK_SET:  # it was set, or the machine has slept
            before = clock_ahead()
            waiter.look_at_all()


def clock_ahead() -> float:
    """How far this machine's clock is ahead of its monotonic clock, in seconds."""
    return time.time() - time.monotonic()
