"""The tiles of a set as the bits of a number, so that the hands of a game are compared and changed at once."""

from collections.abc import Iterable

from league.domain.tiles import HIGHEST_HALF, SetName, Tile, full_set, is_double, ordered, tile_pips


class TileSet:
    """A set of dominoes in ascending order; a mask has the bit `1 << place` for each of its tiles that is meant."""

    __slots__ = ("all", "bits", "doubles", "fitting", "halves", "pips", "places", "tiles")

    def __init__(self, name: SetName) -> None:
        self.tiles = tuple(sorted(full_set(name)))
        """The tiles in ascending order, each with its lower half first."""
        self.places = {tile: place for place, tile in enumerate(self.tiles)}
        self.bits = {tile: 1 << self.places[ordered(tile)] for a, b in self.tiles for tile in ((a, b), (b, a))}
        """The mask of each tile alone, under both spellings of the tile."""
        self.pips = tuple(map(tile_pips, self.tiles))
        self.halves = HIGHEST_HALF[name] + 1
        """How many different halves there are."""
        self.all = (1 << len(self.tiles)) - 1
        self.fitting = tuple(self.mask(tile for tile in self.tiles if half in tile) for half in range(self.halves))
        """By half, the tiles that have it, as a mask."""
        self.doubles = self.mask(filter(is_double, self.tiles))

    def mask(self, tiles: Iterable[Tile]) -> int:
        """The mask of some tiles, each of which is named once."""
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
        """The total of the tiles of a mask."""
        total = 0
        while mask:
            low = mask & -mask
            total += self.pips[low.bit_length() - 1]
            mask ^= low
        return total


_SETS: dict[SetName, TileSet] = {name: TileSet(name) for name in HIGHEST_HALF}


def tile_set(name: SetName) -> TileSet:
    """The tiles of a set."""
    return _SETS[name]
