"""Background work of a served league: following the log, the calendar, and deadlines for confirmations.

The projector folds events as they arrive and runs the calendar, which closes months, signs heads of the log and removes
notices that have run out. A worker decides the matches whose deadline for confirmations has passed. Each of these
processes holds an advisory lock of the database while it works, so that all other processes can see whether it runs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import psycopg
import structlog
from msgspec import Struct
from psycopg import OperationalError

from league.application.bootstrap import League, in_background
from league.application.stream_states import StreamStates
from league.audit import head_signing
from league.audit.head_signing import ChainBroken, NewSigningKey
from league.domain.disputes import ConfirmByTime
from league.domain.league import CloseMonth
from league.domain.refusals import Refusal
from league.domain.sentences import Sentence, say
from league.domain.series import bounds, month_of
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect, database_time
from league.infra.outages import outages
from league.projections.notices import remove_ended
from league.projections.projector import ADVISORY_LOCK, AnotherProjector, Projector

SHORTEST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Longest pause between two attempts of a failing projector, in seconds."""

log = structlog.get_logger()


def follow(league: League, stop: Callable[[], bool]) -> None:
    """Project events as they arrive, until `stop()` returns true. Waits while another process projects.

    Logs a failure and retries; the pauses grow while it fails at the same position.
    """
    pause, failed_at = SHORTEST_PAUSE, None
    while not stop():
        try:
            with Projector(league.database.url, league.store) as projector, calendar(league):
                projector.follow(stop)
            continue
        except AnotherProjector:
            pause = SHORTEST_PAUSE
        except (StoreUnavailable, OperationalError) as error:
            outages.note(error)
            pause = SHORTEST_PAUSE
        except Exception:
            position = _reached(league)
            # A failure at another position is a new failure.
            pause = min(2 * pause, LONGEST_PAUSE) if position == failed_at else SHORTEST_PAUSE
            failed_at = position
            log.exception("projector_failed", position=position, pause=pause)
        _wait(pause, stop)


def _reached(league: League) -> int | None:
    with suppress(OperationalError):
        return league.reached()
    return None


def _wait(seconds: float, stop: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not stop():
        time.sleep(0.1)


# ---------------------------------------------------------------- the calendar


CALENDAR = "calendar"
"""The actor of the calendar's commands."""
CALENDAR_PAUSE = 10.0
"""Seconds between two runs of the calendar."""


def calendar(league: League) -> AbstractContextManager[None]:
    """A context in which a thread closes the months that have ended, signs heads, and removes notices that ran out."""

    def watch(ended: threading.Event) -> None:
        while not ended.wait(CALENDAR_PAUSE):
            for task in _CALENDAR_TASKS:
                task.carry_out(league)

    return in_background(watch)


class _CalendarTask(Struct, frozen=True):
    """A task of the calendar. The next run tries again what failed."""

    work: Callable[[League], object]
    refused: tuple[type[Exception], ...]
    """The errors that need no traceback in the log."""
    put_off: str
    """The log's name of such an error."""
    failed: str
    """The log's name of any other error."""

    def carry_out(self, league: League) -> None:
        """Do the work, and log an error."""
        try:
            self.work(league)
        except self.refused as error:
            if not outages.note(error):
                log.warning(self.put_off, error=str(error))
        except Exception:
            log.exception(self.failed)


def close_ended_months(league: League) -> None:
    """Close the months that have ended since the league was created, except those without a competitive match.

    A month has ended once the newest event and the database's clock are both past its end. Raises StoreUnavailable,
    Refusal.
    """
    states = StreamStates(league.store, league.dispatcher.clock())
    created = next(iter(states.events("league")), None)
    if created is not None:
        state = states.league()
        # The calendar does not know why an admin reopened a month, so it leaves the month open.
        skipped = state.closed | state.reopened
        for command in months_to_close(created.recorded_at, states.store.time_reached(), states.zone(), skipped):
            if states.competed_in(command.month):
                league.dispatcher.send(command, CALENDAR, source="live")


def sign_head_when_due(league: League) -> None:
    """Sign a head if the league has a key and a head is due. Raises ChainBroken, NewSigningKey."""
    if league.key is not None:
        with connect(league.database.url) as conn:
            due = head_signing.is_due(conn, league.key, database_time(conn))
        if due:
            league.sign_head()


def remove_ended_notices(league: League, now: datetime | None = None) -> int:
    """Remove the notices that have run out by `now`, or by the database's clock. Returns how many there were."""
    with connect(league.database.url, autocommit=True) as conn:
        return remove_ended(conn, now or database_time(conn))


_CALENDAR_TASKS = (
    _CalendarTask(close_ended_months, (StoreUnavailable, Refusal), "calendar_put_off", "calendar_failed"),
    _CalendarTask(
        sign_head_when_due, (OperationalError, ChainBroken, NewSigningKey), "head_not_signed", "head_not_signed"
    ),
    _CalendarTask(remove_ended_notices, (OperationalError,), "notices_not_removed", "notices_not_removed"),
)


def months_to_close(
    created_at: datetime, reached: datetime, zone: ZoneInfo, skipped: frozenset[str]
) -> Iterator[CloseMonth]:
    """The commands that close the months which have ended since the league was created, except the `skipped` ones.

    Months before the league was created are filled by imports, and more imports may follow. An admin closes them.
    """
    month = month_of(created_at, zone)
    _, ends_at = bounds(month, zone)
    while ends_at <= reached:
        if month not in skipped:
            yield CloseMonth(month)
        month = month_of(ends_at, zone)
        _, ends_at = bounds(month, zone)


# ---------------------------------------------------------------- deadlines of confirmations


DEADLINES_PAUSE = 30.0
"""Seconds between two searches for due matches."""

# The row stays locked while the command is decided, so that several processes share the due matches.
_TAKE_DUE = """
    SELECT match_id FROM pending_matches WHERE due_at <= %s AND match_id > %s
    ORDER BY match_id LIMIT 1 FOR UPDATE SKIP LOCKED
"""

CLOCK = "clock"
"""The actor of commands that a deadline causes."""


def watch_confirmation_deadlines(league: League, ended: threading.Event) -> None:
    """Decide matches whose deadline for confirmations has passed, until `ended` is set. Failures do not end it."""
    while not ended.is_set():
        try:
            with connect(league.database.url) as conn:
                confirm_due(league, conn, league.dispatcher.clock())
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
        except Exception:
            log.exception("confirmations_failed")
        ended.wait(DEADLINES_PAUSE)


def confirm_due(league: League, conn: psycopg.Connection[Any], now: datetime) -> list[str]:
    """Decide the matches that are due at this time and that no other process is deciding. Returns their ids.

    A row may be behind the log. The decider then refuses, and a later search no longer finds the row.
    """
    decided: list[str] = []
    match = ""
    while True:
        with conn.transaction():
            row = conn.execute(_TAKE_DUE, (now, match)).fetchone()
            if row is None:
                return decided
            match = row[0]
            try:
                league.dispatcher.send(ConfirmByTime(match), CLOCK)
            except Refusal as refusal:
                log.debug("confirmation_not_due", match=match, error=refusal.sentence)
            else:
                decided.append(match)


# ---------------------------------------------------------------- companions: the processes that a served league needs


Companion = Literal["projector", "worker"]

WORKING = 7_120_435_000
"""The advisory lock that all workers share."""

LOCKS: dict[Companion, int] = {"projector": ADVISORY_LOCK, "worker": WORKING}

WITHOUT: dict[Companion, Sentence] = {
    "projector": say("nothing folds the log, so boards and ratings stand still: start `league project`"),
    "worker": say("nothing works off jobs, so replays and deadlines wait: start `league worker`"),
}
"""The consequence if no such process runs."""

COMPANIONS_PAUSE = 15.0
"""Seconds between two checks. Only a process that is missing in two checks is reported, so a restart is not."""

LOCK_IS_HELD = """
    SELECT EXISTS (
        SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
            AND classid = %(key)s >> 32 AND objid = %(key)s & x'ffffffff'::bigint
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
"""


def companions_of(conn: psycopg.Connection[Any]) -> dict[Companion, bool]:
    """Whether a process of each kind runs now."""
    return {name: conn.execute(LOCK_IS_HELD, {"key": key}).fetchone() == (True,) for name, key in LOCKS.items()}


def be_seen_working(url: str, ended: threading.Event) -> None:
    """Hold the lock of workers until `ended` is set; take it again after an outage."""
    while not ended.is_set():
        with suppress(psycopg.OperationalError), connect(url, autocommit=True) as conn:
            conn.execute("SELECT pg_advisory_lock_shared(%s)", (WORKING,))
            while not ended.wait(COMPANIONS_PAUSE / 3):
                conn.execute("SELECT")
        ended.wait(1)


def tell_of_missing_companions(url: str, ended: threading.Event) -> None:
    """Until `ended` is set, log each companion that is missing in two successive checks, once."""
    missed, told = set[Companion](), set[Companion]()
    while not ended.wait(COMPANIONS_PAUSE):
        try:
            with connect(url, autocommit=True) as conn:
                missing = {name for name, works in companions_of(conn).items() if not works}
        except psycopg.OperationalError as error:
            outages.note(error)
            continue
        for name in sorted(missing & missed - told):
            log.warning("process_missing", name=name, reason=WITHOUT[name])
            told.add(name)
        missed = missing
