"""The present by the clock of the database, without a question to it each time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from league.eventlog.recorder import StoreUnavailable

Clock = Callable[[], datetime]

ASK_AGAIN = timedelta(seconds=10)


class DatabaseClock:
    """What the clock says that dates the events, so that a process whose own clock is wrong decides as all others do.

    Between two questions it goes on with the process's clock. Safe to share between threads.
    """

    def __init__(self, ask: Clock, own: Clock) -> None:
        """`ask` asks the database (`EventStore.now`); `own` is the clock of this process. Both in UTC."""
        self._ask, self._own = ask, own
        self._known: tuple[datetime, timedelta] | None = None
        """When it was asked, by the own clock, and how far the database was ahead of that."""

    def __call__(self) -> datetime:
        """Now, in UTC. Raises StoreUnavailable if the database was never reached."""
        now, known = self._own(), self._known
        # An own clock that was set has jumped.
        if known is None or not known[0] <= now < known[0] + ASK_AGAIN:
            try:
                known = self._known = self._compared()
            except StoreUnavailable:
                if known is None:
                    raise
        return self._own() + known[1]

    def _compared(self) -> tuple[datetime, timedelta]:
        before = self._own()
        says = self._ask().astimezone(UTC)
        after = self._own()
        return after, says - before - (after - before) / 2
