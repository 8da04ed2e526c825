"""The chart of a rating: a line through every match, drawn as SVG by the server."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

WIDTH, HEIGHT = 640.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 8.0, 12.0, 22.0
"""Room for the numbers at the left and the dates below."""
STEPS = (5, 10, 20, 25, 50, 100, 200, 500, 1000)
"""Distances between two lines of the grid, in rating points."""
MOST_LINES = 5


class Point(Struct, frozen=True):
    """A match on the chart."""

    x: float
    y: float
    match_id: str
    shown: int
    decided_at: str


class GridLine(Struct, frozen=True):
    """A level of the rating."""

    y: float
    rating: int


class Chart(Struct, frozen=True):
    """The drawing: the line's points, and the levels behind it."""

    points: Sequence[Point]
    grid: Sequence[GridLine]

    @property
    def line(self) -> str:
        """The points as a `polyline` has them."""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


def rating_chart(points: Sequence[Mapping[str, Any]]) -> Chart | None:
    """The chart of a rating's points as the API gives them, in order; None for fewer than two."""
    if len(points) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    times = [datetime.fromisoformat(point["decidedAt"]).timestamp() for point in points]
    low, high = min(point["rating"] for point in points), max(point["rating"] for point in points)
    step = next((step for step in STEPS if (high - low) / step <= MOST_LINES), STEPS[-1])
    bottom, top = int(low // step) * step, (int(high // step) + 1) * step
    across = (WIDTH - LEFT - RIGHT) / ((times[-1] - times[0]) or 1.0)
    down = (HEIGHT - TOP - BOTTOM) / (top - bottom)

    def height(rating: float) -> float:
        return round(TOP + (top - rating) * down, 1)

    drawn = [
        Point(
            round(LEFT + (time - times[0]) * across, 1),
            height(point["rating"]),
            point["matchId"],
            point["shown"],
            point["decidedAt"],
        )
        for point, time in zip(points, times, strict=True)
    ]
    return Chart(drawn, [GridLine(height(rating), rating) for rating in range(bottom, top + 1, step)])
