"""What the end of a hand is worth to a seat: the points by the ruleset, as far as its match needs them."""

from league.domain.hand import Before, HandFacts
from league.domain.play import Seen
from league.domain.scoring import score_hand
from league.domain.seating import count_sides, side_of

WIN_IN_PIPS = 20
"""Points that winning a hand is worth apart from what it scores, since the winner leads next: about half a hand."""


class Stakes:
    """Weighs how a hand can end, for the seat that sees it."""

    def __init__(self, seen: Seen, win: float = WIN_IN_PIPS) -> None:
        """`win`: points that winning the hand is worth apart from what it scores.

        At most 1 where hands are counted; 1 where a hand scores nothing, in rulesets of hands in a row.
        """
        assert seen.seat is not None, "a spectator has nothing at stake"
        sides = count_sides(seen.mode, len(seen.counts))
        own, scoring = side_of(seen.seat, seen.mode), seen.ruleset.scoring
        by_points = scoring == "points"
        score = seen.score or (0,) * sides
        self._ruleset, self._mode = seen.ruleset, seen.mode
        # After the first hand the winner of the one before leads, and wins a tie where the rules ask for that winner.
        self._before = Before(seen.hand, score, seen.starter if seen.hand > 1 else None)
        self.win = win if by_points else min(win, 1) if scoring == "hands" else 1
        self._needed = [max(1, seen.ruleset.target - points) if by_points else seen.ruleset.target for points in score]
        """By side, the points that it can still use."""
        self._signs = [1.0 if side == own else -1 / (sides - 1) for side in range(sides)]

    def worth(self, facts: HandFacts) -> float:
        """What the own side gets, less what the others get (on average, where there are several)."""
        hand = score_hand(facts, self._ruleset, self._mode, self._before)
        worth = 0.0 if hand.winner is None else self.win * self._signs[hand.winner]
        for points, needed, sign in zip(hand.points, self._needed, self._signs, strict=True):
            if points:
                worth += sign * min(points, needed)
        return worth
