"""The calendar of the league: months that end while it lives are closed, each once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import psycopg
import pytest
from leagues import UNGUARDED, announced, at, catch_up, league_at, official, reading, send
from msgspec.structs import replace

from league.application.bootstrap import League
from league.application.dispatch import Dispatcher
from league.application.following import CALENDAR, close_ended_months, next_end_of_month
from league.application.following import months_to_close as decided
from league.domain.league import ChangeSettings, CloseEndedMonths, CloseMonth, MonthClosed, ReopenMonth
from league.domain.match import OpenMatch
from league.domain.player import RenamePlayer
from league.domain.refusals import WrongState
from league.domain.series import bounds, month_of
from league.domain.wrong_states import MonthIsEmpty, NothingToClose
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.projections.queries.series import months

HAVANA = ZoneInfo("America/Havana")


def closing(created: datetime, now: datetime, closed: frozenset[str] = frozenset()) -> list[str]:
    return [command.month for command in decided(created, now, HAVANA, closed)]


def test_a_month_is_closed_when_it_ends_where_the_league_is() -> None:
    """It is not closed a microsecond before, with or without daylight saving."""
    created, ends = datetime(2026, 2, 10, tzinfo=UTC), datetime(2026, 3, 1, 5, tzinfo=UTC)
    assert closing(created, ends - timedelta(microseconds=1)) == []
    assert closing(created, ends) == ["2026-02"]
    assert closing(created, datetime(2026, 4, 1, 4, tzinfo=UTC)) == ["2026-02", "2026-03"]


def test_only_what_is_open_is_closed() -> None:
    """Months that an admin closed stay closed; months before the league's creation are left to an admin."""
    created, now = datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    assert closing(created, now, frozenset({"2026-01"})) == ["2025-12", "2026-02"]


def test_a_month_is_due_when_an_event_is_past_its_end(league_url: str) -> None:
    """Not before, though its end has passed: an event wakes the calendar. It is not due again."""
    with league_at(league_url) as league:
        ago = timedelta(days=62)
        assert next_end_of_month(league) is None
        send(league, replace(COMPETES, played_at=datetime.now(UTC) - ago))
        date_otherwise(league, -ago)
        assert next_end_of_month(league) is None
        send(league, RenamePlayer("ana", "Anita"))
        assert next_end_of_month(league) == bounds(month_of(datetime.now(UTC) - ago, HAVANA), HAVANA)[1]
        close_ended_months(league)
        assert next_end_of_month(league) is None


COMPETES = OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea"))


def date_otherwise(league: League, by: timedelta, after: int = 0) -> None:
    """Date the events after a position earlier or later, as a clock that was wrong would have."""
    with psycopg.connect(league.database.url) as superuser:
        superuser.execute(UNGUARDED)
        superuser.execute("UPDATE stored_events SET recorded_at = recorded_at + %s WHERE position > %s", [by, after])


def closings(league: League) -> list[LoggedEvent]:
    return [stored for stored in league.store.load("league") if stored.name == "month-closed/1"]


@pytest.mark.also_on_server
def test_the_running_league_closes_its_months_once(league_url: str) -> None:
    """When the newest event is past the end of a month; a second look finds nothing to do, nor in an empty month."""
    with league_at(league_url) as league:
        ago = timedelta(days=62)
        send(league, replace(COMPETES, played_at=datetime.now(UTC) - ago))
        date_otherwise(league, -ago)
        close_ended_months(league)
        assert closings(league) == [], "no event is past the end of the month, though the clock is"
        send(league, RenamePlayer("ana", "Anita"))
        close_ended_months(league)
        head = league.store.head()
        close_ended_months(league)
        (event,) = closings(league)
        assert (event.actor, event.position) == (CALENDAR, head)
        assert event.event == MonthClosed(month_of(datetime.now(UTC) - ago, HAVANA))


@pytest.mark.also_on_server
def test_a_clock_that_runs_ahead_closes_no_month(league_url: str) -> None:
    """This holds for the program's clock and for the newest event's time, and for an admin as well."""
    with league_at(league_url) as league:
        send(league, COMPETES)
        ahead = replace(league, dispatcher=Dispatcher(league.store, lambda: datetime.now(UTC) + timedelta(days=400)))
        close_ended_months(ahead)
        assert closings(league) == []
        date_otherwise(league, timedelta(days=400), league.store.head() - 1)
        close_ended_months(ahead)
        with pytest.raises(WrongState, match="not over"):
            ahead.dispatcher.send(CloseMonth(month_of(datetime.now(UTC), HAVANA)), "admin")
        assert closings(league) == []


def test_the_calendar_leaves_a_reopened_month_open(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """An admin closes it again."""
    send(league, COMPETES)
    month = month_of(datetime.now(UTC), HAVANA)
    _, ends_at = bounds(month, HAVANA)
    monkeypatch.setattr(EventStore, "time_reached", lambda _: ends_at)
    close_ended_months(league)
    send(league, ReopenMonth(month))
    close_ended_months(league)
    assert len(closings(league)) == 1
    send(league, CloseMonth(month))
    assert len(closings(league)) == 2


@pytest.mark.parametrize(
    ("zones", "began_at", "month", "emptied"),
    [
        (["Europe/Madrid"], datetime(2026, 4, 1, 3, 30, tzinfo=UTC), "2026-04", "2026-03"),
        (["Europe/Madrid", "America/Havana"], datetime(2026, 4, 1, 3, 30, tzinfo=UTC), "2026-03", "2026-04"),
        (["America/Anchorage"], datetime(2026, 1, 1, 6, tzinfo=UTC), "2025-12", "2026-01"),
    ],
)
def test_after_a_move_the_months_are_those_of_the_new_time_zone(
    league: League, zones: list[str], began_at: datetime, month: str, emptied: str
) -> None:
    """The month in which the only match counts now is closed; the one that it left is empty."""
    send(league, announced("m1", ("ana", "bea"), (began_at - at(0)) / timedelta(hours=1)))
    for zone in zones:
        send(league, ChangeSettings(time_zone=zone))
    catch_up(league)
    with reading(league.database.url) as snapshot:
        listed = [row.month for row in snapshot.conn.execute(months(official(league.database.url)))]
    send(league, CloseEndedMonths())
    assert [stored.event for stored in closings(league)] == [MonthClosed(month)]
    assert listed == [month]
    with pytest.raises(NothingToClose):
        send(league, CloseEndedMonths())
    with pytest.raises(MonthIsEmpty):
        send(league, CloseMonth(emptied))
