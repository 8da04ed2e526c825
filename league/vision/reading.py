"""Reads the two numbers of a tile: its surroundings are turned upright, and its pips are what differs from its face."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from league.vision.decoding import Pixels
from league.vision.pip_layouts import Fit, fit
from league.vision.tile_finding import Anchor

UNIT = 96
"""Pixels of the length of a bar in the upright window."""
ACROSS, ALONG = 1.0, 1.9
"""What the window shows beside and beyond the middle of the bar, in lengths of it."""
LEAST_DIFFERENCE = 16.0
"""Of a pip from the face, in Lab."""
STRADDLES = 0.14
"""Pips this far outside of a half, in widths of a tile, speak against its place."""


@dataclass(frozen=True)
class Seen:
    """The pips around an anchor: places in lengths of its bar, and how clearly they were seen (0 to 1)."""

    anchor: Anchor
    pips: NDArray[Any]
    sizes: NDArray[Any]
    odd: int
    """Blobs that are no pips: of their size, but of another shape."""
    contrast: float


@dataclass(frozen=True)
class Reading:
    """The numbers of a tile whose width is `width` lengths of its bar."""

    seen: Seen
    width: float
    halves: tuple[Fit, Fit]
    straddling: int

    @property
    def misfit(self) -> float:
        """How badly the pips stand in both halves."""
        return self.halves[0].misfit + self.halves[1].misfit + 0.5 * self.straddling

    def corners(self) -> NDArray[Any]:
        """The outline of the tile, four points."""
        a, half = self.seen.anchor, self.width * self.seen.anchor.length / 2
        box = cv2.boxPoints(((a.x, a.y), (2 * half, 4 * half), float(np.rad2deg(a.angle))))
        return np.asarray(box)


def see(lab: Pixels, anchor: Anchor) -> Seen:
    """Find what looks like pips around an anchor."""
    window = _upright(lab, anchor)
    middle = np.array([window.shape[1] / 2, window.shape[0] / 2])
    difference = _difference(window, anchor)
    core = difference[int(UNIT * 0.75) : int(UNIT * 3.05), int(UNIT * 0.45) : int(UNIT * 1.55)]
    level, _ = cv2.threshold(np.ascontiguousarray(core), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    mask = np.where(difference > max(LEAST_DIFFERENCE, min(level, 55.0) * 0.85), 255, 0).astype(np.uint8)
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(opened, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    pips, sizes, odd, strength = [], [], 0, []
    for contour in contours:
        area, around = cv2.contourArea(contour), cv2.arcLength(contour, closed=True)
        if not 0.006 * UNIT**2 < area < 0.11 * UNIT**2:
            continue
        (x, y), radius = cv2.minEnclosingCircle(contour)
        place = (np.array([x, y]) - middle) / UNIT
        if abs(place[1]) < 0.14:
            continue
        round_enough = 4 * np.pi * area / around**2 > 0.66 and area > 0.6 * np.pi * radius**2
        if not round_enough:
            odd += int(area > 0.012 * UNIT**2 and abs(place[0]) < 0.5 and abs(place[1]) < 1.05)
            continue
        inside = float(difference[int(y), int(x)])
        if inside < 0.6 * LEAST_DIFFERENCE:
            continue
        pips.append(place)
        sizes.append(area / UNIT**2)
        strength.append(inside)
    kept_pips, kept_sizes = _alike(np.array(pips).reshape(-1, 2), np.array(sizes))
    return Seen(anchor, kept_pips, kept_sizes, odd, float(np.median(strength)) if strength else 60.0)


def _upright(lab: Pixels, anchor: Anchor) -> Pixels:
    along = np.array([np.cos(anchor.angle), np.sin(anchor.angle)]) * anchor.length
    across = np.array([-along[1], along[0]])
    middle = np.array([anchor.x, anchor.y])
    source = np.array([middle, middle + along, middle + across], np.float32)
    centre = np.array([ACROSS, ALONG]) * UNIT
    target = np.array([centre, centre + (UNIT, 0), centre + (0, UNIT)], np.float32)
    size = (int(2 * ACROSS * UNIT), int(2 * ALONG * UNIT))
    moved = cv2.warpAffine(
        lab, cv2.getAffineTransform(source, target), size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return cv2.GaussianBlur(moved, (3, 3), 0)


def _difference(window: Pixels, anchor: Anchor) -> Pixels:
    """How much each pixel differs from the face: from the colour beside the bar, on its own side of it."""
    bar = anchor.thickness / anchor.length / 2 if anchor.length else 0.0
    rows = int(ALONG * UNIT)
    columns = slice(int(UNIT * 0.58), int(UNIT * 1.42))
    near, far = int((bar + 0.03) * UNIT) + 1, int((bar + 0.09) * UNIT) + 2
    light = window[rows - far : rows + far, columns, 0].mean() > window[rows - 2 : rows + 2, columns, 0].mean()
    result = np.empty(window.shape[:2], np.float32)
    for side in (slice(0, rows), slice(rows, 2 * rows)):
        strip = (
            window[rows - far : rows - near, columns] if side.start == 0 else window[rows + near : rows + far, columns]
        )
        colours = strip.reshape(-1, 3).astype(np.float32)
        lightness = colours[:, 0]
        usual = np.median(lightness)  # the other half of the strip may be pips
        face = np.median(colours[lightness >= usual if light else lightness <= usual], axis=0)
        apart = (window[side].astype(np.float32) - face) * np.array([0.8, 1.2, 1.2], np.float32)
        result[side] = np.sqrt((apart**2).sum(axis=2))
    return np.clip(result, 0, 255).astype(np.uint8)


def _alike(pips: NDArray[Any], sizes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Pips have one size on a tile; what lies inside of another is its gloss."""
    if len(pips) == 0:
        return pips, sizes
    inner = (np.abs(pips[:, 0]) < 0.5) & (np.abs(pips[:, 1]) < 1.1)
    usual = np.median(sizes[inner]) if inner.any() else np.median(sizes)
    kept: list[int] = []
    for index in np.argsort(-sizes):
        if not 0.42 * usual < sizes[index] < 2.2 * usual:
            continue
        apart = np.hypot(*(pips[kept] - pips[index]).T) if kept else np.array([9.0])
        if apart.min() > 0.12:
            kept.append(int(index))
    return pips[kept], sizes[kept]


def read(seen: Seen, width: float) -> Reading:
    """The numbers of a tile, if its width is this many lengths of its bar."""
    points = seen.pips / width
    beside = np.abs(points[:, 0])
    fits = []
    straddling = 0
    for sign in (-1, 1):
        beyond = sign * points[:, 1]
        inside = (beside < 0.5) & (beyond > 0.05) & (beyond < 1.0)
        straddling += int(((beside < 0.5 + STRADDLES) & (beyond > 0.05) & (beyond < 1 + STRADDLES) & ~inside).sum())
        straddling += int((((beside > 0.42) | (beyond > 0.93)) & inside).sum())
        fits.append(fit(points[inside] - np.array([0, sign * 0.5])))
    return Reading(seen, width, (fits[0], fits[1]), straddling)
