"""Places before and after as lines from left to right: the points of the chart."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

MOST = 14
"""Lines of a chart. The table beside it has the others."""
STEP, TOP = 26, 44
"""Heights in the chart's units."""
LONGEST = 22
"""Characters of a name."""


class Slope(Struct, frozen=True):
    """A line of the chart."""

    name: str
    before: int | None
    """The rank; None: no place on the board."""
    after: int | None
    left: int
    """How far down the line begins, and ends."""
    right: int

    @property
    def course(self) -> str:
        """`rises`, `falls` or `stays`."""
        if self.before == self.after:
            return "stays"
        return "rises" if (self.after or 10**9) < (self.before or 10**9) else "falls"


def slope_chart(moved: Sequence[Mapping[str, Any]]) -> Sequence[Slope]:
    """The lines of the best places of those that moved."""
    best = sorted(moved, key=lambda move: min(_rank(move["rankBefore"]), _rank(move["rankAfter"])))[:MOST]
    left = {id(move): n for n, move in enumerate(sorted(best, key=lambda move: _rank(move["rankBefore"])))}
    right = {id(move): n for n, move in enumerate(sorted(best, key=lambda move: _rank(move["rankAfter"])))}
    return [
        Slope(
            _short(move["competitor"]["displayName"]),
            move["rankBefore"],
            move["rankAfter"],
            TOP + STEP * left[id(move)],
            TOP + STEP * right[id(move)],
        )
        for move in best
    ]


def _rank(rank: int | None) -> int:
    """Who has no place comes last."""
    return 10**9 if rank is None else rank


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
