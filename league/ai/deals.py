"""Samples deals that may be the real one: the hidden tiles, dealt at random to the places where they may lie.

Players do not play at random, so what a seat has played makes some deals likelier. Likelier deals come up more often.
"""

from math import exp
from random import Random
from typing import NamedTuple

from league.ai.knowledge import Knowledge
from league.domain.play import SeenHand

TEMPER = 5
"""If a tile weighs this many pips more than another, the odds that a seat prefers it are e to 1, almost three to 1."""

SUPPORT = 1.2
"""Factor for the odds that a seat holds a tile, if the seat has opened a number of that tile."""


Odds = list[list[float]]
"""A factor for the odds that a seat holds a tile: `odds[seat][place of the tile]`."""


def equal_odds(seen: SeenHand, known: Knowledge) -> Odds:
    """The odds if nothing is concluded from what the seats have played: all deals that fit are equally likely."""
    return [[1.0] * len(known.tiles.tiles) for _ in seen.counts]


def plausibility_of(seen: SeenHand, known: Knowledge) -> Odds:
    """The odds that each seat holds each hidden tile, judged by what the seat has played.

    When a seat plays a tile, it is less likely to hold a better tile that it could have played instead. It is more
    likely to hold tiles of the number that its play has opened. Plays before a draw say nothing about the tiles drawn,
    so only the plays after the seat's last draw count.
    """
    tiles = known.tiles
    factors = equal_odds(seen, known)
    left = right = -1
    for turn in seen.turns:
        mine = factors[turn.seat]
        if turn.where == "draw":
            factors[turn.seat] = [1.0] * len(tiles.tiles)
        elif turn.tile is not None:
            a, b = turn.tile
            place = tiles.bits[turn.tile].bit_length() - 1
            could = tiles.all if left < 0 else tiles.with_half[left] | tiles.with_half[right]
            left, right = (a if turn.where != "right" else left), (b if turn.where != "left" else right)
            if turn.seat == seen.seat:
                continue
            for other in tiles.places_of(could & known.hidden):
                mine[other] *= 2 / (1 + exp((tiles.weights[other] - tiles.weights[place]) / TEMPER))
            opened = tiles.with_half[a if turn.where == "left" else b]
            for other in tiles.places_of(opened & known.hidden):
                mine[other] *= SUPPORT
    return factors


class SampledDeal(NamedTuple):
    """A possible deal: where all tiles lie at this turn. Masks are those of `WeighedTiles`."""

    held: list[int]
    """The tiles of each seat, by seat, as masks. The viewing seat is included."""
    boneyard: list[int]
    """The bits of the tiles that can be drawn, the next one last."""


class TilePlace(NamedTuple):
    """A place where hidden tiles lie: a group of a seat's tiles, or the tiles that no seat holds."""

    seat: int | None
    """None for the boneyard and the tiles asleep."""
    room: int
    """How many hidden tiles lie there."""
    may: int
    """Mask of the tiles that may lie there."""


class DealSampler:
    """Samples deals of the hidden tiles at one turn."""

    def __init__(self, seen: SeenHand, known: Knowledge, random: Random, odds: Odds | None = None) -> None:
        """`odds`: the odds of the hidden tiles; None takes them from `plausibility_of`."""
        self._seen, self._known, self._random = seen, known, random
        self._places = [TilePlace(seat, *group) for seat, groups in enumerate(known.held) for group in groups]
        hidden = known.tiles.places_of(known.hidden)
        rest = len(hidden) - sum(place.room for place in self._places)
        self._places.append(TilePlace(None, rest, known.tiles.all))
        self._options = {
            tile: [at for at, place in enumerate(self._places) if place.may >> tile & 1] for tile in hidden
        }
        """The numbers of the places where each hidden tile may lie."""
        factors = plausibility_of(seen, known) if odds is None else odds
        self._factors = {
            tile: [1.0 if place.seat is None else factors[place.seat][tile] for place in self._places]
            for tile in hidden
        }
        """A factor for the odds that a tile lies at a place: `factors[tile][place]`."""

    def sample(self) -> SampledDeal:
        """One deal that agrees with all that is known. Deals come up roughly in proportion to their likelihood."""
        random, options = self._random.random, self._options
        room = [place.room for place in self._places]
        lie = [0] * len(room)
        # Place the tiles with the fewest places first; order tiles with equally many at random.
        for tile in sorted(options, key=lambda tile: len(options[tile]) + random()):
            at = self._drawn(options[tile], room, self._factors[tile])
            if at is None:
                at = _make_room(tile, options, room, lie, set())
            assert at is not None, "what the turns have shown leaves a place for every tile"
            room[at] -= 1
            lie[at] |= 1 << tile
        held = [0] * len(self._seen.counts)
        assert self._seen.seat is not None
        held[self._seen.seat] = self._known.own
        for place, mask in zip(self._places, lie, strict=True):
            if place.seat is not None:
                held[place.seat] |= mask
        return SampledDeal(held, self._boneyard(lie[-1]))

    def _drawn(self, options: list[int], room: list[int], factors: list[float]) -> int | None:
        """Draw one of the places, weighted by its free room and its factor. None if all of them are full."""
        total = 0.0
        for at in options:
            total += room[at] * factors[at]
        if not total:
            return None
        ticket = self._random.random() * total
        for at in options:
            ticket -= room[at] * factors[at]
            if ticket < 0:
                return at
        return None

    def _boneyard(self, rest: int) -> list[int]:
        if not self._seen.boneyard:
            return []
        bits = [1 << tile for tile in self._known.tiles.places_of(rest)]
        self._random.shuffle(bits)
        return bits


def _make_room(
    tile: int, options: dict[int, list[int]], room: list[int], lie: list[int], tried: set[int]
) -> int | None:
    """Move other tiles until one of the places of this tile has room, and return that place. None if that fails."""
    for at in options[tile]:
        if room[at]:
            return at
        if at in tried:
            continue
        tried.add(at)
        for other in (other for other in options if lie[at] >> other & 1):
            to = _make_room(other, options, room, lie, tried)
            if to is not None:
                lie[at] ^= 1 << other
                lie[to] |= 1 << other
                room[at] += 1
                room[to] -= 1
                return at
    return None
