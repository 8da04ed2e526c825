"""Tiles: the two sets and what a tile is worth."""

import pytest

from league.domain.tiles import fits, full_set, is_double, ordered, tile_pips, total_pips


@pytest.mark.parametrize(("name", "tiles", "pips"), [("double-six", 28, 168), ("double-nine", 55, 495)])
def test_a_set_has_every_tile_once(name: str, tiles: int, pips: int) -> None:
    """A double-six set has 28 tiles of 168 pips together, a double-nine set 55 of 495."""
    whole = full_set(name)
    assert len(whole) == tiles
    assert total_pips(whole) == pips
    assert all(ordered(tile) == tile for tile in whole)


@pytest.mark.parametrize(("tile", "pips"), [((3, 5), 8), ((6, 6), 12), ((0, 1), 1), ((0, 0), 0), ((9, 9), 18)])
def test_a_tile_is_worth_both_its_halves(tile: tuple[int, int], pips: int) -> None:
    """The value of a tile is the sum of its halves."""
    assert tile_pips(tile) == pips


def test_a_tile_is_an_unordered_pair() -> None:
    """The lower half comes first, however the tile was written."""
    assert ordered((5, 2)) == ordered((2, 5)) == (2, 5)


def test_a_tile_fits_an_end_that_shows_one_of_its_halves() -> None:
    """A tile can go on an end with either of its numbers, and on no other."""
    assert fits((2, 5), 2)
    assert fits((2, 5), 5)
    assert not fits((2, 5), 3)


def test_doubles() -> None:
    """A double shows the same number twice; the double blank is one."""
    assert is_double((4, 4))
    assert is_double((0, 0))
    assert not is_double((0, 4))
