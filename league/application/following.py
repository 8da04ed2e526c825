"""Background work of a served league: following the log, the calendar, and deadlines for confirmations.

The projector folds events as they arrive and runs the calendar, which closes months, signs heads of the log and removes
notices that have run out. A worker decides the matches whose deadline for confirmations has passed. Each of these
processes holds an advisory lock of the database while it works, so that all other processes can see whether it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal
from zoneinfo import ZoneInfo

import psycopg
import structlog
from psycopg import OperationalError

from league.application.bootstrap import League, in_background
from league.application.duties import Duty, keep_duties
from league.application.jobs import WORKING
from league.application.stream_states import StreamStates
from league.audit import head_signing
from league.audit.head_signing import ChainBroken, NewSigningKey
from league.domain.disputes import ConfirmByTime
from league.domain.league import CloseMonth
from league.domain.refusals import Refusal
from league.domain.sentences import Sentence, say
from league.domain.series import bounds, month_of
from league.eventlog.recorder import EVENTS, StoreUnavailable
from league.infra.database import connect, database_time
from league.infra.outages import outages
from league.projections.notices import next_end, remove_ended
from league.projections.projector import ADVISORY_LOCK, AnotherProjector, Projector
from league.projections.runs import CHANNEL as COMMITS

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


def calendar(league: League) -> AbstractContextManager[None]:
    """A context in which the months that have ended are closed, heads signed, and notices that ran out removed."""
    return duties_kept(league, calendar_duties(league))


def duties_kept(league: League, duties: Sequence[Duty]) -> AbstractContextManager[None]:
    """A context in which these duties are done when they are due."""
    return in_background(lambda ended: keep_duties(league.database.url, duties, league.dispatcher.clock, ended.is_set))


def calendar_duties(league: League) -> tuple[Duty, ...]:
    """What the projector does beside the log."""
    return (
        Duty(
            name="close_months",
            due=lambda _: next_end_of_month(league),
            work=partial(close_ended_months, league),
            channels=(EVENTS,),
            refused=(Refusal,),
        ),
        Duty(
            name="sign_head",
            due=partial(next_signing, league),
            work=partial(sign_head_when_due, league),
            channels=(EVENTS,),
            refused=(ChainBroken, NewSigningKey),
        ),
        Duty(name="remove_notices", due=next_end, work=partial(remove_ended_notices, league), channels=(COMMITS,)),
    )


def next_end_of_month(league: League) -> datetime | None:
    """The end of the first month that is to be closed; None while no event has come after such an end."""
    return next((ends_at for _, ends_at in _to_close(league, league.store.newest_time())), None)


def close_ended_months(league: League) -> None:
    """Close the months that have ended since the league was created, except those without a competitive match.

    A month has ended once the newest event and the database's clock are both past its end. Raises StoreUnavailable,
    Refusal.
    """
    for command, _ in _to_close(league, league.store.time_reached()):
        league.dispatcher.send(command, CALENDAR, source="live")


def _to_close(league: League, reached: datetime | None) -> Iterator[tuple[CloseMonth, datetime]]:
    """The commands that close the months which have ended by a time, and the ends of these months."""
    states = StreamStates(league.store, league.dispatcher.clock())
    created = next(iter(states.events("league")), None)
    if created is not None and reached is not None:
        state, zone = states.league(), states.zone()
        # The calendar does not know why an admin reopened a month, so it leaves the month open.
        skipped = state.closed | state.reopened
        for command in months_to_close(created.recorded_at, reached, zone, skipped):
            if states.competed_in(command.month):
                yield command, bounds(command.month, zone)[1]


def next_signing(league: League, conn: psycopg.Connection[Any]) -> datetime | None:
    """When a head is to be signed; None without a key, and while the log has not grown."""
    if league.key is None:
        return None
    with conn.transaction():  # heads are read through a cursor
        return head_signing.due_at(conn, league.key, database_time(conn))


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


# The row stays locked while the command is decided, so that several processes share the due matches.
_TAKE_DUE = """
    SELECT match_id FROM pending_matches WHERE due_at <= %s AND match_id > %s
    ORDER BY match_id LIMIT 1 FOR UPDATE SKIP LOCKED
"""

CLOCK = "clock"
"""The actor of commands that a deadline causes."""


NEXT_DUE = "SELECT min(due_at) FROM pending_matches"


def confirmations(league: League) -> Duty:
    """Deciding the matches whose deadline for confirmations has passed."""
    return Duty(name="confirm_by_time", due=next_deadline, work=partial(confirm_all_due, league), channels=(COMMITS,))


def next_deadline(conn: psycopg.Connection[Any]) -> datetime | None:
    """The next deadline for confirmations; None if no match waits for one."""
    row = conn.execute(NEXT_DUE).fetchone()
    assert row is not None, "an aggregate has a row"
    due: datetime | None = row[0]
    return due


def confirm_all_due(league: League) -> list[str]:
    """Decide the matches that are due now. Returns their ids."""
    with connect(league.database.url) as conn:
        return confirm_due(league, conn, league.dispatcher.clock())


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

LOCKS: dict[Companion, int] = {"projector": ADVISORY_LOCK, "worker": WORKING}

WITHOUT: dict[Companion, Sentence] = {
    "projector": say("nothing folds the log, so boards and ratings stand still: start `league project`"),
    "worker": say("nothing works off jobs, so replays and deadlines wait: start `league worker`"),
}
"""The consequence if no such process runs."""

COMPANIONS_PAUSE = 15.0
"""Seconds between an event of the league and a check, and between two checks. Only a process that is missing in two
successive checks is reported, so a restart is not. The first check comes this long after the start."""

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


class MissingCompanions:
    """Logs each companion that is missing in two successive checks, once. Nothing is checked while nothing happens."""

    def __init__(self, url: str, clock: Callable[[], datetime]) -> None:
        self._url, self._clock = url, clock
        self._missed, self._told = set[Companion](), set[Companion]()
        self._check_from: datetime | None = None
        """When a companion that starts with this process should run."""

    @property
    def duty(self) -> Duty:
        """The checks, as a duty of a server."""
        return Duty(name="companions", due=self._due, work=self.check, channels=(EVENTS,), pause=COMPANIONS_PAUSE)

    def _due(self, conn: psycopg.Connection[Any]) -> datetime | None:
        self._check_from = self._check_from or self._clock() + timedelta(seconds=COMPANIONS_PAUSE)
        return self._check_from if self._missing(conn) else None

    def _missing(self, conn: psycopg.Connection[Any]) -> set[Companion]:
        missing = {name for name, works in companions_of(conn).items() if not works}
        self._missed &= missing
        return missing - self._told

    def check(self) -> None:
        """Log what is missing as in the check before."""
        with connect(self._url, autocommit=True) as conn:
            missing = self._missing(conn)
        for name in sorted(missing & self._missed):
            log.warning("process_missing", name=name, reason=WITHOUT[name])
            self._told.add(name)
        self._missed = missing
