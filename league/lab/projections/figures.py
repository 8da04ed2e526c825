"""What ratings under other rules come to, by month: forecasts against results, and the drift of the mean."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain.series import bounds, month_of
from league.lab.projections.columns import EPOCH, MICROSECOND, Columns, micros
from league.lab.projections.compiled import column, compiled, floats, integers
from league.lab.projections.kernel import NOBODY, NOT_RATED, PLACES, Rated
from league.projections.difference.predictions import LEAST_FORECAST
from league.projections.queries.drift import DriftMonth

CLASSES = 10
"""Of expected scores, all of the same width."""


class Month(Struct, frozen=True):
    """The rows of the matches that were decided in a month of the league's time zone."""

    name: str
    first: int
    end: int
    """The row after the last one."""


class Class(Struct, frozen=True):
    """The sides of matches whose expected score lies from `start` to below `end`, in the last class to 1."""

    start: float
    end: float
    sides: int
    expected: float | None
    """The mean of their expected scores; None without a side."""
    won: float | None
    """The share of them that won."""


class Judged(Struct, frozen=True):
    """How well forecasts predicted results, see `difference/predictions.py`."""

    matches: int
    brier: float | None
    """None without a match."""
    log_loss: float | None
    classes: Sequence[Class]
    """A match counts for both of its sides; the expected score of the loser is what the forecast leaves."""


def months_of(columns: Columns, zone: ZoneInfo) -> list[Month]:
    """Months with matches, from the first match to the last."""
    months, row = [], 0
    while row < len(columns):
        month = month_of(EPOCH + columns.decided_at[row] * MICROSECOND, zone)
        end = bisect_left(columns.decided_at, micros(bounds(month, zone)[1]), row)
        months.append(Month(month, row, end))
        row = end
    return months


def judged(rated: Rated, first: int, end: int) -> Judged:
    """The forecasts of the rated matches in the rows from `first` to below `end`."""
    sides, expected, won = integers(CLASSES), floats(CLASSES), integers(CLASSES)
    matches, squares, logarithms = _judge(rated.forecasts, first, end, sides, expected, won)
    classes = [
        Class(n / CLASSES, (n + 1) / CLASSES, int(sides[n]), float(expected[n] / sides[n]), float(won[n] / sides[n]))
        if sides[n]
        else Class(n / CLASSES, (n + 1) / CLASSES, 0, None, None)
        for n in range(CLASSES)
    ]
    if not matches:
        return Judged(0, None, None, classes)
    return Judged(matches, squares / matches, logarithms / matches, classes)


@compiled
def _judge(forecasts: Any, first: int, end: int, sides: Any, expected: Any, won: Any) -> tuple[int, float, float]:
    """The number of matches, and the sums of their losses: squared, and logarithmic."""
    matches, squares, logarithms = 0, 0.0, 0.0
    for row in range(first, end):
        forecast = forecasts[row]
        if forecast == NOT_RATED:
            continue
        matches += 1
        squares += (1.0 - forecast) * (1.0 - forecast)
        logarithms -= math.log(max(forecast, LEAST_FORECAST))
        for of_side, has_won in ((forecast, 1), (1.0 - forecast, 0)):
            of = min(int(of_side * CLASSES), CLASSES - 1)
            sides[of] += 1
            expected[of] += of_side
            won[of] += has_won
    return matches, squares, logarithms


def drift(columns: Columns, rated: Rated, months: Sequence[Month], subject: str, mode: str) -> list[DriftMonth]:
    """The mean rating of a mode month by month, see `queries/drift.py`; months without a match are left out."""
    wanted = integers(len(columns.subjects))
    for number, (kind, _, of_mode) in enumerate(columns.subjects):
        wanted[number] = (kind, of_mode) == (subject, mode)
    now, has_played = floats(len(wanted)), integers(len(wanted))
    seats, found = column(columns.seats), []
    for month in months:
        matches, gained = _month(seats, rated.before, rated.after, month.first, month.end, wanted, now, has_played)
        count, total = _sum(now, has_played)
        if count:
            each = gained / matches if matches else None
            found.append(DriftMonth(month.name, count, total / count, matches, gained, each))
    return found


@compiled
def _month(
    seats: Any, before: Any, after: Any, first: int, end: int, wanted: Any, now: Any, has_played: Any
) -> tuple[int, float]:
    """Bring the wanted ratings up to the end of a month. Returns its matches, and the sum of the changes."""
    matches, gained = 0, 0.0
    for row in range(first, end):
        is_wanted = False
        for place in range(PLACES * row, PLACES * (row + 1)):
            seat = seats[place]
            if seat != NOBODY and wanted[seat]:
                is_wanted = True
                now[seat], has_played[seat] = after[place], 1
                gained += after[place] - before[place]
        matches += is_wanted
    return matches, gained


@compiled
def _sum(now: Any, has_played: Any) -> tuple[int, float]:
    count, total = 0, 0.0
    for number in range(len(now)):
        if has_played[number]:
            count += 1
            total += now[number]
    return count, total
