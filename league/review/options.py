"""Values each play of a decision by what the seat could see: averages over the deals that fit.

All plays are valued on the same deals, so the difference between two plays is more certain than either value. If deals
are sampled, one sample chooses the best play, and a second sample says what the actual play cost: the play that looks
best on a sample looks better there than it is.

The odds of deals rest on the assumption that players prefer some tiles to others (`league.ai.deals`). Therefore a play
is called a mistake only if it also is one when all deals are equally likely.

Plays are also valued by the chance to win the match from the score that they leave. These chances come from many hands
that the AI played against itself.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt
from random import Random

from msgspec import Struct

from league.ai.deals import equal_odds
from league.ai.knowledge import Knowledge, knowledge_of, weighed_tiles
from league.ai.levels import PlayOption, after, ends_after, options_of, rollout_worth, worth_of
from league.ai.matches import LATER_HAND, chooser, play_hand, single_hand
from league.ai.rollouts import DealAfterPlay, HandStakes, can_be_solved
from league.domain.hand import HandContext, HandFacts
from league.domain.play import Play, SeenHand
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import score_hand
from league.domain.seating import FULL_TABLE, side_of
from league.domain.tiles import ordered
from league.review.decisions import FittingDeals, PlayDecision, WeighedDeal

HANDS = 300
"""Hands that the AI plays for each ruleset and mode, to learn what hands score."""
STEPS = 100
"""Steps into which the target is divided. Match points are rounded to steps."""
SIDES = 2


class MatchChance:
    """The chances to win a match of two sides from each score, under a ruleset that counts points."""

    def __init__(self, ruleset: Ruleset, mode: Mode) -> None:
        self._step = max(1, ruleset.target // STEPS)
        self._target = ruleset.target
        gains = _gains(ruleset, mode, self._step)
        most = -(-ruleset.target // self._step)
        self._won = [[0.5] * (most + 1) for _ in range(most + 1)]
        """The chance of side 0: `won[steps that side 0 needs][steps that side 1 needs]`."""
        for own in range(1, most + 1):
            for other in range(1, most + 1):
                self._won[own][other] = sum(
                    share * self._after(own - gained, other - lost) for (gained, lost), share in gains
                )

    def after(self, score: tuple[int, ...]) -> float:
        """The chance of side 0 at this score, from 0 to 1."""
        needed = [-(-(self._target - points) // self._step) for points in score]
        return self._after(needed[0], needed[1])

    def _after(self, own: int, other: int) -> float:
        if own > 0 and other > 0:
            return self._won[own][other]
        if own <= 0 and other <= 0:
            return 0.5 if own == other else float(own < other)
        return float(own <= 0)


class ChanceStakes(HandStakes):
    """Values the possible ends of a hand by the chance to win the match that they leave to the viewing seat."""

    def __init__(self, seen: SeenHand, chances: MatchChance) -> None:
        super().__init__(seen)
        assert seen.seat is not None, "a spectator has nothing at stake"
        self._chances, self._is_first = chances, side_of(seen.seat, seen.mode) == 0
        self._score = seen.score or (0,) * SIDES

    def worth(self, facts: HandFacts) -> float:
        """The chance of the own side to win the match, from 0 to 1."""
        points = score_hand(facts, self._ruleset, self._mode, self._before).points
        of_first = self._chances.after(tuple(one + more for one, more in zip(self._score, points, strict=True)))
        return of_first if self._is_first else 1 - of_first


@lru_cache(maxsize=32)
def match_chance(ruleset: Ruleset, mode: Mode) -> MatchChance | None:
    """The chances under a ruleset. None if it counts no points, or if more than two sides play."""
    return None if ruleset.scoring != "points" or mode == "individuals" else MatchChance(ruleset, mode)


def _gains(ruleset: Ruleset, mode: Mode, step: int) -> list[tuple[tuple[int, int], float]]:
    """What hands add to both scores, in steps, with the share of hands. Each also counts with the sides swapped."""
    found: Counter[tuple[int, int]] = Counter()
    seats = FULL_TABLE if mode == "2v2" else SIDES
    for number in range(HANDS):
        play = single_hand(ruleset, seats, 0, number)
        play_hand(play, mode, [chooser("heuristic", seat) for seat in range(seats)], (0, 0), LATER_HAND)
        points = score_hand(play.facts(), ruleset, mode, HandContext(LATER_HAND, (0, 0), play.starter)).points
        one, other = (round(side / step) for side in points)
        if one or other:
            found[one, other] += 1
            found[other, one] += 1
    total = sum(found.values())
    return [(gains, count / total) for gains, count in found.items()]


FIRST_DEALS = 64
"""Size of the first sample that chooses the best play. While the choice is not clear, the sample is doubled."""
MOST_DEALS = 1_024
"""Limit on the deals that choose the best play of a decision."""
JUDGING_DEALS = 512
"""Size of the second sample, which says what the actual play cost. It is large enough to meet a rare large loss."""
CHANCE_DEALS = 128
"""Deals in which the chances to win the match are computed."""
MOST_LISTED = 600
"""If at most this many deals fit, all are listed. Otherwise deals are sampled."""
LISTABLE = 12
"""Limit on tiles in all hands together up to which deals are listed. With more tiles there are too many deals."""
SURE = 2.58
"""Half width of an interval in standard errors: 99 of 100 such intervals contain the true value."""
CLOSE = 1.0
"""Points of a hand. A play that is better by less makes the other play no mistake, and needs no more deals."""
CLOSE_IN_HANDS = 0.2
"""Replaces CLOSE in rulesets without points. A hand won is 2 more than a hand lost, so this is 10 hands of 100."""


Worth = Callable[[DealAfterPlay], float]
"""Values a deal for the viewing seat, just after its play."""


class WorthEstimate(Struct, frozen=True):
    """An average with its 99 % interval, in points of the own side minus those of the others."""

    value: float
    low: float
    high: float


class OptionValue(Struct, frozen=True):
    """A possible play and its value."""

    play: Play
    worth: WorthEstimate
    wins: float | None = None
    """Share of the deals in which it gave the own side more points than the others; None if it was the only play."""


class WeighedDecision(Struct, frozen=True):
    """A decision with the value of each possible play."""

    options: tuple[OptionValue, ...]
    """The possible plays, the most valuable in the judging sample first. Plays of one tile that leave the same ends are
    one option."""
    played: int
    """Index of the actual play among the options."""
    best: int
    """Index of the play with which the actual play is compared: the best one in the choosing sample."""
    loss: WorthEstimate
    """What the actual play cost compared with the best one; zero if it is the best one.

    It can be slightly below zero, because other deals judge than those that chose the best play.
    """
    is_mistake: bool
    """Whether the best play was certainly better, by CLOSE or CLOSE_IN_HANDS or more; with equal odds too."""
    deals: int
    """How many deals were tried."""
    is_whole: bool
    """Whether these were all deals that fit, each weighted by its assumed odds, so that nothing was left to chance."""
    chances: tuple[float, float] | None
    """Chances to win the match after the actual play and after the best one, from 0 to 1; None if not known."""
    is_in_hands: bool = False
    """Whether the unit is hands instead of points: 1 for a hand won, -1 for a hand lost."""


def weigh(decision: PlayDecision, seed: int, most: int | None = None) -> WeighedDecision:
    """Value the plays of a decision. Equal arguments give an equal result.

    `most`: limit on the deals that choose the best play; None means MOST_DEALS.
    """
    most = MOST_DEALS if most is None else most
    known = knowledge_of(decision.seen)
    options = options_of(decision.seen, known)
    if len(options) == 1:
        nothing = WorthEstimate(0.0, 0.0, 0.0)
        only = (OptionValue(options[0].play, nothing, wins=None),)
        in_hands = counts_hands(decision.seen.ruleset)
        return WeighedDecision(
            only, 0, 0, nothing, is_mistake=False, deals=0, is_whole=True, chances=None, is_in_hands=in_hands
        )
    deals = FittingDeals(decision.seen, known)
    of = _PlayWeigher(decision, known, options)
    listed = deals.all(MOST_LISTED) if sum(decision.seen.counts) <= LISTABLE else None
    if listed is not None:
        return of.weighed_over_all(listed)
    random = Random(f"{seed} {decision.turn}")  # noqa: S311  # a review is no secret
    choosing = of.table()
    while choosing.deals < most and not choosing.is_clear():
        choosing.add(deals.sample(random, min(max(FIRST_DEALS, choosing.deals), most - choosing.deals)))
    if choosing.best == choosing.played:
        return of.weighed(choosing, choosing, lambda: ())
    judging = of.table()
    judging.add(deals.sample(random, min(JUDGING_DEALS, most)))
    equally_likely = FittingDeals(decision.seen, known, equal_odds(decision.seen, known))
    return of.weighed(choosing, judging, lambda: equally_likely.sample(random, min(JUDGING_DEALS, most)))


def counts_hands(ruleset: Ruleset) -> bool:
    """Whether the ruleset counts hands instead of points."""
    return ruleset.scoring != "points"


class _DealTable:
    """The value of every play in every deal that was tried."""

    def __init__(
        self, seat: int, options: Sequence[PlayOption], worth: Worth, played: int, close: float = CLOSE
    ) -> None:
        """`played`: index of the actual play among the options; `close`: a smaller loss is no mistake."""
        self._seat, self._options, self._worth, self.played = seat, options, worth, played
        self._close = close
        self._values: list[list[float]] = [[] for _ in options]
        self.weighed_deals: list[WeighedDeal] = []

    def add(self, deals: Sequence[WeighedDeal]) -> None:
        """Try every play in these deals."""
        self.weighed_deals += deals
        for deal, _ in deals:
            for option, values in zip(self._options, self._values, strict=True):
                values.append(self._worth(after(deal, option, self._seat)))

    @property
    def deals(self) -> int:
        """How many deals were tried."""
        return len(self.weighed_deals)

    @property
    def best(self) -> int:
        """The index of the most valuable play. If it is equal to others, the actual play comes first."""
        return max(range(len(self._options)), key=lambda at: (self.worth(at).value, at == self.played))

    def is_clear(self) -> bool:
        """Whether it is clear that another play was better, or that none was better by much."""
        if not self.deals:
            return False
        others = [self.against_played(at) for at in range(len(self._options)) if at != self.played]
        return any(one.low > 0 for one in others) or all(one.high < self._close for one in others)

    def worth(self, at: int, *, is_whole: bool = False) -> WorthEstimate:
        """The average value of a play. `is_whole`: these are all deals, so the interval has no width."""
        return _estimate(self._values[at], self._weights, is_whole=is_whole)

    def wins(self, at: int) -> float:
        """The share of the deals in which the value of a play was above 0."""
        pairs = zip(self._values[at], self._weights, strict=True)
        return sum(weight for value, weight in pairs if value > 0) / sum(self._weights)

    def against_played(self, at: int, *, is_whole: bool = False, with_equal_odds: bool = False) -> WorthEstimate:
        """How much better a play is than the actual play, compared deal by deal."""
        pairs = zip(self._values[at], self._values[self.played], strict=True)
        weights = [1.0] * self.deals if with_equal_odds else self._weights
        return _estimate([one - played for one, played in pairs], weights, is_whole=is_whole)

    @property
    def _weights(self) -> list[float]:
        return [weight for _, weight in self.weighed_deals]


class _PlayWeigher:
    """Values the plays of one decision by points, and by the chance to win the match."""

    def __init__(self, decision: PlayDecision, known: Knowledge, options: Sequence[PlayOption]) -> None:
        self._decision, self._known, self._options = decision, known, options
        self._stakes = HandStakes(decision.seen, win=0)
        self._worth = worth_of(decision.seen, known, self._stakes)
        self._played = _place_of(decision, options)
        self._is_in_hands = counts_hands(decision.seen.ruleset)
        self._close = CLOSE_IN_HANDS if self._is_in_hands else CLOSE

    def table(self, worth: Worth | None = None) -> _DealTable:
        """An empty table. `worth`: how deals are valued; None means by points, near the end by exact search."""
        return _DealTable(self._decision.seat, self._options, worth or self._worth, self._played, self._close)

    def weighed_over_all(self, deals: Sequence[WeighedDeal]) -> WeighedDecision:
        """The result if these are all deals that fit.

        If an exact search, in which all tiles are open, finds a mistake, a rollout in which each seat plays by what it
        sees must find it too.
        """
        table = self.table()
        table.add(deals)
        best = table.best
        is_mistake = self._costs_over_all(table, best)
        if is_mistake and can_be_solved(self._decision.seen):
            by_sight = self.table(rollout_worth(self._decision.seen, self._known, self._stakes))
            by_sight.add(deals)
            is_mistake = self._costs_over_all(by_sight, best)
        loss = table.against_played(best, is_whole=True)
        return self._answer(table, best, loss, deals, is_mistake=is_mistake, is_whole=True)

    def weighed(
        self, choosing: _DealTable, judging: _DealTable, equally_likely: Callable[[], Sequence[WeighedDeal]]
    ) -> WeighedDecision:
        """The result if deals were sampled. `equally_likely` samples deals with equal odds."""
        best = choosing.best
        loss = WorthEstimate(0.0, 0.0, 0.0) if best == self._played else judging.against_played(best)
        is_mistake = self._costs(loss)
        if is_mistake:
            with_equal_odds = self.table()
            with_equal_odds.add(equally_likely())
            is_mistake = self._costs(with_equal_odds.against_played(best))
        deals = judging.weighed_deals[:CHANCE_DEALS]
        return self._answer(judging, best, loss, deals, is_mistake=is_mistake, is_whole=False)

    def _costs_over_all(self, table: _DealTable, best: int) -> bool:
        """Whether the actual play was certainly worse over all deals, with the assumed odds and with equal odds."""
        both = (table.against_played(best, is_whole=True, with_equal_odds=equal) for equal in (False, True))
        return all(map(self._costs, both))

    def _costs(self, loss: WorthEstimate) -> bool:
        """Whether a loss is certain and large enough to be a mistake."""
        return loss.low > 0 and loss.value >= self._close

    def _answer(
        self,
        table: _DealTable,
        best: int,
        loss: WorthEstimate,
        deals: Sequence[WeighedDeal],
        *,
        is_mistake: bool,
        is_whole: bool,
    ) -> WeighedDecision:
        worths = [table.worth(at, is_whole=is_whole) for at in range(len(self._options))]
        places = sorted(range(len(worths)), key=lambda at: (-worths[at].value, at != self._played))
        return WeighedDecision(
            tuple(OptionValue(self._options[at].play, worths[at], table.wins(at)) for at in places),
            places.index(self._played),
            places.index(best),
            loss,
            is_mistake,
            table.deals,
            is_whole,
            self._chances(best, deals),
            self._is_in_hands,
        )

    def _chances(self, best: int, deals: Sequence[WeighedDeal]) -> tuple[float, float] | None:
        seen = self._decision.seen
        if (chances := match_chance(seen.ruleset, seen.mode)) is None:
            return None
        both = [self._options[self._played], self._options[best]]
        table = _DealTable(self._decision.seat, both, worth_of(seen, self._known, ChanceStakes(seen, chances)), 0)
        table.add(deals)
        return table.worth(0, is_whole=True).value, table.worth(1, is_whole=True).value


def _place_of(decision: PlayDecision, options: Sequence[PlayOption]) -> int:
    """The index of the actual play among the options."""
    tiles = weighed_tiles(decision.seen.ruleset.set)
    place = tiles.places[ordered(decision.play.tile)]
    ends = tiles.ends_of[ends_after(decision.seen.ends, decision.play)]
    return next(at for at, option in enumerate(options) if (option.place, option.ends) == (place, ends))


def _estimate(values: Sequence[float], weights: Sequence[float], *, is_whole: bool) -> WorthEstimate:
    """The weighted average of values with its interval. If the values are complete, the interval has no width."""
    total = sum(weights)
    mean = sum(value * weight for value, weight in zip(values, weights, strict=True)) / total
    if is_whole:
        return WorthEstimate(mean, mean, mean)
    squares = sum((weight * (value - mean)) ** 2 for value, weight in zip(values, weights, strict=True))
    error = SURE * sqrt(squares) / total
    return WorthEstimate(mean, mean - error, mean + error)
