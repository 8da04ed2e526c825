"""The monthly series (ToT text): the points between two competitors who met. Functions of plain numbers."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from league.domain.refusals import InvalidInput
from league.domain.rules import Series
from league.domain.sentences import say

# ---------------------------------------------------------------- points


def series_points(wins: int, losses: int, rules: Series) -> int:
    """The series points of the competitor with these wins; the other one holds the negative (ToT text 3).

    `pool * wins / (wins + losses) - pool / 2`, rounded to whole points, half away from zero.
    """
    games = wins + losses
    if games == 0 or games < rules.pool_from_game:
        return 0
    share = rules.pool * (wins - losses)  # in parts of 2 x games
    rounded = (2 * abs(share) + 2 * games) // (4 * games)
    return rounded if share >= 0 else -rounded


def game_points(wins: int, losses: int, rules: Series) -> int:
    """What the games give: as much for a win as a loss takes (ToT text 2)."""
    return rules.game_points * (wins - losses)


def holding(wins: int, losses: int, rules: Series) -> int:
    """All points that a competitor has gained from another one."""
    return series_points(wins, losses, rules) + game_points(wins, losses, rules)


def is_locked(wins: int, losses: int, rules: Series) -> bool:
    """Whether the two have played all games of the month that count (ToT text 2)."""
    return max(wins, losses) >= rules.limit


def stake(wins: int, losses: int, rules: Series) -> int:
    """What the next game decides: how far winning it and losing it lie apart. The same for both; 0 once locked."""
    if is_locked(wins, losses, rules):
        return 0
    return holding(wins + 1, losses, rules) - holding(wins, losses + 1, rules)


# ---------------------------------------------------------------- months

NO_MONTH = say("{month!r} is not a month; an example is 2026-03")


def month_of(time: datetime, zone: ZoneInfo) -> str:
    """The calendar month of a time where the league is: `2026-03`."""
    local = time.astimezone(zone)
    return f"{local.year:04}-{local.month:02}"


def months_around(month: str) -> tuple[str, str, str]:
    """The month before, the month, and the one after: the clocks of no two time zones lie further apart."""
    number = 12 * int(month[:4]) + int(month[5:]) - 1
    before, same, after = (f"{n // 12:04}-{n % 12 + 1:02}" for n in (number - 1, number, number + 1))
    return before, same, after


def bounds(month: str, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When a month begins, and when the next one does; in UTC. Raises InvalidInput for a text that is not a month."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}", month) is None:
        raise InvalidInput("month", say(NO_MONTH, month=month))
    year, number = int(month[:4]), int(month[5:])
    try:
        begins = datetime(year, number, 1, tzinfo=zone)
        ends = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=zone)
        return begins.astimezone(UTC), ends.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput("month", say(NO_MONTH, month=month)) from None
