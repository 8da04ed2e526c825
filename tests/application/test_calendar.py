"""The calendar of the league: months that end while it lives are closed, each once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from leagues import empty_league, send, small_league
from msgspec.structs import replace
from psycopg import OperationalError
from structlog.testing import capture_logs
from waiting import LIMIT

from league.application import calendar
from league.application.bootstrap import League
from league.application.calendar import CALENDAR, close_ended_months
from league.application.calendar import months_to_close as decided
from league.application.dispatch import Dispatcher
from league.audit.head_signing import ChainBroken
from league.domain.match import OpenMatch
from league.domain.series import bounds, month_of

HAVANA = ZoneInfo("America/Havana")


def closing(created: datetime, now: datetime, closed: frozenset[str] = frozenset()) -> list[str]:
    return [command.month for command in decided(created, now, HAVANA, closed)]


def test_a_month_is_closed_when_it_ends_where_the_league_is() -> None:
    """Not a microsecond before; with daylight saving or without it."""
    created, ends = datetime(2026, 2, 10, tzinfo=UTC), datetime(2026, 3, 1, 5, tzinfo=UTC)
    assert closing(created, ends - timedelta(microseconds=1)) == []
    assert closing(created, ends) == ["2026-02"]
    assert closing(created, datetime(2026, 4, 1, 4, tzinfo=UTC)) == ["2026-02", "2026-03"]


def test_only_what_is_open_is_closed() -> None:
    """What an admin has closed stays; months before the league's life are an admin's affair."""
    created, now = datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    assert closing(created, now, frozenset({"2026-01"})) == ["2025-12", "2026-02"]


@pytest.mark.parametrize("error", [ValueError("?"), ChainBroken(7), OperationalError("away")])
def test_the_calendar_goes_on_whatever_fails(
    error: Exception, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a month that cannot be closed nor a head that cannot be signed ends it."""
    looked, enough = list[str](), threading.Event()

    def failing(what: str) -> Callable[[League], None]:
        def fail(_: League) -> None:
            looked.append(what)
            if len(looked) >= 6:
                enough.set()
            raise error

        return fail

    monkeypatch.setattr(calendar, "CALENDAR_PAUSE", 0.001)
    monkeypatch.setattr(calendar, "close_ended_months", failing("months"))
    monkeypatch.setattr(calendar, "sign_head_when_due", failing("heads"))
    with capture_logs(), empty_league(database_url) as league, calendar.calendar(league):
        assert enough.wait(LIMIT)
    assert looked[:6] == ["months", "heads"] * 3


@pytest.mark.also_on_server
def test_the_running_league_closes_its_months_once(database_url: str) -> None:
    """When the month of its founding is over; a second look finds nothing to do, nor does one at an empty month."""
    with small_league(database_url) as league:
        send(league, OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea")))
        _, ends_at = bounds(month_of(datetime.now(UTC), HAVANA), HAVANA)
        later: League = replace(league, dispatcher=Dispatcher(league.store, lambda: ends_at))
        close_ended_months(later)
        head = league.store.head()
        close_ended_months(later)
        _, next_ends_at = bounds(month_of(ends_at, HAVANA), HAVANA)
        close_ended_months(replace(league, dispatcher=Dispatcher(league.store, lambda: next_ends_at)))
        (event,) = [stored for stored in league.store.load("league") if stored.name == "month-closed/1"]
        assert (event.actor, event.position) == (CALENDAR, head)
