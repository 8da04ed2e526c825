"""Stored times come from the clock of the database, whatever the clock of a process says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from leagues import league_at

from league.application import bootstrap
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import ASK_AGAIN, DatabaseClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clocks:
    """The clock of a database, and that of a process, which is off by some time."""

    def __init__(self, off: timedelta = timedelta(0)) -> None:
        self.true, self.off, self.asked, self.is_away = NOON, off, 0, False
        self.clock = DatabaseClock(self.database, lambda: self.true + self.off)

    def database(self) -> datetime:
        """The answer of the database."""
        if self.is_away:
            raise StoreUnavailable("away")
        self.asked += 1
        return self.true


@pytest.mark.parametrize("days", [-400, 0, 400])
def test_it_says_what_the_database_says(days: int) -> None:
    """It asks once for a while, and goes on with the process's clock meanwhile."""
    clocks = Clocks(timedelta(days=days))
    assert clocks.clock() == NOON
    clocks.true += ASK_AGAIN / 2
    assert clocks.clock() == clocks.true
    assert clocks.asked == 1
    clocks.true += ASK_AGAIN
    assert clocks.clock() == clocks.true
    assert clocks.asked == 2


@pytest.mark.parametrize("jump", [timedelta(days=400), timedelta(minutes=-1)])
def test_it_notices_that_the_own_clock_was_set(jump: timedelta) -> None:
    """Ahead or back."""
    clocks = Clocks()
    clocks.clock()
    clocks.off += jump
    assert clocks.clock() == NOON
    assert clocks.asked == 2


def test_it_goes_on_while_the_database_is_away() -> None:
    """It goes on with the last known difference; if it never reached the database, it raises."""
    clocks = Clocks(timedelta(days=400))
    clocks.is_away = True
    with pytest.raises(StoreUnavailable):
        clocks.clock()
    clocks.is_away = False
    clocks.clock()
    clocks.is_away = True
    clocks.true += 2 * ASK_AGAIN
    assert clocks.clock() == clocks.true


@pytest.mark.also_on_server
@pytest.mark.parametrize("days", [-400, 400])
def test_a_process_whose_clock_is_wrong_decides_by_the_database(
    league_url: str, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """Its commands, and the deadlines of matches that await confirmation."""
    monkeypatch.setattr(bootstrap, "clock", lambda: datetime.now(UTC) + timedelta(days=days))
    with league_at(league_url) as league:
        assert abs(league.dispatcher.clock() - league.store.now()) < timedelta(minutes=1)
