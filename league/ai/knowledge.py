"""What a seat can be sure of about the hidden tiles: which are left, and which of them each other seat may hold.

`WeighedTiles` has the tiles of a set as bits, by weight, and what the open ends become when one is played.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from league.domain.play import SeenHand
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


class HeldTiles(NamedTuple):
    """Some hidden tiles of a seat that came to it at the same time."""

    number: int
    may: int
    """The tiles that they may be, as a mask."""


class Knowledge(NamedTuple):
    """What follows from what a seat sees. Masks are those of `WeighedTiles`."""

    tiles: WeighedTiles
    own: int
    hidden: int
    """The tiles that the seat does not see: in other hands, in the boneyard, or asleep."""
    held: tuple[tuple[HeldTiles, ...], ...]
    """By seat, its hidden tiles from the oldest to the newest; nothing for the own seat.

    A seat that passes or draws has no tile for either end, and so none of those that it held then ever fits them.
    What it draws later may fit them, so what is known of older tiles is also known to hold no less than of newer ones.
    """
    lacks: tuple[frozenset[int], ...]
    """By seat, the halves of which it surely holds none; nothing for the own seat."""


def knowledge_of(seen: SeenHand) -> Knowledge:
    """Gather what the turns of a hand have shown to a seat."""
    tiles = weighed_tiles(seen.ruleset.set)
    own = tiles.mask(seen.tiles)
    played, held = _followed(seen, tiles)
    hidden = tiles.all & ~own & ~played
    lacks = tuple(_lacked(groups, hidden, tiles) if seat != seen.seat else frozenset() for seat, groups in held)
    return Knowledge(tiles, own, hidden, tuple(groups for _, groups in held), lacks)


def _followed(seen: SeenHand, tiles: WeighedTiles) -> tuple[int, list[tuple[int, tuple[HeldTiles, ...]]]]:
    """The tiles that were played, and by seat what is known of those that it holds."""
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
            # Who has drawn plays the tile drawn last, since no older one fitted.
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
    """The tiles that a seat may have been dealt: where the highest double leads, none higher (Caribbean text)."""
    if seen.hand > 1 or seen.ruleset.first_starter != "highest_double" or not seen.turns or seat == seen.seat:
        return tiles.all
    low, high = seen.turns[0].tile or (0, 0)
    lead = low if low == high else -1
    return tiles.all & ~tiles.mask((half, half) for half in tiles.halves if half > lead)


def _oldest_with(mine: list[HeldTiles], bit: int) -> int:
    """The oldest tiles among which a played tile may have been: to take it from there rules out nothing possible."""
    return next((at for at, group in enumerate(mine) if group.may & bit), len(mine) - 1)


def _take(mine: list[HeldTiles], at: int) -> None:
    """One tile of these was played; nothing where the seat is the own one."""
    if mine:
        number, may = mine[at]
        mine[at : at + 1] = [HeldTiles(number - 1, may)] if number > 1 else []


def _lacked(groups: tuple[HeldTiles, ...], hidden: int, tiles: WeighedTiles) -> frozenset[int]:
    possible = 0
    for group in groups:
        possible |= group.may
    return frozenset(half for half in tiles.halves if not possible & hidden & tiles.with_half[half])
