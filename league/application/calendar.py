"""The calendar: scheduled tasks of the league. It closes months and signs heads of the log."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from zoneinfo import ZoneInfo

import structlog
from psycopg import OperationalError

from league.application.background import in_background
from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.audit import head_signing
from league.audit.head_signing import ChainBroken, NewKey
from league.domain.league import CloseMonth
from league.domain.refusals import Refusal
from league.domain.series import bounds, month_of
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect, database_time
from league.infra.outages import outages

CALENDAR = "calendar"
"""The actor of the calendar's commands."""
CALENDAR_PAUSE = 10.0
"""Seconds between two runs of the calendar."""

log = structlog.get_logger()


def calendar(league: League) -> AbstractContextManager[None]:
    """Inside this context, close the months that have ended and sign heads of the log."""

    def watch(ended: threading.Event) -> None:
        while not ended.wait(CALENDAR_PAUSE):
            try:
                close_ended_months(league)
            except (StoreUnavailable, Refusal) as error:
                if not outages.note(error):
                    log.warning("calendar_put_off", error=str(error))
            except Exception:
                log.exception("calendar_failed")
            try:
                sign_head_when_due(league)
            except (OperationalError, ChainBroken, NewKey) as error:
                if not outages.note(error):
                    log.warning("head_not_signed", error=str(error))
            except Exception:
                log.exception("head_not_signed")

    return in_background(watch)


def close_ended_months(league: League) -> None:
    """Close the months that have ended since the league was created, except those without a competitive match.

    A month has ended when both the newest event and the database's clock are past its end. Raises
    StoreUnavailable, Refusal.
    """
    states = StreamStates(league.store, league.dispatcher.clock())
    created = next(iter(states.events("league")), None)
    if created is not None:
        state = states.league()
        # An admin reopened a month for a reason that the calendar does not know.
        kept = state.closed | state.reopened
        for command in months_to_close(created.recorded_at, states.time_reached(), states.zone(), kept):
            if states.competed_in(command.month):
                league.dispatcher.send(command, CALENDAR, source="live")


def sign_head_when_due(league: League) -> None:
    """Sign a head if there is a key and the last head is old. Raises ChainBroken, NewKey."""
    if league.key is not None:
        with connect(league.database.url) as conn:
            due = head_signing.is_due(conn, league.key, database_time(conn))
        if due:
            league.sign_head()


def months_to_close(
    created_at: datetime, reached: datetime, zone: ZoneInfo, kept: frozenset[str]
) -> Iterator[CloseMonth]:
    """The commands that close the months which have ended since the league was created, except those `kept`.

    Earlier months are filled by imports, and more may follow: an admin closes those.
    """
    month = month_of(created_at, zone)
    _, ends_at = bounds(month, zone)
    while ends_at <= reached:
        if month not in kept:
            yield CloseMonth(month)
        month = month_of(ends_at, zone)
        _, ends_at = bounds(month, zone)
