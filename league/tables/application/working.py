"""What `league worker` does for live tables."""

from contextlib import AbstractContextManager
from functools import partial

from league.application.bootstrap import League, in_background
from league.tables.application.clock_keeper import keep_clock


def working(league: League) -> AbstractContextManager[None]:
    """Inside this context the worker keeps the clock of live tables."""
    return in_background(partial(keep_clock, league))
