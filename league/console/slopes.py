"""The chart of who moves: places before and after, as lines from left to right."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

MOST_LINES = 14
"""Limit on the lines of a chart. The table beside it has all places."""
STEP, TOP = 26, 44
"""The distance of two lines, and the height of the first, in the chart's units."""
LONGEST_LABEL = 16
"""Limit on the characters of a name."""


class Slope(Struct, frozen=True):
    """A line of the chart: the place of a competitor before and after."""

    name: str
    before: int | None
    """The rank; None without a place on the board."""
    after: int | None
    left: int
    """How far down the line begins at the left; `right`: how far down it ends."""
    right: int

    @property
    def course(self) -> str:
        """`rises`, `falls` or `stays`."""
        if self.before == self.after:
            return "stays"
        return "rises" if (self.after or 10**9) < (self.before or 10**9) else "falls"


def slope_chart(moved: Sequence[Mapping[str, Any]]) -> Sequence[Slope]:
    """The lines of the best among the places that moved."""
    placed = [move for move in moved if move["rankBefore"] or move["rankAfter"]]
    best = sorted(placed, key=lambda move: min(_rank(move["rankBefore"]), _rank(move["rankAfter"])))[:MOST_LINES]
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
    """A rank to sort by: competitors without a place come last."""
    return 10**9 if rank is None else rank


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"
