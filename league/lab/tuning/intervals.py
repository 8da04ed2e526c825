"""How sure a mean is: intervals by the bootstrap over whole days, since matches of one evening resemble each other."""

from typing import Any

import numpy as np
from msgspec import Struct

RESAMPLED = 4_000
LOW, HIGH = 2.5, 97.5
"""Percentiles: 95 of 100 intervals hold the true value."""
FEWEST_DAYS = 10
"""With fewer days the bootstrap says nothing."""


class Interval(Struct, frozen=True):
    """A mean with the interval in which it lies; without an interval there are too few days."""

    mean: float
    low: float | None
    high: float | None

    @property
    def is_below_zero(self) -> bool:
        """Whether it is surely below 0."""
        return self.high is not None and self.high < 0

    @property
    def is_above_zero(self) -> bool:
        """Whether it is surely above 0."""
        return self.low is not None and self.low > 0


def intervals_of(losses: Any, differences: Any, days: Any, seed: int) -> tuple[Interval, Interval]:
    """The intervals of the means of losses and of their differences, by match with its day. NaN is left out."""
    there = ~(np.isnan(losses) | np.isnan(differences))
    _, of_day = np.unique(days[there], return_inverse=True)
    counts = np.bincount(of_day)
    sums = [np.bincount(of_day, weights=each[there]) for each in (losses, differences)]
    if not len(counts):
        return Interval(0.0, None, None), Interval(0.0, None, None)
    drawn = np.random.default_rng(seed).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), RESAMPLED)
    first, second = (_interval(each, counts, drawn) for each in sums)
    return first, second


def _interval(sums: Any, counts: Any, drawn: Any) -> Interval:
    mean = float(sums.sum() / counts.sum())
    if len(counts) < FEWEST_DAYS:
        return Interval(mean, None, None)
    low, high = np.percentile((drawn @ sums) / (drawn @ counts), (LOW, HIGH))
    return Interval(mean, float(low), float(high))
