"""Who leads a hand: by the starting draw, by the highest double, or as the winner of the hand before."""

from collections.abc import Sequence

from league.domain.result import Played, result_of
from league.domain.rules import Ruleset
from league.domain.tiles import Tile, is_double, tile_pips


def drawn_starter(tiles: Sequence[Tile]) -> int | None:
    """The seat that drew the most pips; None on a tie: all draw again (Cuban text, Determining the Starting Player)."""
    pips = [tile_pips(tile) for tile in tiles]
    return pips.index(max(pips)) if pips.count(max(pips)) == 1 else None


def leading_tile(dealt: Sequence[Sequence[Tile]]) -> tuple[int, Tile]:
    """The seat that holds the highest double, and that double, which it plays first (Caribbean text, Starting Player).

    Without a double the highest tile: that of the most pips, among equals that with the highest half.
    """
    held = [(seat, tile) for seat, hand in enumerate(dealt) for tile in hand]
    return max(held, key=lambda one: (is_double(one[1]), tile_pips(one[1]), max(one[1])))


def next_starter(played: Played, ruleset: Ruleset) -> int:
    """The seat that won the last hand, or the one that started it where no seat has won."""
    last, facts = result_of(played, ruleset).hands[-1], played.hands[-1]
    starter = facts.starter if last.winning_seat is None else last.winning_seat
    assert starter is not None, "a live table knows who started"
    return starter
