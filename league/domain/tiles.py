"""Domino tiles: an unordered pair of halves, and the two sets they come from.

`TileSet` represents tiles as the bits of a number, so that whole hands are compared and changed in one operation.
"""

from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Literal

from league.domain.sentences import Sentence, say

Tile = tuple[int, int]
"""Two halves. Their order matters only in a play, where the left half comes first."""

SetName = Literal["double-six", "double-nine"]

SETS: dict[SetName, Sentence] = {"double-six": say("double-six"), "double-nine": say("double-nine")}
"""The words for each set of tiles."""
HIGHEST_HALF: dict[SetName, int] = {"double-six": 6, "double-nine": 9}


def ordered(tile: Tile) -> Tile:
    """The tile with its lower half first, so that equal tiles compare equal."""
    a, b = tile
    return (a, b) if a <= b else (b, a)


def full_set(name: SetName) -> frozenset[Tile]:
    """Every tile of a set: 28 in a double-six, 55 in a double-nine."""
    return _SETS[name]


def tile_pips(tile: Tile) -> int:
    """The value of a tile: the sum of both halves (Caribbean text, `calculateDominoValue`)."""
    return tile[0] + tile[1]


def total_pips(tiles: Iterable[Tile]) -> int:
    """The total of a hand: the sum of its tiles' values (Caribbean text, `calculateHandTotal`)."""
    return sum(a + b for a, b in tiles)


def is_double(tile: Tile) -> bool:
    """Whether both halves show the same number."""
    return tile[0] == tile[1]


def fits(tile: Tile, end: int) -> bool:
    """Whether the tile can be played on an open end that shows this number."""
    return end in tile


_SETS: dict[SetName, frozenset[Tile]] = {
    name: frozenset(combinations_with_replacement(range(highest + 1), 2)) for name, highest in HIGHEST_HALF.items()
}


class TileSet:
    """A set of dominoes. A mask represents some of its tiles: the bit `1 << place` stands for the tile at a place."""

    __slots__ = ("all", "bits", "doubles", "fitting", "halves", "pips", "places", "tiles")

    def __init__(self, name: SetName) -> None:
        self.tiles = tuple(sorted(full_set(name)))
        """The tiles in ascending order, each with its lower half first."""
        self.places = {tile: place for place, tile in enumerate(self.tiles)}
        self.bits = {tile: 1 << self.places[ordered(tile)] for a, b in self.tiles for tile in ((a, b), (b, a))}
        """The mask of each tile alone, under both spellings of the tile."""
        self.pips = tuple(map(tile_pips, self.tiles))
        self.halves = HIGHEST_HALF[name] + 1
        """The number of different halves."""
        self.all = (1 << len(self.tiles)) - 1
        self.fitting = tuple(self.mask(tile for tile in self.tiles if half in tile) for half in range(self.halves))
        """The mask of the tiles that have each half."""
        self.doubles = self.mask(filter(is_double, self.tiles))

    def mask(self, tiles: Iterable[Tile]) -> int:
        """The mask of some tiles, which must differ from each other."""
        return sum(self.bits[tile] for tile in tiles)

    def of_mask(self, mask: int) -> list[Tile]:
        """The tiles of a mask, in ascending order."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self.tiles[low.bit_length() - 1])
            mask ^= low
        return found

    def pips_of(self, mask: int) -> int:
        """The sum of the pips of the tiles of a mask."""
        total = 0
        while mask:
            low = mask & -mask
            total += self.pips[low.bit_length() - 1]
            mask ^= low
        return total


_AS_BITS: dict[SetName, TileSet] = {name: TileSet(name) for name in HIGHEST_HALF}


def tile_set(name: SetName) -> TileSet:
    """The tiles of a set."""
    return _AS_BITS[name]
