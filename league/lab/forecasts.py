"""Measures how well rules forecast results. Each match is forecast from the matches before it.

All ways of forecasting are judged on the same held-out months, and by the same intervals as every verdict.
"""

from collections.abc import Callable, Mapping, Sequence
from threading import local
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np
from msgspec import Struct

from league.domain.rating import RatingFormula, formula_of
from league.domain.rules import Rulebook
from league.domain.verdict import LEAST_FORECAST, MeanInterval, Verdict, intervals, judge
from league.lab.columns import MatchColumns, MonthRows
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
from league.lab.trial import TEN, numbers_of, steps_of
from league.lab.verdicts import day_of, judged_matches, plain_elo_from, rated_rows
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

    @property
    def first(self) -> int:
        """The row of the first held-out match."""
        return self.months[0].first

    def forecasts(self, formula_of: Callable[[MonthRows], RatingFormula]) -> Any:
        """The forecasts of all rows, each under the formula chosen for its month; NOT_RATED before the first."""
        found = np.full(len(self.forecaster.columns), NOT_RATED)
        for month in self.months:
            rated = self.forecaster.forecasts(formula_of(month), month.end).rated
            found[month.first : month.end] = rated.forecasts[month.first : month.end]
        return found

    def plain_elo(self) -> Any:
        """The forecasts of plain Elo for all rows, as every verdict has them beside it."""
        columns = self.forecaster.columns
        found = np.full(len(columns), NOT_RATED)
        found[list(rated_rows(columns, self.first, len(columns)))] = plain_elo_from(columns, self.first).forecasts
        return found

    def verdict(self, in_force: Any, fitted: Any) -> Verdict:
        """The verdict on the fitted rules against those in force, from the forecasts of all rows."""
        columns = self.forecaster.columns
        judged = judged_matches(columns, self.zone, self.first, in_force, fitted)
        return judge(judged, plain_elo_from(columns, self.first))

    def judged(self, forecasts: Mapping[str, Any]) -> Mapping[str, JudgedForecasts]:
        """Judge the forecasts of several ways for all rows, each compared with the way that is named `fitted`."""
        columns = self.forecaster.columns
        rows = list(rated_rows(columns, self.first, len(columns)))
        losses = {way: losses_of(each, self.objective) for way, each in forecasts.items()}
        of_rows = {way: each[rows] for way, each in losses.items()}
        measures = [[*each] for each in of_rows.values()]
        measures += [[*(of_rows["fitted"] - each)] for each in of_rows.values()]
        found = intervals([day_of(columns, row, self.zone) for row in rows], measures)
        return {
            way: JudgedForecasts(
                found[n], [self._mean(each[m.first : m.end]) for m in self.months], found[len(losses) + n]
            )
            for n, (way, each) in enumerate(losses.items())
        }

    def _mean(self, losses: Any) -> float:
        return float(np.nanmean(losses)) if np.isfinite(losses).any() else coin(self.objective)
