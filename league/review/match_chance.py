"""The chance to win a match from a score: what hands give, seen from many that the AI has played against itself."""

from collections import Counter
from functools import lru_cache

from league.ai.comparison import chooser
from league.ai.matches import LATER_HAND, play_hand, single_hand
from league.ai.stakes import Stakes
from league.domain.hand import HandFacts
from league.domain.hand_winner import Before
from league.domain.play.seen import Seen
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import score_hand
from league.domain.seating import FULL_TABLE, side_of

HANDS = 300
"""Played for each ruleset and mode."""
STEPS = 100
"""Into which the target is divided; points are rounded to them."""
SIDES = 2


class MatchChance:
    """The chances of a match of two sides, under a ruleset that counts points."""

    def __init__(self, ruleset: Ruleset, mode: Mode) -> None:
        self._step = max(1, ruleset.target // STEPS)
        self._target = ruleset.target
        gains = _gains(ruleset, mode, self._step)
        most = -(-ruleset.target // self._step)
        self._won = [[0.5] * (most + 1) for _ in range(most + 1)]
        """By steps that side 0 and side 1 still need, the chance of side 0."""
        for own in range(1, most + 1):
            for other in range(1, most + 1):
                self._won[own][other] = sum(
                    share * self._after(own - gained, other - lost) for (gained, lost), share in gains
                )

    def after(self, score: tuple[int, ...]) -> float:
        """The chance of side 0 with this score, 0 to 1."""
        needed = [-(-(self._target - points) // self._step) for points in score]
        return self._after(needed[0], needed[1])

    def _after(self, own: int, other: int) -> float:
        if own > 0 and other > 0:
            return self._won[own][other]
        if own <= 0 and other <= 0:
            return 0.5 if own == other else float(own < other)
        return float(own <= 0)


class ChanceStakes(Stakes):
    """Weighs how a hand can end by the chance that it leaves to win the match, for the seat that sees it."""

    def __init__(self, seen: Seen, chances: MatchChance) -> None:
        super().__init__(seen)
        assert seen.seat is not None, "a spectator has nothing at stake"
        self._chances, self._is_first = chances, side_of(seen.seat, seen.mode) == 0
        self._score = seen.score or (0,) * SIDES

    def worth(self, facts: HandFacts) -> float:
        """The chance of the own side, 0 to 1."""
        points = score_hand(facts, self._ruleset, self._mode, self._before).points
        of_first = self._chances.after(tuple(one + more for one, more in zip(self._score, points, strict=True)))
        return of_first if self._is_first else 1 - of_first


@lru_cache(maxsize=32)
def match_chance(ruleset: Ruleset, mode: Mode) -> MatchChance | None:
    """The chances under a ruleset; None where it counts no points, or more than two sides play."""
    return None if ruleset.scoring != "points" or mode == "individuals" else MatchChance(ruleset, mode)


def _gains(ruleset: Ruleset, mode: Mode, step: int) -> list[tuple[tuple[int, int], float]]:
    """What a hand gives to both sides, in steps, with its share; each hand counts for either side."""
    found: Counter[tuple[int, int]] = Counter()
    seats = FULL_TABLE if mode == "2v2" else SIDES
    for number in range(HANDS):
        play = single_hand(ruleset, seats, 0, number)
        play_hand(play, mode, [chooser("heuristic", seat) for seat in range(seats)], (0, 0), LATER_HAND)
        points = score_hand(play.facts(), ruleset, mode, Before(LATER_HAND, (0, 0), play.starter)).points
        one, other = (round(side / step) for side in points)
        if one or other:
            found[one, other] += 1
            found[other, one] += 1
    total = sum(found.values())
    return [(gains, count / total) for gains, count in found.items()]
