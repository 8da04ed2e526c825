"""The verdict on two sets of rules: which of them foresaw results better, and whether that is more than chance.

Each match is forecast from the matches before it. Judged are the last months with rated matches, by log loss. Chance is
drawn from the days on which matches were judged, so everybody gets the same verdict whenever they ask.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from itertools import groupby
from random import Random
from typing import Literal, NamedTuple

from msgspec import Struct

from league.domain.rating import expected_score

VerdictKind = Literal["better", "worse", "no_difference", "too_few_days", "same", "two_truths", "fitted"]

MONTHS = 3
"""How many months are judged: the last ones with rated matches."""
DRAWS = 4_000
"""Samples behind an interval. Each draws whole days, because the matches of one evening resemble each other."""
TAIL = 0.025
"""Share of the samples on either side of a 95 % interval."""
FEWEST_DAYS = 10
"""Fewest days from which an interval is computed."""
LEAST_FORECAST = 1e-15
"""The smallest forecast in the log loss: a win that was thought impossible would have an infinite loss."""
ROUNDING = 1e-9
"""Forecasts that differ by less are the same: other rules may reach the same forecast by other arithmetic."""
COIN = 0.5
"""The forecast of who tosses a coin: its log loss is 0.693, its Brier score 0.25."""
PLAIN_KS = (8, 16, 24, 32, 40, 48)
"""Values of K between which plain Elo chooses, by the matches before the judged ones."""
USUAL_K = 32
"""K of plain Elo if there are no matches before the judged ones."""
START, SCALE = 1500.0, 400.0
"""The rating at the start, and the points per power of ten of the odds, in plain Elo."""


# ---------------------------------------------------------------- plain Elo


class RatedMatch(NamedTuple):
    """The two sides of a rated match. A player has one rating in each mode; the ids tell ratings, not people, apart."""

    winners: tuple[Hashable, ...]
    losers: tuple[Hashable, ...]


class PlainElo(Struct, frozen=True):
    """Forecasts by Elo with one K and nothing else: what every rulebook of ratings should do better than."""

    k: int
    is_chosen: bool
    """Whether K was chosen by earlier matches; False if there are none."""
    forecasts: Sequence[float]
    """What was expected of the winning side, for each judged match."""


def first_judged(days: Sequence[date]) -> int:
    """The index of the first match of the last three months with matches. `days`: of all matches, in their order."""
    months = [first for _, (first, *_rest) in groupby(range(len(days)), lambda n: (days[n].year, days[n].month))]
    return months[-MONTHS:][0] if months else 0


def plain_elo(matches: Sequence[RatedMatch], first: int) -> PlainElo:
    """Forecast the matches from index `first` on, with the K that forecast those before it best."""
    numbers: dict[Hashable, int] = {}
    numbered = [
        tuple(tuple(numbers.setdefault(each, len(numbers)) for each in side) for side in match) for match in matches
    ]
    if not first:
        return PlainElo(USUAL_K, is_chosen=False, forecasts=_forecasts(numbered, len(numbers), USUAL_K))
    by_k = {k: _forecasts(numbered, len(numbers), k) for k in PLAIN_KS}
    best = min(PLAIN_KS, key=lambda k: math.fsum(map(log_loss, by_k[k][:first])))
    return PlainElo(best, is_chosen=True, forecasts=by_k[best][first:])


def _forecasts(matches: Iterable[Sequence[tuple[int, ...]]], ratings_in_all: int, k: int) -> list[float]:
    ratings = [START] * ratings_in_all
    found = []
    for winners, losers in matches:
        if len(winners) == len(losers) == 1:
            won, lost = ratings[winners[0]], ratings[losers[0]]
        else:
            won, lost = (sum([ratings[each] for each in side]) / len(side) for side in (winners, losers))
        expected = expected_score(won, lost, SCALE)
        step = k * (1.0 - expected)
        for each in winners:
            ratings[each] += step
        for each in losers:
            ratings[each] -= step
        found.append(expected)
    return found


# ---------------------------------------------------------------- losses and intervals


class ForecastLoss(Struct, frozen=True):
    """The mean losses of forecasts; lower is better."""

    log_loss: float
    """The mean of -ln(forecast), in nats: 0.693 for tossing a coin."""
    brier: float
    """The Brier score, the mean of (1 - forecast)²: 0.25 for tossing a coin."""


def log_loss(forecast: float) -> float:
    """The log loss of one forecast of the side that won."""
    return -math.log(max(forecast, LEAST_FORECAST))


def loss_of(forecasts: Sequence[float]) -> ForecastLoss:
    """The mean losses of at least one forecast. Their order does not matter to the last bit."""
    count = len(forecasts)
    return ForecastLoss(
        math.fsum(map(log_loss, forecasts)) / count, math.fsum((1.0 - each) ** 2 for each in forecasts) / count
    )


class MeanInterval(Struct, frozen=True):
    """A mean with its 95 % interval. `low` and `high` are None if there are too few days."""

    mean: float
    low: float | None = None
    high: float | None = None

    @property
    def is_below_zero(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.high is not None and self.high < 0

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low is not None and self.low > 0


def intervals(days: Sequence[date], measures: Sequence[Sequence[float]]) -> list[MeanInterval]:
    """The mean of each measure over matches, with its interval. `days`, and each measure, have an entry per match.

    A sample draws as many days as there are, each with all its matches. Its mean is the sum of the matches over their
    number, so long evenings count for more. All measures are taken from the same samples.
    """
    if not days:
        return [MeanInterval(0.0) for _ in measures]
    indices: dict[date, list[int]] = {}
    for index, day in enumerate(days):
        indices.setdefault(day, []).append(index)
    in_order = sorted(indices)
    counts = [len(indices[day]) for day in in_order]
    sums = [[math.fsum(measure[index] for index in indices[day]) for day in in_order] for measure in measures]
    means = [math.fsum(measure) / len(days) for measure in measures]
    if len(in_order) < FEWEST_DAYS:
        return [MeanInterval(mean) for mean in means]
    samples: list[list[float]] = [[] for _ in measures]
    drawn_from = range(len(in_order))
    generator = Random(" ".join(f"{day} {count}" for day, count in zip(in_order, counts, strict=True)))  # noqa: S311  # no secret
    for _ in range(DRAWS):
        drawn = generator.choices(drawn_from, k=len(in_order))
        matches = sum(map(counts.__getitem__, drawn))
        for sums_of_days, sample in zip(sums, samples, strict=True):
            sample.append(sum(map(sums_of_days.__getitem__, drawn)) / matches)
    return [MeanInterval(mean, *_bounds(sample)) for mean, sample in zip(means, samples, strict=True)]


def _bounds(sample: list[float]) -> tuple[float, float]:
    sample.sort()
    outside = round(TAIL * len(sample))
    return sample[outside], sample[-1 - outside]


# ---------------------------------------------------------------- the verdict


class JudgedMatch(NamedTuple):
    """A judged match, with what was expected of the side that won, under both sets of rules."""

    day: date
    """The day on which it was decided, in the time zone of the league."""
    first: float
    second: float
    has_two_winners: bool = False
    """Whether the two sets of rules decide it for different sides."""


class Verdict(Struct, frozen=True):
    """How well two sets of rules foresaw the same matches, the first and the second."""

    kind: VerdictKind
    matches: int
    days: int
    """Days on which these matches were decided."""
    first_month: str
    """The first judged month, such as `2026-03`."""
    last_month: str
    first: ForecastLoss
    second: ForecastLoss
    plain_elo: ForecastLoss
    plain_k: int
    """K of plain Elo."""
    is_k_chosen: bool
    """Whether the matches before the judged ones chose that K; False if there are none."""
    coin: ForecastLoss
    difference: MeanInterval
    """The log loss of the second minus that of the first: below 0 if the second foresees better. The interval is there
    only if the losses can be compared."""
    other_winners: int = 0
    """Judged matches that the two sets of rules decide for different sides."""
    first_fitted: "FittedRules | None" = None
    """How the first rules were fitted, if the fit has read judged months."""
    second_fitted: "FittedRules | None" = None


class FittedRules(Struct, frozen=True):
    """What is known of rules that were fitted to the history of the league."""

    first_month: str
    """The first month that the fit has read."""
    last_month: str
    held_out: Verdict
    """The verdict on the way of fitting: rules that were fitted on earlier months, against those then in force."""

    def has_read(self, first_month: str, last_month: str) -> bool:
        """Whether the fit has read one of these months."""
        return self.first_month <= last_month and first_month <= self.last_month


def judge(
    matches: Sequence[JudgedMatch],
    plain: PlainElo,
    first_fitted: FittedRules | None = None,
    second_fitted: FittedRules | None = None,
) -> Verdict:
    """The verdict on at least one match, in any order within a day. `plain` forecasts the same matches.

    `first_fitted`, `second_fitted`: how the rules were fitted. It matters only if the fit has read a judged month.
    """
    days = [match.day for match in matches]
    first_month, last_month = f"{min(days):%Y-%m}", f"{max(days):%Y-%m}"
    of_first, of_second = (
        None if fitted is None or not fitted.has_read(first_month, last_month) else fitted
        for fitted in (first_fitted, second_fitted)
    )
    other_winners = sum(match.has_two_winners for match in matches)
    difference, kind = _compared(matches)
    if kind != "same" and (other_winners or of_first or of_second):
        difference, kind = MeanInterval(difference.mean), "two_truths" if other_winners else "fitted"
    return Verdict(
        kind=kind,
        matches=len(matches),
        days=len(set(days)),
        first_month=first_month,
        last_month=last_month,
        first=loss_of([match.first for match in matches]),
        second=loss_of([match.second for match in matches]),
        plain_elo=loss_of(plain.forecasts),
        plain_k=plain.k,
        is_k_chosen=plain.is_chosen,
        coin=loss_of([COIN]),
        difference=difference,
        other_winners=other_winners,
        first_fitted=of_first,
        second_fitted=of_second,
    )


def _compared(matches: Sequence[JudgedMatch]) -> tuple[MeanInterval, VerdictKind]:
    if all(abs(match.second - match.first) < ROUNDING for match in matches) and not any(
        match.has_two_winners for match in matches
    ):
        return MeanInterval(0.0), "same"
    differences = [log_loss(match.second) - log_loss(match.first) for match in matches]
    (found,) = intervals([match.day for match in matches], [differences])
    if found.low is None:
        return found, "too_few_days"
    if found.is_below_zero:
        return found, "better"
    return found, "worse" if found.is_above_zero else "no_difference"
