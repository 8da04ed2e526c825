"""How a sampled deal ends, and what that end is worth to a seat.

`Rollouts` plays hands to their end on masks, thousands per second, with a quick policy for every seat. Near the end
`Endgame` searches to the last tile instead. The rules are those of `HandInPlay`; tests check that both agree. Both
record only what a hand is scored by.
"""

from math import inf
from typing import NamedTuple

from league.ai.knowledge import Knowledge
from league.domain.hand import Closing, HandContext, HandFacts
from league.domain.play import SeenHand, Turn, rewarded_passes
from league.domain.scoring import score_hand
from league.domain.seating import count_sides, side_of

WIN_IN_PIPS = 20
"""Value of winning a hand beyond its score, in points of a hand: the winner leads the next hand."""


class HandStakes:
    """Values the possible ends of a hand for the viewing seat."""

    def __init__(self, seen: SeenHand, win: float = WIN_IN_PIPS) -> None:
        """`win`: value of winning the hand beyond its score, in points of a hand.

        It is capped at 1 in rulesets that count hands or score them by their ending. It is always 1 in rulesets of
        hands in a row, where a hand scores nothing.
        """
        assert seen.seat is not None, "a spectator has nothing at stake"
        sides = count_sides(seen.mode, len(seen.counts))
        own, scoring = side_of(seen.seat, seen.mode), seen.ruleset.scoring
        by_points = scoring == "points"
        score = seen.score or (0,) * sides
        self._ruleset, self._mode = seen.ruleset, seen.mode
        # After the first hand, the winner of the previous hand starts. Some rules let that winner win a tie.
        self._before = HandContext(seen.hand, score, seen.starter if seen.hand > 1 else None)
        by_pips = by_points and seen.ruleset.hand_points == "pips"
        self.win = win if by_pips else 1 if scoring == "row" else min(win, 1)
        self._needed = [max(1, seen.ruleset.target - points) if by_points else seen.ruleset.target for points in score]
        """The points that each side still needs to win the match; more are worth nothing to it."""
        self._signs = [1.0 if side == own else -1 / (sides - 1) for side in range(sides)]

    def worth(self, facts: HandFacts) -> float:
        """Points of the own side, minus those of the others (their average, if there are several)."""
        hand = score_hand(facts, self._ruleset, self._mode, self._before)
        worth = 0.0 if hand.winner is None else self.win * self._signs[hand.winner]
        for points, needed, sign in zip(hand.points, self._needed, self._signs, strict=True):
            if points:
                worth += sign * min(points, needed)
        return worth


CONTROL = 8
"""Value of each own tile that fits the ends after a play, in pips."""

LACKED = 28
"""Value of an end that the next seat cannot play on, in pips. With four seats, half of it for the previous seat."""

FOUR = 4
"""Number of seats at which both the next and the previous seat are opponents."""


class DealAfterPlay(NamedTuple):
    """A possible deal, just after a play of the viewing seat. Masks and `ends` are those of `WeighedTiles`."""

    held: list[int]
    """The tiles of each seat, as masks."""
    boneyard: list[int]
    """The bits of the tiles that can be drawn, the next one last."""
    ends: int
    place: int
    """The place of the tile just played."""
    both: bool
    """Whether that tile fitted both ends."""


def earned_by_play(seen: SeenHand) -> tuple[bool, tuple[int, ...]]:
    """The passes that score up to and including a play of the seat to move, whichever tile it plays.

    Returns whether there was an opening pass, and the seat of each pase corrido. Right after the lead, an opening pass
    can still come.
    """
    assert seen.seat is not None, "a spectator has no turn"
    any_tile = (0, 0)
    return rewarded_passes((*seen.turns, Turn(seen.seat, any_tile, None)), len(seen.counts))


class Rollouts:
    """Plays sampled deals of one turn to their end. Each seat plays by what everybody has seen and by its own tiles."""

    def __init__(self, seen: SeenHand, known: Knowledge) -> None:
        assert seen.seat is not None, "a spectator has no turn"
        self.tiles = known.tiles
        self.seat, self.seats, self.starter = seen.seat, len(seen.counts), seen.starter
        self.draw_one = seen.ruleset.cannot_play == "draw_one"
        self.leads = not seen.turns
        self.earned = earned_by_play(seen)
        self.drew = frozenset(turn.seat for turn in seen.turns if turn.where == "draw")
        self.lacks = [sum(1 << half for half in halves) for halves in known.lacks]
        """The halves that each seat is known not to hold, by seat, as masks of halves."""

    def play_out(self, deal: DealAfterPlay) -> HandFacts:
        """Play the hand to its end and return its facts. This changes the deal."""
        held, boneyard, ends, place, both = deal
        seats, tiles = self.seats, self.tiles
        fitting, after = tiles.fitting, tiles.after
        seat = last = self.seat
        passes, opening, (opening_pass, earned) = 0, self.leads, self.earned
        drew, corridos, lacks = self.drew, [*earned], self.lacks[:]
        while held[last]:
            seat = seat + 1 if seat + 1 < seats else 0
            can = held[seat] & fitting[ends]
            if not can and boneyard:
                drew |= {seat}
                lacks[seat] = 0
                can = self._draw(held, boneyard, seat, fitting[ends])
            if not can:
                lacks[seat] |= tiles.shown[ends]
                passes += 1
                if passes >= seats and not boneyard:
                    break
                continue
            if passes:
                opening_pass = opening_pass or (opening and passes == 1 and seats > 2)  # noqa: PLR2004  # a third seat
                if seat == last:
                    corridos.append(seat)
                passes = 0
            opening, last, before = False, seat, ends
            becomes = after[ends][can.bit_length() - 1]
            if can & (can - 1) or len(becomes) > 1:
                place, ends = self._choose(held[seat], can, ends, seat, lacks)
            else:
                place, ends = can.bit_length() - 1, becomes[0]
            held[seat] ^= 1 << place
            both = bool(tiles.fitting_both[before] >> place & 1)
        return HandFacts(
            starter=self.starter,
            ended_by="block" if held[last] else "domino",
            seat=last,
            leftover=tuple([tiles.pips_of(mask) for mask in held]),
            closing=Closing(tiles.tiles[place], both, tiles.pairs[ends][0] == tiles.pairs[ends][1]),
            opening_pass=opening_pass,
            corridos=tuple(corridos),
            drew=tuple(drew),
        )

    def _draw(self, held: list[int], boneyard: list[int], seat: int, fits: int) -> int:
        """Draw as the ruleset says. Returns the bit of the tile that can be played then, or 0."""
        while boneyard:
            bit = boneyard.pop()
            held[seat] |= bit
            if bit & fits or self.draw_one:
                return bit & fits
        return 0

    def _choose(self, hand: int, can: int, ends: int, seat: int, lacks: list[int]) -> tuple[int, int]:
        """The place of the tile to play, and the ends after it.

        The policy prefers heavy tiles, and ends that own tiles fit and opponents cannot play on.
        """
        tiles = self.tiles
        fitting, weights, shown, after = tiles.fitting, tiles.weights, tiles.shown, tiles.after[ends]
        behind = lacks[(seat + 1) % self.seats]
        ahead = lacks[seat - 1] if self.seats == FOUR else 0
        best, chosen, left = -1.0, -1, -1
        while can:
            place = can.bit_length() - 1
            bit = 1 << place
            can ^= bit
            for becomes in after[place]:
                worth = weights[place] + CONTROL * ((hand ^ bit) & fitting[becomes]).bit_count()
                if behind:
                    worth += LACKED * (behind & shown[becomes]).bit_count()
                if ahead:
                    worth += LACKED / 2 * (ahead & shown[becomes]).bit_count()
                if worth > best:
                    best, chosen, left = worth, place, becomes
        return chosen, left


SOLVED = 8
"""Up to this many tiles in all hands together, a hand is searched instead of played out."""

TWO_SIDES = 2


def can_be_solved(seen: SeenHand) -> bool:
    """Whether so few tiles are left that the hand is searched exactly. Only for two sides and an empty boneyard."""
    sides = count_sides(seen.mode, len(seen.counts))
    return sides == TWO_SIDES and not seen.boneyard and sum(seen.counts) <= SOLVED


class Endgame:
    """Searches sampled deals of one turn to their end. All seats see all tiles, so it assumes too clever play."""

    def __init__(self, seen: SeenHand, known: Knowledge, stakes: HandStakes) -> None:
        assert seen.seat is not None, "a spectator has no turn"
        self.tiles, self.stakes = known.tiles, stakes
        self.seat, self.seats, self.starter = seen.seat, len(seen.counts), seen.starter
        self.opening_pass, self.corridos = earned_by_play(seen)
        self.drew = tuple({turn.seat for turn in seen.turns if turn.where == "draw"})
        self.ours = [side_of(seat, seen.mode) == side_of(seen.seat, seen.mode) for seat in range(self.seats)]

    def solve(self, deal: DealAfterPlay) -> float:
        """What the deal is worth to the viewing seat, in points of a hand."""
        return self._search(deal, self.seat, self.corridos, -inf, inf)

    def _search(self, deal: DealAfterPlay, last: int, corridos: tuple[int, ...], low: float, high: float) -> float:
        """The worth of a position just after a play of seat `last`, by alpha-beta search between `low` and `high`."""
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
                worth = self._search(DealAfterPlay(kept, [], becomes, place, both), seat, corridos, low, high)
                if self.ours[seat]:
                    best, low = max(best, worth), max(low, worth)
                else:
                    best, high = min(best, worth), min(high, worth)
                if low >= high:
                    return best
        return best

    def _end(self, deal: DealAfterPlay, last: int, corridos: tuple[int, ...]) -> float:
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
