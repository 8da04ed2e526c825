"""The cross table of a month: what everybody of the first in the standings has played against everybody else."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

ROWS = 14
"""As many as the document asks meetings of."""


class Cell(Struct, frozen=True):
    """What the competitor of the row has won and lost against that of the column."""

    wins: int
    losses: int
    series_points: int

    @property
    def mark(self) -> str:
        """Who holds series points of the other."""
        return "ahead" if self.series_points > 0 else "behind" if self.series_points < 0 else "even"


class CrossRow(Struct, frozen=True):
    """A row: a standing, and a cell for each column; None where the two have not met."""

    standing: Mapping[str, Any]
    cells: Sequence[Cell | None]


def cross_table(month: Mapping[str, Any]) -> Sequence[CrossRow]:
    """The table of a month as the API gives it."""
    cells = {}
    for one in month["meetings"]["nodes"]:
        cells[one["a"], one["b"]] = Cell(one["aWins"], one["bWins"], one["aSeriesPoints"])
        cells[one["b"], one["a"]] = Cell(one["bWins"], one["aWins"], -one["aSeriesPoints"])
    first = month["standings"]["nodes"][:ROWS]
    ids = [row["competitorId"] for row in first]
    return [CrossRow(row, [cells.get((row["competitorId"], other)) for other in ids]) for row in first]
