"""What the league does of its own accord, as pure functions: whenever this is so, then that command."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from league.domain.league import CloseMonth
from league.domain.series import bounds, month_of


def close_ended_months(
    created_at: datetime, now: datetime, zone: ZoneInfo, closed: frozenset[str]
) -> Iterator[CloseMonth]:
    """Whenever a month of the league's life has ended, close it.

    Months before the league was created come by imports, which may take several; an admin closes those.
    """
    month = month_of(created_at, zone)
    _, ends_at = bounds(month, zone)
    while ends_at <= now:
        if month not in closed:
            yield CloseMonth(month)
        month = month_of(ends_at, zone)
        _, ends_at = bounds(month, zone)
