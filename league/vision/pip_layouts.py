"""Where the pips of a half stand: on nodes of a 3 x 3 lattice, in the same patterns on all sets up to double nine."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPACING = 0.28
"""Distance of two neighbouring nodes, in widths of a tile."""
ODD_PATTERN = 1.0
"""The misfit of pips that stand in no pattern."""

_DRAWN = (
    ("...|...|...",),
    ("...|.o.|...",),
    ("o..|...|..o", "..o|...|o.."),
    ("o..|.o.|..o", "..o|.o.|o.."),
    ("o.o|...|o.o",),
    ("o.o|.o.|o.o",),
    ("ooo|...|ooo", "o.o|o.o|o.o"),
    ("ooo|.o.|ooo", "o.o|ooo|o.o"),
    ("ooo|o.o|ooo",),
    ("ooo|ooo|ooo",),
)


def _nodes(drawn: str) -> frozenset[tuple[int, int]]:
    rows = drawn.split("|")
    return frozenset((x - 1, y - 1) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "o")


PATTERNS = {_nodes(drawn): number for number, drawings in enumerate(_DRAWN) for drawn in drawings}


@dataclass(frozen=True)
class Fit:
    """A number of pips, and how badly they stand: 0 is exactly in the pattern, `ODD_PATTERN` in none."""

    number: int
    misfit: float


def fit(points: NDArray[Any]) -> Fit:
    """The number that pips show. `points` are their places from the middle of the half, in widths of a tile."""
    if len(points) == 0:
        return Fit(0, 0.05)
    if len(points) == 1:
        return Fit(1, min(ODD_PATTERN, float(np.hypot(*points[0])) / SPACING))
    best = Fit(len(points), ODD_PATTERN)
    for spacing in (0.24, 0.27, 0.30, 0.33):
        nodes = np.clip(np.rint(points / spacing), -1, 1)
        taken = frozenset((int(x), int(y)) for x, y in nodes)
        number = PATTERNS.get(taken)
        if number != len(points):
            continue
        misfit = float(np.hypot(*(points - nodes * spacing).T).mean()) / SPACING
        best = min(best, Fit(number, misfit), key=lambda fit: fit.misfit)
    return best
