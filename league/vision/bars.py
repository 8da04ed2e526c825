"""Finds where tiles lie: by the bar across their middle, or by their outline if the bar does not show.

A bar is dark and straight, with the same bright face on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from league.vision.decoding import Pixels

Vector = npt.NDArray[Any]
"""x and y."""

NEIGHBOURHOODS = (0.02, 0.05, 0.1)
"""Each pixel is compared with the mean of a square around it. These are the sides of the squares, as fractions of the
longer side of the picture."""
DARKER_BY = (10, 20, 40)
"""Levels of brightness by which a pixel of a bar is darker than that mean."""
LENGTHS = (0.018, 0.35)
"""Shortest and longest bar, as fractions of the longer side of the picture."""
SHORTEST_HALF = 12
"""Least length in pixels of half a bar, if a pin divides the bar. Anything shorter is grain or weave."""
ASPECTS = (3.6, 30.0)
"""Least and greatest ratio of a bar's length to its thickness."""
LEAST_FILLED = 0.62
"""Least share of its rectangle that a bar fills."""
LEAST_CONTRAST = 22.0
"""Least difference in lightness between a bar and the faces beside it."""
MOST_DIFFERENCE = 30.0
"""Greatest distance in Lab between the faces on both sides of a bar."""
WIDEST_GAP = 0.45
"""Widest gap that a pin leaves between the two halves of a bar, as a fraction of the whole bar."""


@dataclass(frozen=True)
class Bar:
    """A bar on the photo."""

    middle: Vector
    along: Vector
    """A unit vector in the direction of its length, which runs across the tile."""
    length: float
    thickness: float
    contrast: float
    """Difference in lightness between the bar and the face beside it that is nearer to it in lightness."""
    difference: float
    """Distance in Lab between the two faces."""
    filled: float
    """Share of its rectangle that the bar fills."""

    @property
    def score(self) -> float:
        """How much it looks like a bar; without a unit, higher is better."""
        return min(self.contrast, 80.0) * self.filled * float(np.exp(-self.difference / 15.0))


def find_bars(brightness: Pixels, lab: Pixels, *, divided: bool) -> list[Bar]:
    """Find bars, the likeliest first. Only the likeliest of bars that are close together is returned.

    `brightness` is high on faces and low on bars. `divided`: a pin in the middle divides each bar.
    """
    rectangles = [*_rectangles(brightness)]
    if divided:
        rectangles = _joined(rectangles, max(brightness.shape))
    bars = [bar for rectangle in rectangles if (bar := _bar(rectangle, lab)) is not None]
    found: list[Bar] = []
    for bar in sorted(bars, key=lambda bar: -bar.score):
        if all(np.linalg.norm(bar.middle - other.middle) > 0.4 * max(bar.length, other.length) for other in found):
            found.append(bar)
    return found


Rectangle = tuple[Vector, Vector, float, float, float]
"""Middle, unit vector along the length, length, thickness, and the share of it that is filled."""


def _rectangles(brightness: Pixels) -> Iterator[Rectangle]:
    longest = max(brightness.shape)
    shortest_bar, longest_bar = LENGTHS[0] * longest, LENGTHS[1] * longest
    smooth = cv2.GaussianBlur(brightness, (3, 3), 0)
    for neighbourhood in NEIGHBOURHOODS:
        side = int(neighbourhood * longest) | 1
        below_mean = cv2.subtract(cv2.blur(brightness, (side, side)), smooth)
        for darker_by in DARKER_BY:
            dark = (below_mean > darker_by).astype(np.uint8)
            _, labels, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=4)
            extent = np.hypot(stats[:, 2], stats[:, 3])
            area = stats[:, 4]
            # A half of a divided bar is about half as long as a bar, so shorter components count as well.
            likely = (extent >= max(SHORTEST_HALF, shortest_bar / 2.4)) & (extent <= 1.2 * longest_bar)
            likely &= (area >= extent**2 / ASPECTS[1] * 0.5) & (area <= extent**2 / 1.5)
            likely[0] = False  # the background
            for component in np.flatnonzero(likely):
                found = _rectangle(labels, stats[component], int(component))
                if found is not None and found[2] <= longest_bar:
                    yield found


def _rectangle(labels: Pixels, stats: Pixels, component: int) -> Rectangle | None:
    """The smallest rectangle around a component; None if the component does not fill it well enough."""
    left, top, wide, high, area = (int(each) for each in stats)
    mask = (labels[top : top + high, left : left + wide] == component).astype(np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    (x, y), (width, height), angle = cv2.minAreaRect(contours[0])
    length, thickness = max(width, height) + 1, min(width, height) + 1
    if not 1.5 <= length / thickness <= ASPECTS[1] or area < LEAST_FILLED * length * thickness:
        return None
    turn = np.deg2rad(angle if width >= height else angle + 90.0)
    along = np.array([np.cos(turn), np.sin(turn)])
    return np.array([x + left, y + top]), along, length, thickness, min(1.0, area / (length * thickness))


def _joined(rectangles: list[Rectangle], longest: int) -> list[Rectangle]:
    """Bars made of two halves that lie in one line, with a pin between them."""
    found: list[Rectangle] = []
    if not rectangles:
        return found
    halves = [each for each in rectangles if each[2] / each[3] >= 1.5 and each[2] < LENGTHS[1] * longest / 2]
    if len(halves) > 3000:  # a texture without tiles: comparing every pair would take too long
        return found
    middles = np.array([each[0] for each in halves]) if halves else np.zeros((0, 2))
    for number, (middle, along, length, thickness, filled) in enumerate(halves):
        apart = middles - middle
        near = np.flatnonzero(np.linalg.norm(apart, axis=1) < 2.4 * length)
        for other in near[near > number]:
            _, other_along, other_length, other_thickness, other_filled = halves[other]
            line = apart[other]
            distance = float(np.linalg.norm(line))
            gap = distance - (length + other_length) / 2
            total = distance + (length + other_length) / 2
            if (
                0 < gap < WIDEST_GAP * total
                and max(length, other_length) < 1.35 * min(length, other_length)
                and max(thickness, other_thickness) < 1.5 * min(thickness, other_thickness)
                and abs(float(along @ other_along)) > 0.98
                and abs(float(line @ along)) > 0.985 * distance
            ):
                unit = line / distance
                start = middle - unit * length / 2
                end = halves[other][0] + unit * other_length / 2
                found.append(
                    ((start + end) / 2, unit, total, max(thickness, other_thickness), min(filled, other_filled) * 0.9)
                )
    return found


def _bar(rectangle: Rectangle, lab: Pixels) -> Bar | None:
    """The rectangle as a bar; None if it does not look like one."""
    middle, along, length, thickness, filled = rectangle
    longest = max(lab.shape)
    if not (ASPECTS[0] <= length / thickness <= ASPECTS[1] and LENGTHS[0] * longest <= length):
        return None
    across = np.array([-along[1], along[0]])
    inner = _median_lab(lab, middle, along * length * 0.4, across * thickness * 0.2)
    beside = [
        _median_lab(
            lab, middle + sign * across * (thickness / 2 + 0.055 * length), along * length * 0.4, across * 0.02 * length
        )
        for sign in (1, -1)
    ]
    if inner is None or beside[0] is None or beside[1] is None:
        return None
    contrast = float(min(abs(face[0] - inner[0]) for face in beside if face is not None))
    same_sign = (beside[0][0] - inner[0]) * (beside[1][0] - inner[0]) > 0
    difference = float(np.linalg.norm(beside[0] - beside[1]))
    if not same_sign or contrast < LEAST_CONTRAST or difference > MOST_DIFFERENCE:
        return None
    return Bar(middle, along, length, thickness, contrast, difference, filled)


def _median_lab(lab: Pixels, middle: Vector, along: Vector, across: Vector) -> Vector | None:
    """The median colour of a small rectangle; None if more than a tenth of it lies outside the picture."""
    steps, few = np.linspace(-1, 1, 15), np.linspace(-1, 1, 3)
    points = middle + steps[:, None, None] * along + few[None, :, None] * across
    columns, rows = np.rint(points[..., 0]).astype(int).ravel(), np.rint(points[..., 1]).astype(int).ravel()
    inside = (columns >= 0) & (rows >= 0) & (columns < lab.shape[1]) & (rows < lab.shape[0])
    if inside.mean() < 0.9:
        return None
    median: Vector = np.median(lab[rows[inside], columns[inside]], axis=0).astype(np.float64)
    return median


BAR_THICKNESS = 0.08
"""Assumed thickness of the bar of a tile found by its outline, in widths of the tile."""
SCORE = 15.0
"""Contrast given to a tile found by its outline, which is weaker evidence than a bar."""
LEAST_WIDTH = 1 / 40
"""Least width of a tile, as a fraction of the longer side of the photo."""
LEAST_SOLID = 0.9
"""Least share of its rectangle that a tile fills. It is below 1 because corners are round."""


def find_outlines(pixels: Pixels, *, light_tiles: bool) -> list[Bar]:
    """Find shapes twice as long as wide that stand out from the background. Returns the bar that each would have."""
    grey = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (5, 5), 0)
    _, bright = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(bright if light_tiles else 255 - bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Bar] = []
    for contour in contours:
        (x, y), (one, other), degrees = cv2.minAreaRect(contour)
        long, short = max(one, other), min(one, other)
        if short < LEAST_WIDTH * max(grey.shape) or not 1.8 * short <= long <= 2.2 * short:
            continue
        if cv2.contourArea(contour) < LEAST_SOLID * long * short:
            continue
        turn = np.deg2rad(degrees + 90 if one >= other else degrees)
        along = np.array([np.cos(turn), np.sin(turn)])
        found.append(Bar(np.array([x, y]), along, short, BAR_THICKNESS * short, SCORE, 0.0, 1.0))
    return found
