"""Shortens a long series for a chart, keeping its peaks and valleys."""

from collections.abc import Iterator, Sequence

FEWEST = 4
"""Both ends, and the lowest and the highest value between them."""


def thinned(values: Sequence[float], most: int) -> list[int]:
    """Which points of a series to keep, in order: at most `most` (`FEWEST` or more), or all if there are no more.

    The points between the ends are divided into buckets of equal size; the first minimum and the first maximum of each
    are kept.
    """
    if len(values) <= most:
        return list(range(len(values)))
    return [0, *_extremes(values, (most - 2) // 2), len(values) - 1]


def _extremes(values: Sequence[float], buckets: int) -> Iterator[int]:
    between = len(values) - 2
    for bucket in range(buckets):
        indexes = range(1 + between * bucket // buckets, 1 + between * (bucket + 1) // buckets)
        yield from sorted({min(indexes, key=values.__getitem__), max(indexes, key=values.__getitem__)})
