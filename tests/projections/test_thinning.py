"""Laws of a series that is made short for a chart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.projections.queries.ratings import FEWEST, thinned

series = st.lists(st.integers(1_400, 1_600).map(float), max_size=120)
most = st.integers(FEWEST, 40)


@given(values=series, most=most)
def test_a_thinned_series_keeps_its_ends_and_extremes(values: list[float], most: int) -> None:
    """A thinned series has at most `most` points, in order, with the first, last, lowest and highest value."""
    kept = thinned(values, most)
    assert len(kept) <= most
    assert kept == sorted(set(kept))
    if values:
        assert (kept[0], kept[-1]) == (0, len(values) - 1)
        left = [values[n] for n in kept]
        assert (min(left), max(left)) == (min(values), max(values))


@given(values=series, most=most)
def test_a_short_series_stays_whole(values: list[float], most: int) -> None:
    """Nothing is left out that has room, and a thinned series is not thinned again."""
    kept = thinned(values, most)
    assert (kept == list(range(len(values)))) == (len(values) <= most)
    again = [values[n] for n in kept]
    assert thinned(again, most) == list(range(len(again)))


@pytest.mark.parametrize(
    ("values", "most", "kept"),
    [
        ([1, 5, 2, 9, 3, 0, 4, 8], 4, [0, 3, 5, 7]),
        ([1, 5, 2, 9, 3, 0, 4, 8], 6, [0, 2, 3, 5, 6, 7]),
        ([1, 7, 7, 2, 2, 3], 5, [0, 1, 3, 5]),
    ],
)
def test_each_bucket_keeps_its_lowest_and_its_highest_point(values: list[float], most: int, kept: list[int]) -> None:
    """Each bucket keeps its lowest and its highest point; among equal points the first one."""
    assert thinned(values, most) == kept
