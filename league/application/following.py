"""Follows the log: a process that projects events as they arrive, and runs the calendar beside it."""

import time
from collections.abc import Callable
from contextlib import suppress

import structlog
from psycopg import OperationalError

from league.application.bootstrap import League
from league.application.calendar import calendar
from league.eventlog.recorder import StoreUnavailable
from league.infra.outages import outages
from league.projections.projector import AnotherProjector, Projector

SHORTEST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds between two attempts of a projector that fails."""

log = structlog.get_logger()


def follow(league: League, stop: Callable[[], bool]) -> None:
    """Project events as they arrive, until `stop()` returns true. Waits while another process does it.

    After a failure, which is logged, it retries with increasing pauses.
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
            # A failure at another position is a new one.
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
