"""Deals that may be the real one: the hidden tiles, dealt at random among all who may hold them.

A deal comes up about as often as it is likely, by what the seats have played: players do not play at random.
"""

from math import exp
from random import Random
from typing import NamedTuple

from league.ai.knowledge import Knowledge
from league.domain.play import SeenHand

TEMPER = 5
"""Pips by which a tile has to be better for a seat to prefer it almost three times as often."""

SUPPORT = 1.2
"""How much likelier a seat holds a tile of a number that it has opened."""


Odds = list[list[float]]
"""By seat and place of a tile, a factor for the odds that the seat holds it."""


def equal_odds(seen: SeenHand, known: Knowledge) -> Odds:
    """The odds where nothing is concluded from what the seats have played: all deals that fit are equally likely."""
    return [[1.0] * len(known.tiles.tiles) for _ in seen.counts]


def plausibility_of(seen: SeenHand, known: Knowledge) -> Odds:
    """By seat and place of a tile, a factor for the odds that the seat holds it.

    A seat that played one tile, and could have played another if it held it, rather does not hold a better one.
    It rather holds tiles of the number that its play has opened. What a seat played before it drew says nothing of
    the tiles that it drew, so only what it played afterwards counts.
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
    """Where all tiles may be. Masks are those of `WeighedTiles`."""

    held: list[int]
    """By seat, its tiles; the own ones too."""
    boneyard: list[int]
    """The bits of the tiles that can be drawn, the next one last."""


class _TilePlace(NamedTuple):
    """Where some hidden tiles lie: with a seat, or with None in the boneyard or asleep."""

    seat: int | None
    room: int
    may: int


class DealSampler:
    """Deals the hidden tiles of one turn, again and again."""

    def __init__(self, seen: SeenHand, known: Knowledge, random: Random, odds: Odds | None = None) -> None:
        """`odds`: of the hidden tiles; None: what the plays so far make plausible."""
        self._seen, self._known, self._random = seen, known, random
        self._places = [_TilePlace(seat, *group) for seat, groups in enumerate(known.held) for group in groups]
        hidden = known.tiles.places_of(known.hidden)
        rest = len(hidden) - sum(place.room for place in self._places)
        self._places.append(_TilePlace(None, rest, known.tiles.all))
        self._options = {
            tile: [at for at, place in enumerate(self._places) if place.may >> tile & 1] for tile in hidden
        }
        """By tile, the numbers of the places where it may lie."""
        factors = plausibility_of(seen, known) if odds is None else odds
        self._factors = {
            tile: [1.0 if place.seat is None else factors[place.seat][tile] for place in self._places]
            for tile in hidden
        }
        """By tile and place, what the plays so far make of the odds that it lies there."""

    def sample(self) -> SampledDeal:
        """One deal. It keeps to all that is known, and such deals come up about as often as they are likely."""
        random, options = self._random.random, self._options
        room = [place.room for place in self._places]
        lie = [0] * len(room)
        # The tiles with the fewest places first, in a random order among equals.
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
        """A place drawn by the room that it has left, and by how likely it is; None when all of these are full."""
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
    """Move tiles on until one of the places of this tile has room, and return that place."""
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
