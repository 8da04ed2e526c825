"""The end of a hand between two sides, searched to its last tile: what it is worth when all play their best."""

from math import inf

from league.ai.knowledge import Knowledge
from league.ai.rollouts import Imagined, earned_by_play
from league.ai.stakes import Stakes
from league.domain.hand import Closing, HandFacts
from league.domain.play import Seen
from league.domain.seating import count_sides, side_of

SOLVED = 8
"""Tiles held by all seats together up to which a hand is searched."""

TWO_SIDES = 2


def can_be_solved(seen: Seen) -> bool:
    """Whether so little of the hand is left that it is searched instead of played out."""
    sides = count_sides(seen.mode, len(seen.counts))
    return sides == TWO_SIDES and not seen.boneyard and sum(seen.counts) <= SOLVED


class Endgame:
    """Searches imagined deals of one turn. All tiles lie open in them, so it errs on the side of too clever play."""

    def __init__(self, seen: Seen, known: Knowledge, stakes: Stakes) -> None:
        assert seen.seat is not None, "a spectator has no turn"
        self.tiles, self.stakes = known.tiles, stakes
        self.seat, self.seats, self.starter = seen.seat, len(seen.counts), seen.starter
        self.opening_pass, self.corridos = earned_by_play(seen)
        self.drew = tuple({turn.seat for turn in seen.turns if turn.where == "draw"})
        self.ours = [side_of(seat, seen.mode) == side_of(seen.seat, seen.mode) for seat in range(self.seats)]

    def solve(self, deal: Imagined) -> float:
        """What the deal is worth to the own seat."""
        return self._search(deal, self.seat, self.corridos, -inf, inf)

    def _search(self, deal: Imagined, last: int, corridos: tuple[int, ...], low: float, high: float) -> float:
        """The worth of a position just after a play of seat `last`, as far as it lies between `low` and `high`."""
        held, _, ends, _, _ = deal
        if not held[last]:
            return self._end(deal, last, corridos)
        fits = self.tiles.fitting[ends]
        seat = (last + 1) % self.seats
        while not held[seat] & fits:
            if seat == last:
                return self._end(deal, last, corridos)
            seat = (seat + 1) % self.seats
        if seat == last:
            corridos = (*corridos, seat)
        best = -inf if self.ours[seat] else inf
        can = held[seat] & fits
        while can:
            place = can.bit_length() - 1
            can ^= 1 << place
            both = bool(self.tiles.fitting_both[ends] >> place & 1)
            kept = held[:]
            kept[seat] ^= 1 << place
            for becomes in self.tiles.after[ends][place]:
                worth = self._search(Imagined(kept, [], becomes, place, both), seat, corridos, low, high)
                if self.ours[seat]:
                    best, low = max(best, worth), max(low, worth)
                else:
                    best, high = min(best, worth), min(high, worth)
                if low >= high:
                    return best
        return best

    def _end(self, deal: Imagined, last: int, corridos: tuple[int, ...]) -> float:
        left, right = self.tiles.pairs[deal.ends]
        facts = HandFacts(
            starter=self.starter,
            ended_by="block" if deal.held[last] else "domino",
            seat=last,
            leftover=tuple([self.tiles.pips_of(mask) for mask in deal.held]),
            closing=Closing(self.tiles.tiles[deal.place], deal.both, left == right),
            opening_pass=self.opening_pass,
            corridos=corridos,
            drew=self.drew,
        )
        return self.stakes.worth(facts)
