"""Hands played to their end on masks, by a quick policy: thousands a second, to weigh a play.

The rules are those of `HandInPlay`; tests hold the two to the same ends. Only what scores a hand is kept.
"""

from typing import NamedTuple

from league.ai.knowledge import Knowledge
from league.domain.hand import Closing, HandFacts
from league.domain.play import Seen, Turn, rewarded_passes

CONTROL = 8
"""Pips that each own tile counts which fits the ends after a play."""

LACKED = 28
"""Pips that an end counts which the next seat cannot meet; half as many for the seat before, in a game of four."""

FOUR = 4
"""Seats, of which the next one and the one before are opponents."""


class Imagined(NamedTuple):
    """A deal that may be the real one, just after a play of the own seat. Masks are those of `WeighedTiles`."""

    held: list[int]
    """By seat, its tiles."""
    boneyard: list[int]
    """The bits of the tiles that can be drawn, the next one last."""
    ends: int
    place: int
    """Of the tile just played."""
    both: bool
    """Whether it could have gone on either end."""


def earned_by_play(seen: Seen) -> tuple[bool, tuple[int, ...]]:
    """The passes that score once the seat to move has played, whichever tile: before its play, and by it.

    Whether there is an opening pass, and the seat of each pase corrido. After a lead the opening pass is still open.
    """
    assert seen.seat is not None, "a spectator has no turn"
    any_tile = (0, 0)
    return rewarded_passes((*seen.turns, Turn(seen.seat, any_tile, None)), len(seen.counts))


class Rollouts:
    """Plays imagined deals of one turn to their end. Each seat plays by what all have seen, and by its own tiles."""

    def __init__(self, seen: Seen, known: Knowledge) -> None:
        assert seen.seat is not None, "a spectator has no turn"
        self.tiles = known.tiles
        self.seat, self.seats, self.starter = seen.seat, len(seen.counts), seen.starter
        self.draw_one = seen.ruleset.cannot_play == "draw_one"
        self.leads = not seen.turns
        self.earned = earned_by_play(seen)
        self.drew = frozenset(turn.seat for turn in seen.turns if turn.where == "draw")
        self.lacks = [sum(1 << half for half in halves) for halves in known.lacks]
        """By seat, the halves of which it is known to hold none, as a mask of halves."""

    def play_out(self, deal: Imagined) -> HandFacts:
        """How the hand ends. Changes the deal."""
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
        """Draw as the ruleset has it; the tile that can be played then, or none."""
        while boneyard:
            bit = boneyard.pop()
            held[seat] |= bit
            if bit & fits or self.draw_one:
                return bit & fits
        return 0

    def _choose(self, hand: int, can: int, ends: int, seat: int, lacks: list[int]) -> tuple[int, int]:
        """The tile to play, and the ends after it: heavy, of use to own tiles, and of none to the opponents."""
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
