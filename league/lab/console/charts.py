"""The points of the laboratory's charts."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

WIDE, HIGH, LEFT = 360, 160, 44
"""Of a chart over months, in its units; `LEFT` is where its lines begin."""
SQUARE = 200
"""The side of the chart of calibration."""


class Curve(Struct, frozen=True):
    """A value month by month under both rules, as the points of two lines."""

    before: str
    after: str
    least: float
    most: float
    first: str
    last: str


class Dot(Struct, frozen=True):
    """A class of expected scores in the chart of calibration."""

    x: float
    y: float
    r: float


def curve(months: Sequence[Mapping[str, Any]], value: str) -> Curve | None:
    """A value of each month; None without a month that has it."""
    shown = [month for month in months if month["before"][value] is not None and month["after"][value] is not None]
    if not shown:
        return None
    values = [month[when][value] for month in shown for when in ("before", "after")]
    least, most = min(values), max(values)
    span = (most - least) or 1.0
    step = (WIDE - LEFT) / max(1, len(shown) - 1)

    def points(when: str) -> str:
        heights = [HIGH - HIGH * (month[when][value] - least) / span for month in shown]
        if len(heights) == 1:  # a line of one month
            return " ".join(f"{x:.1f},{10 + heights[0]:.1f}" for x in (LEFT, WIDE))
        return " ".join(f"{LEFT + step * n:.1f},{10 + high:.1f}" for n, high in enumerate(heights))

    return Curve(points("before"), points("after"), least, most, shown[0]["month"], shown[-1]["month"])


def calibration(judged: Mapping[str, Any]) -> list[Dot]:
    """A dot for each class with sides: expected to the right, won upwards, as large as it has sides."""
    classes = [one for one in judged["classes"] if one["sides"]]
    largest = max((one["sides"] for one in classes), default=1)
    return [
        Dot(SQUARE * one["expected"], SQUARE * (1 - one["won"]), 2 + 8 * (one["sides"] / largest) ** 0.5)
        for one in classes
    ]
