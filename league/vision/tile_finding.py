"""Finds tiles by the bar between their halves, and by their outline where the bar is not seen.

A bar is a component that is long, straight and darker than both of its sides, which share one colour. The local
thresholds have several sizes, so that one of them fits tiles of each size. Light bars on dark tiles are found in the
negative of the picture.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from league.vision.decoding import Pixels

WIDTHS_OF_A_BAR = 1.19
"""The width of a tile where only its outline is known, in lengths of its bar."""
SIDES_ALIKE = 22.0
ALIKE = 1.4
"""Bars of one photo differ in length by this factor at most; perspective makes near ones longer."""
CLEAR = 0.4
"""Least contrast of a bar, as a part of that of the clearest one."""
MOST_SHAPES = 400
MOST_BARS = 80
DARKER = 22.0
"""Least difference of a bar from its sides, in Lab."""


@dataclass(frozen=True)
class Anchor:
    """Where a tile may be: the middle of its bar, the direction along the bar (radians), its length and thickness."""

    x: float
    y: float
    angle: float
    length: float
    thickness: float
    contrast: float
    by_outline: bool = False


def find_anchors(lab: Pixels) -> list[Anchor]:
    """Bars, the likeliest first; then outlines of tiles without one."""
    grey = cv2.GaussianBlur(lab[:, :, 0], (5, 5), 0)  # cloth makes fewer bars
    bars = _distinct(list(_bars(lab, grey)) + list(_bars(lab, 255 - grey)))
    bars = _of_one_set(bars)
    return bars + [outline for outline in _outlines(grey) if not any(_inside(bar, outline) for bar in bars)]


def _bars(lab: Pixels, grey: Pixels) -> Iterator[Anchor]:
    """Shapes of a bar whose two sides share one colour; only the largest shapes are looked at."""
    shapes = sorted(_shapes(grey), key=lambda shape: -shape[3] * shape[4])
    for x, y, angle, length, thickness in shapes[:MOST_SHAPES]:
        contrast = _contrast(lab, x, y, angle, length, thickness)
        if contrast is not None:
            yield Anchor(x, y, angle, length, thickness, contrast)


def _shapes(grey: Pixels) -> Iterator[tuple[float, float, float, float, float]]:
    """Long, straight, dark components: their middle, angle, length and thickness."""
    smallest = max(14.0, max(grey.shape) / 90)
    for size in (21, 41, 81, 141):
        dark = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, size, 16)
        contours, _ = cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            _, _, across, down = cv2.boundingRect(contour)
            if max(across, down) < smallest or len(contour) < 4:
                continue
            (x, y), (width, height), degrees = cv2.minAreaRect(contour)
            length, thickness = max(width, height), min(width, height)
            if thickness < 1.5 or not 3.5 <= length / thickness <= 18 or length > max(grey.shape) / 2:
                continue
            if cv2.contourArea(contour) < 0.6 * (length - 1) * (thickness - 1):
                continue
            yield x, y, float(np.deg2rad(degrees if width >= height else degrees + 90)), length, thickness


def _contrast(lab: Pixels, x: float, y: float, angle: float, length: float, thickness: float) -> float | None:
    """How much a bar differs from its sides; None if they differ from each other, or it is not seen."""
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-along[1], along[0]])
    steps = np.linspace(-0.4, 0.4, 9)[:, None] * length * along
    sides = []
    for sign in (-1, 1):
        offsets = [thickness / 2 + length * far for far in (0.07, 0.11)]
        sides.append(_median(lab, np.concatenate([(x, y) + steps + sign * off * across for off in offsets])))
    middle = _median(lab, (x, y) + steps)
    if any(part is None for part in (*sides, middle)):
        return None
    one, other = sides
    if np.linalg.norm((one - other) * (0.7, 1, 1)) > SIDES_ALIKE:
        return None
    differs = float(np.linalg.norm((one + other) / 2 - middle))
    return differs if differs >= DARKER else None


def _median(lab: Pixels, points: Pixels) -> Pixels:
    height, width = lab.shape[:2]
    columns = np.clip(np.rint(points[:, 0]).astype(int), 0, width - 1)
    rows = np.clip(np.rint(points[:, 1]).astype(int), 0, height - 1)
    return np.asarray(np.median(lab[rows, columns].astype(float), axis=0))


def _distinct(anchors: list[Anchor]) -> list[Anchor]:
    """One anchor for each bar: thresholds of several sizes find the same one."""
    kept: list[Anchor] = []
    likely = sorted(anchors, key=lambda anchor: -anchor.contrast * anchor.length * anchor.thickness**0.5)
    for anchor in likely[: 10 * MOST_BARS]:
        if all(np.hypot(anchor.x - other.x, anchor.y - other.y) > 0.3 * other.length for other in kept):
            kept.append(anchor)
    return kept


def _of_one_set(bars: list[Anchor]) -> list[Anchor]:
    """Bars of the most usual length, weighted by how clearly they are seen: cloth and grain make many faint ones."""
    if not bars:
        return []
    clearest = float(np.median([bar.contrast for bar in bars[:3]]))
    clear = [bar for bar in bars[:MOST_BARS] if bar.contrast >= CLEAR * clearest]

    def like(bar: Anchor) -> list[Anchor]:
        return [other for other in clear if 1 / ALIKE < other.length / bar.length < ALIKE]

    usual = max(clear, key=lambda bar: sum((other.contrast * other.length) ** 2 for other in like(bar)))
    return like(usual)


def _outlines(grey: Pixels) -> Iterator[Anchor]:
    """Bright regions twice as long as wide."""
    _, bright = cv2.threshold(cv2.GaussianBlur(grey, (5, 5), 0), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    for mask in (bright, 255 - bright):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            if len(contour) < 4:
                continue
            (x, y), (width, height), degrees = cv2.minAreaRect(contour)
            long, short = max(width, height), min(width, height)
            if short < max(grey.shape) / 40 or not 1.75 <= long / short <= 2.25:
                continue
            if cv2.contourArea(contour) < 0.88 * long * short or long > 0.95 * max(grey.shape):
                continue
            angle = np.deg2rad(degrees + 90 if width >= height else degrees)
            yield Anchor(x, y, float(angle), short / WIDTHS_OF_A_BAR, 0.0, 0.0, by_outline=True)


def _inside(bar: Anchor, outline: Anchor) -> bool:
    return bool(np.hypot(bar.x - outline.x, bar.y - outline.y) < 0.5 * outline.length)
