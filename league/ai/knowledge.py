"""What a seat knows for certain about the hidden tiles: which they are, and which of them each other seat may hold.

`WeighedTiles` numbers the tiles of a set by weight, so that sets of tiles are bit masks. It also has tables of what the
open ends become when a tile is played.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from league.domain.play import SeenHand
from league.domain.tiles import HIGHEST_HALF, SetName, Tile, full_set, is_double, ordered, tile_pips

DOUBLE = 20
"""Extra weight of a double, in pips. A double goes on one number only, so it should be played early."""


class WeighedTiles:
    """A set of dominoes in order of weight, with lookup tables for quick play.

    A tile's place is its number in this order, and its bit is `1 << place`: the highest bit of a mask is the tile to
    play first. `ends` is one number that stands for the pair of open ends. The order of the two ends does not matter
    to what can be played.
    """

    def __init__(self, name: SetName) -> None:
        self.tiles: tuple[Tile, ...] = tuple(sorted(full_set(name), key=_weight))
        self.places = {tile: place for place, tile in enumerate(self.tiles)}
        self.bits = {lying: 1 << self.places[ordered(lying)] for a, b in self.tiles for lying in ((a, b), (b, a))}
        """The bit of each tile, in either direction."""
        self.pips = tuple(map(tile_pips, self.tiles))
        self.weights = tuple(_weight(tile)[0] for tile in self.tiles)
        self.all = (1 << len(self.tiles)) - 1
        self.doubles = self.mask(filter(is_double, self.tiles))
        self.halves = range(HIGHEST_HALF[name] + 1)
        self.with_half = tuple(self.mask(tile for tile in self.tiles if half in tile) for half in self.halves)
        """The tiles that have a half, by half."""
        self.pairs: tuple[Tile, ...] = tuple(sorted(full_set(name)))
        """The two open halves, by `ends`. These are the tiles of the set in another order."""
        self.shown = tuple(1 << a | 1 << b for a, b in self.pairs)
        """The open halves as a mask of halves, by `ends`."""
        self.ends_of = {lying: at for at, (a, b) in enumerate(self.pairs) for lying in ((a, b), (b, a))}
        self.fitting = tuple(self.with_half[a] | self.with_half[b] for a, b in self.pairs)
        """The tiles that can be played, by `ends`."""
        self.fitting_both = tuple(self.with_half[a] & self.with_half[b] for a, b in self.pairs)
        """The tiles that fit both ends, by `ends`."""
        self.after = tuple(tuple(self._after(ends, tile) for tile in self.tiles) for ends in self.pairs)
        """What the ends can become when a tile is played: none, one or two values of `ends`; by `ends` and place."""

    def mask(self, tiles: Iterable[Tile]) -> int:
        """The mask of some tiles. Each tile must be named once only."""
        return sum(self.bits[tile] for tile in tiles)

    def places_of(self, mask: int) -> list[int]:
        """The places of the tiles of a mask, from the lightest to the heaviest."""
        found = []
        while mask:
            low = mask & -mask
            found.append(low.bit_length() - 1)
            mask ^= low
        return found

    def pips_of(self, mask: int) -> int:
        """The total pips of the tiles of a mask."""
        total = 0
        while mask:
            low = mask & -mask
            total += self.pips[low.bit_length() - 1]
            mask ^= low
        return total

    def _after(self, ends: Tile, tile: Tile) -> tuple[int, ...]:
        found: list[int] = []
        for closed, open_end in (ends, ends[::-1]):
            for meets, shows in (tile, tile[::-1]):
                if meets == closed and (becomes := self.ends_of[shows, open_end]) not in found:
                    found.append(becomes)
        return tuple(found)


def _weight(tile: Tile) -> tuple[float, Tile]:
    return (tile_pips(tile) + (DOUBLE if is_double(tile) else 0), tile)


@lru_cache
def weighed_tiles(name: SetName) -> WeighedTiles:
    """The set with this name, in order of weight."""
    return WeighedTiles(name)


class HeldTiles(NamedTuple):
    """A group of hidden tiles that a seat got at the same time."""

    number: int
    """How many tiles the group has."""
    may: int
    """Mask of the tiles that they may be."""


class Knowledge(NamedTuple):
    """What a seat can conclude from what it sees. Masks are those of `WeighedTiles`."""

    tiles: WeighedTiles
    own: int
    """The tiles that the seat holds."""
    hidden: int
    """The tiles that the seat does not see: in other hands, in the boneyard, or asleep."""
    held: tuple[tuple[HeldTiles, ...], ...]
    """The hidden tiles of each seat in groups, the oldest group first; empty for the viewing seat.

    When a seat passes or draws, none of the tiles that it holds at that moment fits either end. Tiles that it draws
    later may fit. So an older group is always restricted at least as much as a newer one.
    """
    lacks: tuple[frozenset[int], ...]
    """The halves that each seat certainly does not hold, by seat; empty for the viewing seat."""


def knowledge_of(seen: SeenHand) -> Knowledge:
    """What a seat can conclude from the turns of a hand."""
    tiles = weighed_tiles(seen.ruleset.set)
    own = tiles.mask(seen.tiles)
    played, held = _followed(seen, tiles)
    hidden = tiles.all & ~own & ~played
    lacks = tuple(_lacked(groups, hidden, tiles) if seat != seen.seat else frozenset() for seat, groups in held)
    return Knowledge(tiles, own, hidden, tuple(groups for _, groups in held), lacks)


def _followed(seen: SeenHand, tiles: WeighedTiles) -> tuple[int, list[tuple[int, tuple[HeldTiles, ...]]]]:
    """The mask of the tiles played, and the groups of hidden tiles of each seat."""
    seats = range(len(seen.counts))
    held = [
        [HeldTiles(seen.ruleset.tiles_each, _dealt(seen, seat, tiles))] if seat != seen.seat else [] for seat in seats
    ]
    played, left, right, drawn = 0, -1, -1, False
    for turn in seen.turns:
        mine = held[turn.seat]
        if turn.tile is not None and turn.where != "draw":
            bit = tiles.bits[turn.tile]
            played |= bit
            # A seat that has just drawn plays the tile drawn last, because no older tile fitted.
            _take(mine, len(mine) - 1 if drawn else _oldest_with(mine, bit))
            a, b = turn.tile
            left, right = (a if turn.where != "right" else left), (b if turn.where != "left" else right)
            drawn = False
        elif turn.where != "timeout":
            misfits = ~(tiles.with_half[left] | tiles.with_half[right])
            mine[:] = [HeldTiles(number, may & misfits) for number, may in mine]
            drawn = turn.where == "draw"
            if drawn and turn.seat != seen.seat:
                mine.append(HeldTiles(1, tiles.all))
        else:
            drawn = False
    return played, [(seat, tuple(held[seat])) for seat in seats]


def _dealt(seen: SeenHand, seat: int, tiles: WeighedTiles) -> int:
    """The tiles that a seat may have been dealt. If the highest double led, none has a higher one (Caribbean text)."""
    if seen.hand > 1 or seen.ruleset.first_starter != "highest_double" or not seen.turns or seat == seen.seat:
        return tiles.all
    low, high = seen.turns[0].tile or (0, 0)
    lead = low if low == high else -1
    return tiles.all & ~tiles.mask((half, half) for half in tiles.halves if half > lead)


def _oldest_with(mine: list[HeldTiles], bit: int) -> int:
    """The oldest group that a played tile may have come from. Taking it from there rules out nothing possible."""
    return next((at for at, group in enumerate(mine) if group.may & bit), len(mine) - 1)


def _take(mine: list[HeldTiles], at: int) -> None:
    """Take one tile from a group; does nothing for the viewing seat, which has no groups."""
    if mine:
        number, may = mine[at]
        mine[at : at + 1] = [HeldTiles(number - 1, may)] if number > 1 else []


def _lacked(groups: tuple[HeldTiles, ...], hidden: int, tiles: WeighedTiles) -> frozenset[int]:
    possible = 0
    for group in groups:
        possible |= group.may
    return frozenset(half for half in tiles.halves if not possible & hidden & tiles.with_half[half])
