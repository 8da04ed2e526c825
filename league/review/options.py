"""What each play of a decision was worth, for what the seat could see: averages over the deals that fit.

All plays are weighed on the same deals, so that a difference between two of them is more certain than either value.
Every second deal chooses the best play, the others say what the choice of another one cost: the play that looks best
on some deals looks better on them than it is.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from random import Random

from msgspec import Struct

from league.ai.endgame import can_be_solved
from league.ai.heuristic import ends_after
from league.ai.inference import Option, after, options_of, worth_of
from league.ai.knowledge import knowledge_of
from league.ai.rollouts import Imagined
from league.ai.stakes import Stakes
from league.ai.weighed_tiles import weighed_tiles
from league.domain.play.engine import Play
from league.domain.tiles import ordered
from league.review.deals import FittingDeals, WeighedDeal
from league.review.decisions import Decision
from league.review.match_chance import ChanceStakes, match_chance

FIRST_DEALS = 128
"""Deals after which it is asked for the first time whether they suffice; if not, as many again are drawn."""
MOST_DEALS = 2_048
"""Of a decision."""
MOST_LISTED = 600
"""Deals up to which all are listed, instead of some being drawn."""
LISTABLE = 12
"""Tiles in all hands beyond which deals are not listed: there are too many."""
SURE = 2.58
"""Standard errors to either side of an interval: 99 of 100 such intervals hold the true value."""
CLOSE = 1.0
"""Points: an interval that reaches less far up needs no more deals."""
NEGLIGIBLE = 1e-9


Worth = Callable[[Imagined], float]
"""What an imagined deal is worth to the own seat, just after a play of it."""


class Estimate(Struct, frozen=True):
    """An average in points of the own side, less those of the others, with the interval that holds it."""

    value: float
    low: float
    high: float


class OptionValue(Struct, frozen=True):
    """A play and what it was worth."""

    play: Play
    worth: Estimate


class Weighed(Struct, frozen=True):
    """A decision, weighed."""

    options: tuple[OptionValue, ...]
    """The best one first. Plays that leave the same ends by the same tile are one."""
    played: int
    """The place of the play that was made, among the options."""
    loss: Estimate
    """What the play cost beside the best one; zero for the best one itself."""
    deals: int
    """How many were tried."""
    is_exact: bool
    """Whether these were all deals that fit, searched to their end."""
    chances: tuple[float, float] | None
    """To win the match after the play that was made, and after the best one, 0 to 1; None where none is known."""

    @property
    def is_mistake(self) -> bool:
        """Whether the interval says that another play was better."""
        return self.loss.low > NEGLIGIBLE


def weigh(decision: Decision, seed: int, most: int | None = None) -> Weighed:
    """Weigh the plays of a decision; equal arguments give an equal answer. `most`: deals to try, None: MOST_DEALS."""
    most = MOST_DEALS if most is None else most
    known = knowledge_of(decision.seen)
    options = options_of(decision.seen, known)
    if len(options) == 1:
        nothing = Estimate(0.0, 0.0, 0.0)
        return Weighed((OptionValue(options[0].play, nothing),), 0, nothing, 0, is_exact=True, chances=None)
    deals = FittingDeals(decision.seen, known)
    stakes = Stakes(decision.seen, win=0)
    chances = match_chance(decision.seen.ruleset, decision.seen.mode)
    chance = None if chances is None else worth_of(decision.seen, known, ChanceStakes(decision.seen, chances))
    table = _Table(decision, options, worth_of(decision.seen, known, stakes), chance)
    listed = deals.all(MOST_LISTED) if sum(decision.seen.counts) <= LISTABLE else None
    if listed is not None:
        table.add(listed)
        return table.weighed(is_exact=can_be_solved(decision.seen), is_whole=True)
    random = Random(f"{seed} {decision.turn}")  # noqa: S311  # a review is no secret
    while table.deals < most and not table.is_sure():
        table.add(deals.sample(random, min(max(FIRST_DEALS, table.deals), most - table.deals)))
    return table.weighed(is_exact=False, is_whole=False)


class _Table:
    """What every play gave in every deal."""

    def __init__(self, decision: Decision, options: Sequence[Option], worth: Worth, chance: Worth | None) -> None:
        """`chance`: to win the match, if it is known."""
        self._seat, self._options, self._worth, self._chance = decision.seat, options, worth, chance
        self._first: list[WeighedDeal] = []
        self._played = _place_of(decision, options)
        self._values: list[list[float]] = [[] for _ in options]
        self._weights: list[float] = []

    def add(self, deals: Sequence[WeighedDeal]) -> None:
        """Try every play in these deals."""
        self._first += deals[: FIRST_DEALS - len(self._first)]
        for deal, weight in deals:
            self._weights.append(weight)
            for option, values in zip(self._options, self._values, strict=True):
                values.append(self._worth(after(deal, option, self._seat)))

    @property
    def deals(self) -> int:
        """How many were tried."""
        return len(self._weights)

    def is_sure(self) -> bool:
        """Whether it is clear that another play was better, or that none was by more than a point."""
        if not self.deals:
            return False
        others = [self._against(at, slice(None)) for at in range(len(self._options)) if at != self._played]
        return any(one.low > 0 for one in others) or all(one.high < CLOSE for one in others)

    def weighed(self, *, is_exact: bool, is_whole: bool) -> Weighed:
        """The answer. `is_whole`: these are all deals, so that nothing is left to chance."""
        everything = slice(None)
        choosing, judging = (everything, everything) if is_whole else (slice(0, None, 2), slice(1, None, 2))
        worths = [_estimate(values, self._weights, is_whole=is_whole) for values in self._values]
        places = sorted(range(len(worths)), key=lambda at: (-worths[at].value, at != self._played))
        best = max(places, key=lambda at: (self._mean(at, choosing), at == self._played))
        loss = Estimate(0.0, 0.0, 0.0) if best == self._played else self._against(best, judging, is_whole=is_whole)
        return Weighed(
            tuple(OptionValue(self._options[at].play, worths[at]) for at in places),
            places.index(self._played),
            loss,
            self.deals,
            is_exact,
            None if self._chance is None else (self._chance_of(self._played), self._chance_of(best)),
        )

    def _chance_of(self, at: int) -> float:
        """The chance to win the match after a play, over the first deals."""
        assert self._chance is not None, "it is known"
        values = [self._chance(after(deal, self._options[at], self._seat)) for deal, _ in self._first]
        return _estimate(values, [weight for _, weight in self._first], is_whole=True).value

    def _mean(self, at: int, part: slice) -> float:
        return _estimate(self._values[at][part], self._weights[part], is_whole=True).value

    def _against(self, at: int, part: slice, *, is_whole: bool = False) -> Estimate:
        """By how much a play is better than the one that was made, deal by deal."""
        pairs = zip(self._values[at][part], self._values[self._played][part], strict=True)
        return _estimate([one - played for one, played in pairs], self._weights[part], is_whole=is_whole)


def _place_of(decision: Decision, options: Sequence[Option]) -> int:
    """Which of the options was played. Two plays that leave the same ends by the same tile are one."""
    tiles = weighed_tiles(decision.seen.ruleset.set)
    place = tiles.places[ordered(decision.play.tile)]
    ends = tiles.ends_of[ends_after(decision.seen.ends, decision.play)]
    return next(at for at, option in enumerate(options) if (option.place, option.ends) == (place, ends))


def _estimate(values: Sequence[float], weights: Sequence[float], *, is_whole: bool) -> Estimate:
    """The weighed average of values with its interval; without one where they are all there are."""
    total = sum(weights)
    mean = sum(value * weight for value, weight in zip(values, weights, strict=True)) / total
    if is_whole:
        return Estimate(mean, mean, mean)
    squares = sum((weight * (value - mean)) ** 2 for value, weight in zip(values, weights, strict=True))
    error = SURE * sqrt(squares) / total
    return Estimate(mean, mean - error, mean + error)
