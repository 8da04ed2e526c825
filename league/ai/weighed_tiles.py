"""The tiles of a set by weight, and what the open ends become when one is played: tables for quick play."""

from collections.abc import Iterable
from functools import lru_cache

from league.domain.tiles import HIGHEST_HALF, SetName, Tile, full_set, is_double, ordered, tile_pips

DOUBLE = 20
"""How many pips more than it has a double weighs: it goes on one number only, so it should go early."""


class WeighedTiles:
    """A set of dominoes from the lightest tile to the heaviest: the highest bit of a mask is the tile to play first.

    Both open ends are one number, the `ends`; the order of the two does not matter to what can be played.
    """

    def __init__(self, name: SetName) -> None:
        self.tiles: tuple[Tile, ...] = tuple(sorted(full_set(name), key=_weight))
        self.places = {tile: place for place, tile in enumerate(self.tiles)}
        self.bits = {lying: 1 << self.places[ordered(lying)] for a, b in self.tiles for lying in ((a, b), (b, a))}
        """By tile, in either direction, its bit."""
        self.pips = tuple(map(tile_pips, self.tiles))
        self.weights = tuple(_weight(tile)[0] for tile in self.tiles)
        self.all = (1 << len(self.tiles)) - 1
        self.doubles = self.mask(filter(is_double, self.tiles))
        self.halves = range(HIGHEST_HALF[name] + 1)
        self.with_half = tuple(self.mask(tile for tile in self.tiles if half in tile) for half in self.halves)
        """By half, the tiles that have it."""
        self.pairs: tuple[Tile, ...] = tuple(sorted(full_set(name)))
        """By ends, the two halves that are open: the same pairs as the tiles, in another order."""
        self.shown = tuple(1 << a | 1 << b for a, b in self.pairs)
        """By ends, the halves that are open, as a mask of halves."""
        self.ends_of = {lying: at for at, (a, b) in enumerate(self.pairs) for lying in ((a, b), (b, a))}
        self.fitting = tuple(self.with_half[a] | self.with_half[b] for a, b in self.pairs)
        """By ends, the tiles that can be played."""
        self.fitting_both = tuple(self.with_half[a] & self.with_half[b] for a, b in self.pairs)
        """By ends, the tiles that can be played on either."""
        self.after = tuple(tuple(self._after(ends, tile) for tile in self.tiles) for ends in self.pairs)
        """By ends and place of a tile, what the ends can become by it: nothing, one pair, or one of two."""

    def mask(self, tiles: Iterable[Tile]) -> int:
        """The mask of some tiles, each of which is named once."""
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
        """The total of the tiles of a mask."""
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
    """The tables of a set."""
    return WeighedTiles(name)
