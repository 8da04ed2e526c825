"""Domino tiles: an unordered pair of halves, and the two sets they come from."""

from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Literal

Tile = tuple[int, int]
"""Two halves. Unordered everywhere but in a play, where the left half comes first."""

SetName = Literal["double-six", "double-nine"]

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
    """True when both halves show the same number."""
    return tile[0] == tile[1]


def fits(tile: Tile, end: int) -> bool:
    """True when the tile can be played on an open end that shows this number."""
    return end in tile


_SETS: dict[SetName, frozenset[Tile]] = {
    name: frozenset(combinations_with_replacement(range(highest + 1), 2)) for name, highest in HIGHEST_HALF.items()
}
