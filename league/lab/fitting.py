"""Fits the settings of ratings to the league's history. The search is judged on months that it has not seen.

The judgement walks forward: for each held-out month, settings are chosen on the months before it and judged on it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from cmaes import CMA
from msgspec import Struct

from league.domain.collected_refusals import InvalidRulebook
from league.domain.rating import formula_of
from league.domain.refusals import WrongState
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.verdict import COIN, Verdict
from league.lab.columns import MatchColumns, MonthRows
from league.lab.forecasts import Forecaster, HeldOutMonths, JudgedForecasts, Objective, TuningLimits
from league.lab.ranges import SettingRange, tunable, with_values
from league.lab.trial import NoMatches, rated
from league.lab.verdicts import rated_months
from league.projections.folds.match_fold import RulesTimeline
from league.rulebook import shipped_edition

WIDTH = 0.3
"""Standard deviation of the first candidates, as a share of a range."""
WORTH_A_CHANGE = 1e-5
"""A setting keeps its value unless a change lowers the loss by more than this."""
BROKEN, REFUSED = 1e3, 1e6
"""Losses of bad settings: at least BROKEN, and more the further they break a limit; REFUSED if the rules refuse them.
"""


class BestSettings(Struct, frozen=True):
    """The best candidate of a search."""

    values: Mapping[str, Decimal]
    loss: float
    """Mean loss on the matches that the search has seen."""

    @property
    def keeps_limits(self) -> bool:
        """Whether these settings respect all limits."""
        return self.loss < BROKEN


class SettingsSearch:
    """Searches for the best settings by CMA-ES.

    It tries candidates in generations, so the result does not depend on the number of workers.
    """

    def __init__(
        self,
        forecaster: Forecaster,
        edition: Rulebook,
        ranges: Sequence[SettingRange],
        objective: Objective,
        limits: TuningLimits,
        seed: int,
        workers: int,
    ) -> None:
        self._forecaster, self._edition, self._ranges = forecaster, edition, ranges
        self._objective, self._limits, self._seed, self._workers = objective, limits, seed, workers
        self.is_interrupted = False
        """Whether somebody pressed Ctrl-C. Every later search ends at once."""

    def best(
        self, end: int, candidates: int, start: BestSettings | None, tell: Callable[[float], None] = lambda _loss: None
    ) -> BestSettings:
        """The best settings for the matches in the rows below `end`. The search begins at `start`.

        `start` None means the rules in force. `tell` is called after each candidate with the best loss so far. After
        Ctrl-C the search returns the best settings so far.
        """
        known = tunable(self._edition) if start is None else start.values
        began = {one.setting: one.nearest(known[one.setting]) for one in self._ranges}
        found = BestSettings(began, self._loss(began, end))
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
                            found = BestSettings(each, loss)
                        tell(found.loss)
                    tried += len(asked)
                    engine.tell(list(zip(asked, losses, strict=True)))
                # When a search no longer improves, restart it elsewhere with larger generations.
                shares, growth = generator.random(len(self._ranges)), 2 * growth
        return self._simplified(found, end)

    def _simplified(self, found: BestSettings, end: int) -> BestSettings:
        """Undo changes that hardly lower the loss, because every change has to be explained to players."""
        for setting, value in tunable(self._edition).items():
            if setting in found.values and found.values[setting] != value:
                values = {**found.values, setting: value}
                if (loss := self._loss(values, end)) <= found.loss + WORTH_A_CHANGE:
                    found = BestSettings(values, loss)
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


class TuningRequest(Struct, frozen=True):
    """The options of a search."""

    ranges: Sequence[SettingRange]
    objective: Objective
    limits: TuningLimits
    held_out: int
    """How many of the last months are held out."""
    candidates: int
    """Candidates per search. There is one search for each held-out month, and one for all matches."""
    seed: int
    workers: int


class TuningResult(Struct, frozen=True):
    """The result of a search, and how well it forecasts."""

    wanted: TuningRequest
    values: Mapping[str, Decimal]
    """The settings chosen on all matches; a replay can try them."""
    chosen: Sequence[Mapping[str, Decimal]]
    """The settings chosen for each held-out month."""
    months: Sequence[str]
    """The held-out months, such as `2026-03`."""
    read: tuple[str, str]
    """The first and the last month whose matches the search has read."""
    verdict: Verdict
    """The verdict on the held-out months: the fitted rules against those in force."""
    all_matches: int
    tried: int
    """Candidates tried in all searches."""
    curve: Sequence[float]
    """The best loss so far after each candidate, in the search over all matches."""
    fitted: JudgedForecasts
    in_force: JudgedForecasts
    shipped: JudgedForecasts
    plain_elo: JudgedForecasts
    coin: JudgedForecasts
    drift: float
    largest_change: float
    is_interrupted: bool


def fit(
    columns: MatchColumns,
    rules: RulesTimeline,
    base: Rulebook,
    zone: ZoneInfo,
    wanted: TuningRequest,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> TuningResult:
    """Fit the settings of `base` to the matches. Ctrl-C ends the search, and the best settings so far are judged.

    `tell` is called with the number of candidates tried so far, and of all candidates. Raises WrongState for too little
    history, and if no settings respect the limits.
    """
    months = rated_months(columns, zone)
    check_months(months, wanted.held_out)
    forecaster = Forecaster(columns)
    held_out = HeldOutMonths(forecaster, months[-wanted.held_out :], wanted.objective, zone)
    search = SettingsSearch(
        forecaster, base, wanted.ranges, wanted.objective, wanted.limits, wanted.seed, wanted.workers
    )
    chosen, whole, curve, tried = _searched(search, held_out.months, len(columns), wanted, tell)
    if not whole.keeps_limits:
        raise WrongState(
            say("every setting"),
            say("beyond the limits"),
            say("no setting in the ranges keeps them: search more settings (`--range`), or allow more"),
        )
    shipped = formula_of(shipped_edition().rating)
    forecasts = {
        "fitted": held_out.forecasts(lambda month: formula_of(with_values(base, chosen[month.name].values).rating)),
        "in_force": np.array(rated(columns, rules).forecasts),
        "shipped": held_out.forecasts(lambda _month: shipped),
        "plain_elo": held_out.plain_elo(),
        "coin": np.full(len(columns), COIN),
    }
    verdict = held_out.verdict(forecasts["in_force"], forecasts["fitted"])
    best = forecaster.forecasts(with_values(base, whole.values), len(columns))
    return TuningResult(
        wanted=wanted,
        values=whole.values,
        chosen=[chosen[month.name].values for month in held_out.months],
        months=[month.name for month in held_out.months],
        read=(months[0].name, months[-1].name),
        verdict=verdict,
        all_matches=len(columns),
        tried=tried,
        curve=[loss for loss in curve if loss < BROKEN],
        drift=best.drift(),
        largest_change=best.largest_change(),
        is_interrupted=search.is_interrupted,
        **held_out.judged(forecasts),
    )


def _searched(
    search: SettingsSearch,
    held_out: Sequence[MonthRows],
    end: int,
    wanted: TuningRequest,
    tell: Callable[[int, int], None],
) -> tuple[Mapping[str, BestSettings], BestSettings, Sequence[float], int]:
    """Search for each held-out month and on all matches.

    Returns the best settings by month, the best on all matches, the curve of that last search, and the number of
    candidates tried.
    """
    steps, tried, curve = (len(held_out) + 1) * wanted.candidates, 0, list[float]()

    def count(loss: float) -> None:
        nonlocal tried
        tried += 1
        curve.append(loss)
        tell(min(tried, steps), steps)

    found: BestSettings | None = None
    chosen: dict[str, BestSettings] = {}
    for month in held_out:
        found = chosen[month.name] = search.best(month.first, wanted.candidates, found, count)
    curve.clear()
    return chosen, search.best(end, wanted.candidates, found, count), curve, tried


def check_months(months: Sequence[MonthRows], held_out: int) -> None:
    """Raise WrongState if the history has too few months with rated matches."""
    if not months:
        raise NoMatches(say("the league"), say("without a match"), say("there is no history to fit rules to"))
    if len(months) <= held_out:
        raise WrongState(
            say("the history"),
            say("too short"),
            say(
                "it has matches in {months} months, and to hold out {held_out} takes {least}: hold out fewer"
                " (`--held-out`), or play on",
                months=len(months),
                held_out=held_out,
                least=held_out + 1,
            ),
        )
