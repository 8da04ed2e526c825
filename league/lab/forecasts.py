"""Measures how well rules forecast results. Each match is forecast from the matches before it.

All ways of forecasting are judged on the same held-out months. Intervals say how certain a mean is.
"""

from collections.abc import Callable, Sequence
from threading import local
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec
import numpy as np
from msgspec import Struct

from league.domain.rating import RatingFormula, formula_of
from league.domain.rules import Rulebook
from league.lab.columns import EPOCH, MICROSECOND, MatchColumns, MonthRows
from league.lab.kernel import (
    NOBODY,
    NOT_RATED,
    PLACES,
    TEAMS,
    RatedColumns,
    column,
    compiled,
    nothing_rated,
    rate_matches,
)
from league.lab.trial import K_RULES, TEN, numbers_of, steps_of
from league.projections.difference.ratings import LEAST_FORECAST
from league.projections.folds.league_fold import RATED_MODES

Objective = Literal["log-loss", "brier"]


class TuningLimits(Struct, frozen=True):
    """Limits that fitted rules must respect; None means no limit."""

    drift: float | None = None
    """Greatest distance, in rating points, of a mode's mean rating from the rating at the start."""
    change: float | None = None
    """Greatest change of a rating by one match, in rating points."""


class Forecasts(Struct, frozen=True):
    """Forecasts of the first matches under some rules.

    They are valid until the same thread makes other forecasts, which reuse the arrays.
    """

    rated: RatedColumns
    start: float
    """The rating with which everybody begins."""
    matches: int
    """How many matches were forecast."""
    seats: Any
    modes: Sequence[Any]
    """The numbers of the players' ratings, by mode."""

    def losses(self, objective: Objective, first: int = 0) -> Any:
        """The loss of each match from row `first` on; NaN for a match that is not rated."""
        return losses_of(self.rated.forecasts[first : self.matches], objective)

    def mean_loss(self, objective: Objective) -> float:
        """The mean loss over all rated matches. Without any, the loss of tossing a coin."""
        losses = self.losses(objective)
        return float(np.nanmean(losses)) if np.isfinite(losses).any() else coin(objective)

    def excess(self, limits: TuningLimits) -> float:
        """How far a limit is exceeded, in rating points; 0 if all limits are respected."""
        broken = 0.0
        if limits.drift is not None:
            broken = max(broken, self.drift() - limits.drift)
        if limits.change is not None:
            broken = max(broken, self.largest_change() - limits.change)
        return broken

    def drift(self) -> float:
        """How far the mean rating of a mode is from the start, in rating points; the largest value of all modes."""
        moved = [0.0]
        for mode in self.modes:
            ratings = self.rated.ratings[mode][self.rated.played[mode] > 0]
            if len(ratings):
                moved.append(abs(float(ratings.mean()) - self.start))
        return max(moved)

    def largest_change(self) -> float:
        """The largest change of a rating by one match, in rating points."""
        return float(_largest(self.seats, self.rated.before, self.rated.after, PLACES * self.matches))


class Forecaster:
    """Rates the players of the same columns under many rules. Threads may share it."""

    def __init__(self, columns: MatchColumns) -> None:
        self.columns = columns
        self._facts = column(columns.facts)
        # Forecasts do not read the ratings of teams, so teams are left out.
        seats = np.array(column(columns.seats)).reshape(-1, PLACES)
        seats[:, TEAMS[0] :] = NOBODY
        self._seats = seats.reshape(-1)
        self._modes = [
            np.array([n for n, (kind, _, of) in enumerate(columns.subjects) if kind == "player" and of == mode], int)
            for mode in RATED_MODES
        ]
        self._memory = local()

    def forecasts(self, edition: Rulebook | RatingFormula, end: int) -> Forecasts:
        """Forecasts of the matches in the rows below `end` under an edition or a formula."""
        formula = edition if isinstance(edition, RatingFormula) else formula_of(edition.rating)
        rated = self._emptied()
        numbers, steps = numbers_of(formula), steps_of(formula, self.columns.rulesets)
        rate_matches(self._facts, self._seats, 0, end, numbers, steps, TEN, rated)
        return Forecasts(rated, formula.start, end, self._seats, self._modes)

    def _emptied(self) -> RatedColumns:
        """The cleared arrays of this thread. They are reused, because allocating them takes as long as filling them."""
        rated: RatedColumns | None = getattr(self._memory, "rated", None)
        if rated is None:
            rated = self._memory.rated = nothing_rated(len(self.columns), len(self.columns.subjects))
        rated.ratings.fill(0)
        rated.played.fill(0)
        return rated


def losses_of(forecasts: Any, objective: Objective) -> Any:
    """The losses of forecasts, as in `predictions` of `difference/ratings.py`; NaN if a match is not rated."""
    is_brier = objective == "brier"
    losses = (1.0 - forecasts) ** 2 if is_brier else -np.log(np.maximum(forecasts, LEAST_FORECAST))
    return np.where(forecasts == NOT_RATED, np.nan, losses)


def coin(objective: Objective) -> float:
    """The loss of the forecast 0.5."""
    return 0.25 if objective == "brier" else float(np.log(2))


@compiled
def _largest(seats: Any, before: Any, after: Any, end: int) -> float:
    largest = 0.0
    for place in range(end):
        if seats[place] != NOBODY:
            largest = max(largest, abs(after[place] - before[place]))
    return largest


RESAMPLED = 4_000
"""Bootstrap samples per interval. Each draws whole days, because the matches of one evening resemble each other."""
LOW, HIGH = 2.5, 97.5
"""Percentiles that bound a 95 % interval."""
FEWEST_DAYS = 10
"""Fewest days from which an interval is computed."""


class MeanInterval(Struct, frozen=True):
    """A mean with its 95 % interval. `low` and `high` are None if there are too few days."""

    mean: float
    low: float | None
    high: float | None

    @property
    def is_below_zero(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.high is not None and self.high < 0

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low is not None and self.low > 0


def intervals_of(losses: Any, differences: Any, days: Any, seed: int) -> tuple[MeanInterval, MeanInterval]:
    """The means of losses and of differences, with intervals. All arrays have one entry per match.

    `days`: the day of each match. Matches with NaN are left out.
    """
    there = ~(np.isnan(losses) | np.isnan(differences))
    _, of_day = np.unique(days[there], return_inverse=True)
    counts = np.bincount(of_day)
    sums = [np.bincount(of_day, weights=each[there]) for each in (losses, differences)]
    if not len(counts):
        return MeanInterval(0.0, None, None), MeanInterval(0.0, None, None)
    drawn = np.random.default_rng(seed).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), RESAMPLED)
    first, second = (_interval(each, counts, drawn) for each in sums)
    return first, second


def _interval(sums: Any, counts: Any, drawn: Any) -> MeanInterval:
    mean = float(sums.sum() / counts.sum())
    if len(counts) < FEWEST_DAYS:
        return MeanInterval(mean, None, None)
    low, high = np.percentile((drawn @ sums) / (drawn @ counts), (LOW, HIGH))
    return MeanInterval(mean, float(low), float(high))


PLAIN_KS = tuple(range(0, 201, 4))
"""Values of K that plain Elo can choose."""


class JudgedForecasts(Struct, frozen=True):
    """How well one way of forecasting did on the held-out months."""

    loss: MeanInterval
    by_month: Sequence[float]
    """The mean loss of each month."""
    against_fitted: MeanInterval
    """The loss of the fitted rules minus this loss: below 0 if the fitted rules are better."""


class HeldOutMonths(Struct, frozen=True):
    """The last months of the columns, on which forecasts are judged."""

    forecaster: Forecaster
    months: Sequence[MonthRows]
    objective: Objective
    zone: ZoneInfo
    seed: int
    """Seed of the bootstrap."""

    @property
    def first(self) -> int:
        """The row of the first held-out match."""
        return self.months[0].first

    def losses(self, formula_of: Callable[[MonthRows], RatingFormula]) -> Any:
        """The loss of each match under the formula chosen for its month; NaN if the match is not rated."""
        return np.concatenate(
            [
                self.forecaster.forecasts(formula_of(month), month.end).losses(self.objective, month.first)
                for month in self.months
            ]
        )

    def plain_elo(self, formula: RatingFormula, month: MonthRows) -> RatingFormula:
        """Elo without M and with a single K, which is the best one on the matches before the month."""

        def with_k(k: float) -> RatingFormula:
            all_k = {rule: (rule, float(k)) for rule in K_RULES}
            return msgspec.structs.replace(formula, lowest=0, highest=0, **all_k)

        def loss(formula: RatingFormula) -> float:
            return self.forecaster.forecasts(formula, month.first).mean_loss(self.objective)

        return min(map(with_k, PLAIN_KS), key=loss)

    def judged(self, losses: Any, fitted: Any) -> JudgedForecasts:
        """Judge the losses of one way of forecasting, compared with the losses of the fitted rules."""
        loss, against = intervals_of(losses, fitted - losses, self.days(), self.seed)
        months = np.split(losses, [month.first - self.first for month in self.months[1:]])
        return JudgedForecasts(loss, [self._mean(month) for month in months], against)

    def days(self) -> Any:
        """The day of each match in the league's time zone, as an ordinal number."""
        columns: MatchColumns = self.forecaster.columns
        times = (EPOCH + at * MICROSECOND for at in columns.decided_at[self.first :])
        return np.array([time.astimezone(self.zone).toordinal() for time in times])

    def _mean(self, losses: Any) -> float:
        return float(np.nanmean(losses)) if np.isfinite(losses).any() else coin(self.objective)
