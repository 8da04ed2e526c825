"""Ways of forecasting, judged alike on the months that were held out."""

from collections.abc import Callable, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import numpy as np
from msgspec import Struct

from league.domain.rating import Formula
from league.lab.projections.columns import EPOCH, MICROSECOND, Columns
from league.lab.projections.figures import Month
from league.lab.projections.rating import K_RULES
from league.lab.tuning.forecasts import Forecaster, Objective, coin
from league.lab.tuning.intervals import Interval, intervals_of

PLAIN_KS = tuple(range(0, 201, 4))
"""The values of K that plain Elo chooses from."""


class Compared(Struct, frozen=True):
    """How well one way of forecasting did on the held-out months."""

    loss: Interval
    by_month: Sequence[float]
    against_fitted: Interval
    """The loss of the fitted rules less its own: below 0 where the fitted rules are better."""


class HeldOut(Struct, frozen=True):
    """The months on which forecasts are judged: the last ones of the columns."""

    forecaster: Forecaster
    months: Sequence[Month]
    objective: Objective
    zone: ZoneInfo
    seed: int
    """Of the bootstrap."""

    @property
    def first(self) -> int:
        """The row of the first match."""
        return self.months[0].first

    def losses(self, formula_of: Callable[[Month], Formula]) -> Any:
        """The loss of each match under the formula that was chosen for its month; NaN of one that is not rated."""
        return np.concatenate(
            [
                self.forecaster.forecasts(formula_of(month), month.end).losses(self.objective, month.first)
                for month in self.months
            ]
        )

    def plain_elo(self, formula: Formula, month: Month) -> Formula:
        """Elo without M and with one K: the one that is best on the matches before a month."""

        def with_k(k: float) -> Formula:
            all_k = {rule: (rule, float(k)) for rule in K_RULES}
            return msgspec.structs.replace(formula, lowest=0, highest=0, **all_k)

        def loss(formula: Formula) -> float:
            return self.forecaster.forecasts(formula, month.first).mean_loss(self.objective)

        return min(map(with_k, PLAIN_KS), key=loss)

    def judged(self, losses: Any, fitted: Any) -> Compared:
        """The losses of one way of forecasting, beside those of the fitted rules."""
        loss, against = intervals_of(losses, fitted - losses, self.days(), self.seed)
        months = np.split(losses, [month.first - self.first for month in self.months[1:]])
        return Compared(loss, [self._mean(month) for month in months], against)

    def days(self) -> Any:
        """The day of each match in the time zone of the league."""
        columns: Columns = self.forecaster.columns
        times = (EPOCH + at * MICROSECOND for at in columns.decided_at[self.first :])
        return np.array([time.astimezone(self.zone).toordinal() for time in times])

    def _mean(self, losses: Any) -> float:
        return float(np.nanmean(losses)) if np.isfinite(losses).any() else coin(self.objective)
