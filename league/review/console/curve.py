"""The curve of a hand: what it was worth to the first side, as each seat could see it when it played."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

WIDTH, HEIGHT, MARGIN = 640, 200, 12


class Dot(Struct, frozen=True):
    """A move on the curve."""

    x: float
    y: float
    turn: int
    value: float
    """Points of the first side, less those of the others."""
    is_mistake: bool


class Curve(Struct, frozen=True):
    """The curve in a picture of 640 by 200."""

    dots: tuple[Dot, ...]
    zero: float
    """The height at which neither side is ahead."""

    @property
    def line(self) -> str:
        """The points of the line, as SVG writes them."""
        return " ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in self.dots)


def curve_of(moves: Sequence[Mapping[str, Any]]) -> Curve | None:
    """The curve through the moves that had a choice; None with fewer than two of them."""
    chosen = [move for move in moves if len(move["options"]) > 1]
    if len(chosen) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    values = [move["played"]["worth"]["value"] * (1 if move["side"] == 0 else -1) for move in chosen]
    most = max(1.0, *map(abs, values))
    step, half = (WIDTH - 2 * MARGIN) / (len(chosen) - 1), HEIGHT / 2
    return Curve(
        tuple(
            Dot(MARGIN + at * step, half - value / most * (half - MARGIN), move["turn"], value, move["isMistake"])
            for at, (move, value) in enumerate(zip(chosen, values, strict=True))
        ),
        half,
    )
