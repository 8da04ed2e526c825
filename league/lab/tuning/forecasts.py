"""Forecasts of all matches under given rules, each made from the matches before it."""

from collections.abc import Sequence
from threading import local
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from league.domain.rating import Formula, formula_of
from league.domain.rules import Rulebook
from league.lab.projections.columns import Columns
from league.lab.projections.compiled import column, compiled, floats, integers
from league.lab.projections.kernel import NOBODY, NOT_RATED, PLACES, TEAMS, Rated, rate_matches
from league.lab.projections.rating import TEN, numbers_of, steps_of
from league.projections.difference.predictions import LEAST_FORECAST
from league.projections.folds.ratings import RATED_MODES

Objective = Literal["log-loss", "brier"]


class Limits(Struct, frozen=True):
    """What must not happen under the rules; None: anything may."""

    drift: float | None = None
    """The points by which the mean rating of a mode may move from the start."""
    change: float | None = None
    """The points that a match may add to a rating or take from it."""


class Forecasts(Struct, frozen=True):
    """What rules foresee of the first matches, until the thread that made it makes the next."""

    rated: Rated
    start: float
    """The rating with which everybody begins."""
    matches: int
    seats: Any
    modes: Sequence[Any]
    """Of each mode, the numbers of its players' ratings."""

    def losses(self, objective: Objective, first: int = 0) -> Any:
        """The loss of each match in the rows from `first` on; NaN of one that is not rated."""
        return losses_of(self.rated.forecasts[first : self.matches], objective)

    def mean_loss(self, objective: Objective) -> float:
        """The mean loss of all rated matches; that of a coin without any."""
        losses = self.losses(objective)
        return float(np.nanmean(losses)) if np.isfinite(losses).any() else coin(objective)

    def excess(self, limits: Limits) -> float:
        """By how many points the limits are broken; 0 or less where they are kept."""
        broken = 0.0
        if limits.drift is not None:
            broken = max(broken, self.drift() - limits.drift)
        if limits.change is not None:
            broken = max(broken, self.largest_change() - limits.change)
        return broken

    def drift(self) -> float:
        """The points by which the mean rating of a mode has moved from the start, of the mode where it is most."""
        moved = [0.0]
        for mode in self.modes:
            ratings = self.rated.ratings[mode][self.rated.played[mode] > 0]
            if len(ratings):
                moved.append(abs(float(ratings.mean()) - self.start))
        return max(moved)

    def largest_change(self) -> float:
        """The most points that a match has added to a rating or taken from it."""
        return float(_largest(self.seats, self.rated.before, self.rated.after, PLACES * self.matches))


class Forecaster:
    """Rates the players of columns again and again. Threads may share it."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._facts = column(columns.facts)
        # No forecast of a match reads the ratings of teams.
        seats = np.array(column(columns.seats)).reshape(-1, PLACES)
        seats[:, TEAMS[0] :] = NOBODY
        self._seats = seats.reshape(-1)
        self._modes = [
            np.array([n for n, (kind, _, of) in enumerate(columns.subjects) if kind == "player" and of == mode], int)
            for mode in RATED_MODES
        ]
        self._memory = local()

    def forecasts(self, edition: Rulebook | Formula, end: int) -> Forecasts:
        """What an edition foresees of the matches in the rows below `end`."""
        formula = edition if isinstance(edition, Formula) else formula_of(edition.rating)
        rated = self._emptied()
        numbers, steps = numbers_of(formula), steps_of(formula, self.columns.rulesets)
        rate_matches(self._facts, self._seats, 0, end, numbers, steps, TEN, rated)
        return Forecasts(rated, formula.start, end, self._seats, self._modes)

    def _emptied(self) -> Rated:
        """The arrays of this thread: to make them again for each candidate takes as long as to fill them."""
        rated: Rated | None = getattr(self._memory, "rated", None)
        if rated is None:
            places, subjects = PLACES * len(self.columns), len(self.columns.subjects)
            rated = self._memory.rated = Rated(
                ratings=floats(subjects),
                played=integers(subjects),
                before=floats(places),
                after=floats(places),
                played_before=integers(places),
                forecasts=floats(len(self.columns)),
            )
        rated.ratings.fill(0)
        rated.played.fill(0)
        return rated


def losses_of(forecasts: Any, objective: Objective) -> Any:
    """The losses of forecasts, see `difference/predictions.py`; NaN where a match is not rated."""
    is_brier = objective == "brier"
    losses = (1.0 - forecasts) ** 2 if is_brier else -np.log(np.maximum(forecasts, LEAST_FORECAST))
    return np.where(forecasts == NOT_RATED, np.nan, losses)


def coin(objective: Objective) -> float:
    """The loss of a forecast of one half."""
    return 0.25 if objective == "brier" else float(np.log(2))


@compiled
def _largest(seats: Any, before: Any, after: Any, end: int) -> float:
    largest = 0.0
    for place in range(end):
        if seats[place] != NOBODY:
            largest = max(largest, abs(after[place] - before[place]))
    return largest
