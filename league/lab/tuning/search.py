"""The search for the settings that foresee the results of some matches best, by CMA-ES."""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import numpy as np
from cmaes import CMA
from msgspec import Struct

from league.domain.collected_refusals import InvalidRulebook
from league.domain.rules import Rulebook
from league.lab.tuning.forecasts import Forecaster, Limits, Objective
from league.lab.tuning.ranges import Range, tunable, with_values

WIDTH = 0.3
"""How far from the middle the first candidates lie, as a share of a range."""
WORTH_A_CHANGE = 1e-5
"""A setting whose change makes the loss smaller by no more than this stays as it is."""
BROKEN, REFUSED = 1e3, 1e6
"""The losses of settings that break a limit, and more the more they break it, and of those that the rules refuse."""


class Found(Struct, frozen=True):
    """The best candidate of a search."""

    values: Mapping[str, Decimal]
    loss: float
    """On the matches that the search has seen."""

    @property
    def keeps_limits(self) -> bool:
        """Whether nothing happens that must not."""
        return self.loss < BROKEN


class Search:
    """Candidates are asked for in generations, so that the result does not depend on the number of workers."""

    def __init__(
        self,
        forecaster: Forecaster,
        edition: Rulebook,
        ranges: Sequence[Range],
        objective: Objective,
        limits: Limits,
        seed: int,
        workers: int,
    ) -> None:
        self._forecaster, self._edition, self._ranges = forecaster, edition, ranges
        self._objective, self._limits, self._seed, self._workers = objective, limits, seed, workers
        self.is_interrupted = False
        """Whether somebody pressed Ctrl-C. Every later search ends at once."""

    def best(
        self, end: int, candidates: int, start: Found | None, tell: Callable[[float], None] = lambda _loss: None
    ) -> Found:
        """The best settings for the matches in the rows below `end`. Begins at `start`, or at the rules in force.

        `tell` is called for each candidate with the best loss so far. After Ctrl-C it returns the best so far.
        """
        known = tunable(self._edition) if start is None else start.values
        began = {one.setting: one.nearest(known[one.setting]) for one in self._ranges}
        found = Found(began, self._loss(began, end))
        generator = np.random.default_rng((self._seed, end))
        shares, tried, growth = np.array([one.share(began[one.setting]) for one in self._ranges]), 1, 1
        with ThreadPoolExecutor(self._workers) as pool:
            while tried < candidates and not self.is_interrupted:
                engine = _engine(shares, generator, growth)
                while tried < candidates and not engine.should_stop():
                    asked = [engine.ask() for _ in range(engine.population_size)]
                    values = [self._values(each) for each in asked]
                    try:
                        losses = list(pool.map(lambda each: self._loss(each, end), values))
                    except KeyboardInterrupt:
                        self.is_interrupted = True
                        break
                    for each, loss in zip(values, losses, strict=True):
                        if loss < found.loss:
                            found = Found(each, loss)
                        tell(found.loss)
                    tried += len(asked)
                    engine.tell(list(zip(asked, losses, strict=True)))
                # A search that has come to rest begins again elsewhere, with more candidates at a time.
                shares, growth = generator.random(len(self._ranges)), 2 * growth
        return self._simplified(found, end)

    def _simplified(self, found: Found, end: int) -> Found:
        """The best candidate without the changes that earn next to nothing: each has to be explained to players."""
        for setting, value in tunable(self._edition).items():
            if setting in found.values and found.values[setting] != value:
                values = {**found.values, setting: value}
                if (loss := self._loss(values, end)) <= found.loss + WORTH_A_CHANGE:
                    found = Found(values, loss)
        return found

    def _values(self, shares: Any) -> dict[str, Decimal]:
        return {one.setting: one.value(float(share)) for one, share in zip(self._ranges, shares, strict=True)}

    def _loss(self, values: Mapping[str, Decimal], end: int) -> float:
        try:
            edition = with_values(self._edition, values)
        except InvalidRulebook:
            return REFUSED
        forecasts = self._forecaster.forecasts(edition, end)
        broken = forecasts.excess(self._limits)
        return forecasts.mean_loss(self._objective) if broken <= 0 else min(BROKEN + broken, REFUSED)


def _engine(shares: Any, generator: np.random.Generator, growth: int) -> CMA:
    dimensions = len(shares)
    return CMA(
        mean=shares,
        sigma=WIDTH,
        bounds=np.array([[0.0, 1.0]] * dimensions),
        seed=int(generator.integers(2**31)),
        population_size=growth * (4 + math.floor(3 * math.log(dimensions + 1))),
    )
