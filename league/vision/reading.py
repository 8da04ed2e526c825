"""Reads a tile around its bar, and looks for tiles that were not read.

`best_fit` tells which number the pips of a half show, and how well they fit a layout. `read_tile` straightens a tile,
finds its pips and says how sure the reading is. `left_over` finds pips and faces outside the tiles that were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from league.vision.bars import Bar, Vector
from league.vision.decoding import Pixels

Points = npt.NDArray[Any]
"""One row per pip: its place across the tile and along it."""

CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))
SIDES_ALONG = ((-1, 0), (1, 0))
SIDES_ACROSS = ((0, -1), (0, 1))
CENTRE = ((0, 0),)

LAYOUTS: dict[int, tuple[tuple[tuple[int, int], ...], ...]] = {
    0: ((),),
    1: (CENTRE,),
    2: (((-1, -1), (1, 1)), ((-1, 1), (1, -1)), SIDES_ALONG, SIDES_ACROSS),
    3: (((-1, -1), *CENTRE, (1, 1)), ((-1, 1), *CENTRE, (1, -1)), (*SIDES_ALONG, *CENTRE), (*SIDES_ACROSS, *CENTRE)),
    4: (CORNERS,),
    5: ((*CORNERS, *CENTRE),),
    6: ((*CORNERS, *SIDES_ALONG), (*CORNERS, *SIDES_ACROSS)),
    7: ((*CORNERS, *SIDES_ALONG, *CENTRE), (*CORNERS, *SIDES_ACROSS, *CENTRE)),
    8: ((*CORNERS, *SIDES_ALONG, *SIDES_ACROSS),),
    9: ((*CORNERS, *SIDES_ALONG, *SIDES_ACROSS, *CENTRE),),
}
"""The layouts that makers use for each number, on a grid of three by three."""

STEPS = np.arange(0.20, 0.361, 0.02)
"""Distances between two rows of pips that occur in sets, in widths of the tile."""
FARTHEST = 0.12
"""Farthest that the middle of a layout may lie from the middle of its half, in widths of the tile."""


@dataclass(frozen=True)
class LayoutFit:
    """The number whose layout fits some pips best, and how well it fits."""

    number: int
    error: float
    """Root mean square distance between a pip and its place in the layout, in widths of the tile."""


NO_FIT = 1.0
"""The error of pips that no layout explains."""


def best_fit(pips: Points) -> LayoutFit:
    """The layout that fits these pips best. `pips`: in widths of the tile, from the middle of their half."""
    count = len(pips)
    if count not in LAYOUTS:
        return LayoutFit(count, NO_FIT)
    if count == 0:
        return LayoutFit(0, 0.0)
    return min((_fit(pips, count, layout) for layout in range(len(LAYOUTS[count]))), key=lambda fit: fit.error)


def _fit(pips: Points, count: int, layout: int) -> LayoutFit:
    places = _places(count, layout)
    moved = pips.mean(axis=0) - places.mean(axis=1, keepdims=True)
    too_far = np.abs(moved).max(axis=(1, 2)) > FARTHEST
    distances = np.linalg.norm((places + moved)[:, :, None, :] - pips[None, None, :, :], axis=3)
    nearest = distances.argmin(axis=2)
    is_one_to_one = np.sort(nearest, axis=1) == np.arange(count)
    errors = np.sqrt((distances.min(axis=2) ** 2).mean(axis=1))
    errors[too_far | ~is_one_to_one.all(axis=1)] = NO_FIT
    return LayoutFit(count, float(errors.min()))


@cache
def _places(count: int, layout: int) -> Points:
    """The places of the pips in a layout, for each pair of a step across and a step along."""
    grid = np.array(LAYOUTS[count][layout], dtype=np.float64)
    across, along = (each.ravel() for each in np.meshgrid(STEPS, STEPS))
    is_near = np.abs(across - along) <= 0.081  # a layout is about as high as it is wide
    scales = np.stack([across, along], axis=1)[is_near]
    places: Points = grid[None, :, :] * scales[:, None, :]
    return places


HALF = 72
"""Width of a tile, and length of half a tile, in pixels of the window into which a tile is straightened."""
MARGIN = 9
"""Pixels around the tile that the window also shows."""
LEAST_DISTANCE = 11.0
"""Least distance in Lab between a pip and the face around it."""
RADII = (0.045, 0.19)
"""Smallest and largest radius of a pip, in widths of the tile."""
LEAST_ROUND = 0.62
"""Least share of its enclosing circle that a pip fills."""
GOOD_ERROR = 0.045
"""Error of a fit, in widths of the tile, that halves the confidence."""


@dataclass(frozen=True)
class ReadHalf:
    """Half a tile as it was read."""

    number: int
    confidence: float
    """From 0 to 1."""
    radius: float
    """Median radius of its pips, in widths of the tile; 0 without pips."""
    face: Vector
    """Colour of its face, in Lab."""
    contrast: float
    """Distance in Lab between the face and the strongest spot."""


@dataclass(frozen=True)
class TileReading:
    """A tile as it was read."""

    bar: Bar
    width: float
    """Width of the tile, in pixels of the photo."""
    halves: tuple[ReadHalf, ReadHalf]

    @property
    def numbers(self) -> tuple[int, int]:
        """The tile, its lower half first."""
        low, high = sorted(half.number for half in self.halves)
        return low, high

    @property
    def confidence(self) -> float:
        """Confidence in both halves together, from 0 to 1. It is lower if their pips differ in size."""
        first, second = self.halves
        radii = [half.radius for half in self.halves if half.radius]
        alike = 1.0 if len(radii) < 2 else min(1.0, 1.35 * min(radii) / max(radii))
        return first.confidence * second.confidence * alike

    @property
    def outline(self) -> Pixels:
        """The four corners, around the tile."""
        across, along = self.bar.along * self.width / 2, _turned(self.bar.along) * self.width
        middle = self.bar.middle
        return np.array(
            [middle - across - along, middle + across - along, middle + across + along, middle - across + along]
        )


def read_tile(lab: Pixels, bar: Bar, width: float) -> TileReading:
    """Read the tile of this width around a bar. `lab`: the photo in Lab; `width`: in pixels."""
    window = _straightened(lab, bar, width)
    halves = [_read_half(half, bar.thickness / width) for half in _halves(window)]
    return TileReading(bar, width, (halves[0], halves[1]))


def _straightened(lab: Pixels, bar: Bar, width: float) -> Pixels:
    """The window with the tile upright, its bar across the middle, and a margin around it."""
    wide, high = HALF + 2 * MARGIN, 2 * HALF + 2 * MARGIN
    scale = width / HALF
    across, along = bar.along * scale, _turned(bar.along) * scale
    corner = bar.middle - across * (wide - 1) / 2 - along * (high - 1) / 2
    reach = float(np.hypot(wide, high)) * scale / 2 + 4
    left, top = (int(max(0, place - reach)) for place in bar.middle)
    part = lab[top : int(bar.middle[1] + reach) + 1, left : int(bar.middle[0] + reach) + 1]
    if scale > 1.5:
        part = cv2.GaussianBlur(part, (0, 0), 0.35 * scale)  # each pixel of the window stands for several of the photo
    matrix = np.array([[across[0], along[0], corner[0] - left], [across[1], along[1], corner[1] - top]])
    flags = cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
    return cv2.warpAffine(part, matrix, (wide, high), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def _halves(window: Pixels) -> list[Pixels]:
    """Both halves of a window, each turned so that the bar is at its bottom."""
    middle = MARGIN + HALF
    return [window[:middle], window[::-1][:middle]]


def _read_half(half: Pixels, bar_thickness: float) -> ReadHalf:
    """Read a half, whose bar is at the bottom. Tries four thresholds and takes the best reading."""
    inner = half[MARGIN + 4 : -int(bar_thickness * HALF) - 2, MARGIN + 4 : -MARGIN - 4].reshape(-1, 3)
    face = _face_colour(half, inner, bar_thickness)
    distance = np.linalg.norm(half - face, axis=2)
    of_inner = np.linalg.norm(inner - face, axis=1)
    spread = float(np.median(of_inner[of_inner <= max(LEAST_DISTANCE, float(np.percentile(of_inner, 20)))]))
    strongest = float(np.percentile(distance[MARGIN + 4 : -8, MARGIN + 4 : -MARGIN - 4], 99))
    least = max(LEAST_DISTANCE, 3.0 * spread)
    bottom = bar_thickness * HALF / 2 + 1.5
    readings: list[tuple[float, LayoutFit, _Spots]] = []
    for share in (0.3, 0.4, 0.5, 0.62):
        threshold = max(least, share * strongest)
        blobs = _blobs(distance > threshold, bottom)
        fit = best_fit(blobs.points)
        readings.append((_quality(fit, blobs), fit, blobs))
    quality, fit, blobs = max(readings, key=lambda each: each[0])
    agreeing = sum(other.number == fit.number for _, other, _ in readings) / len(readings)
    confidence = quality * (0.75 + 0.25 * agreeing)
    if fit.number == 0 and strongest > 0.7 * least:
        confidence *= 0.6 if strongest > least else 0.85
    return ReadHalf(fit.number, confidence, blobs.radius, face, strongest)


def _face_colour(half: Pixels, inner: Pixels, bar_thickness: float) -> Vector:
    """The colour of the face, measured beside the bar, where no pip lies."""
    end = half.shape[0] - int(np.ceil(bar_thickness * HALF / 2)) - 1
    beside_bar = np.median(half[end - 2 : end, MARGIN + 12 : -MARGIN - 12].reshape(-1, 3), axis=0)
    near = inner[np.linalg.norm(inner - beside_bar, axis=1) < LEAST_DISTANCE]
    colour: Vector = np.median(near, axis=0) if len(near) > len(inner) / 5 else beside_bar
    return colour.astype(np.float64)


@dataclass(frozen=True)
class _Spots:
    """The spots of a half that could be pips."""

    points: Points
    radius: float
    """Median radius, in widths of the tile; 0 without spots."""
    uneven: float
    """Largest radius divided by the smallest."""
    strange: int
    """Number of other spots on the face, which cannot be pips."""


def _blobs(mask: Pixels, bottom: float) -> _Spots:
    filled = mask.astype(np.uint8)
    contours, _ = cv2.findContours(filled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    high, wide = filled.shape
    pips: list[tuple[float, float, float]] = []
    strange = 0
    for contour in contours:
        area = cv2.contourArea(contour) + len(contour) / 2
        if area < np.pi * (RADII[0] * HALF) ** 2:
            continue
        left, top, width, height = cv2.boundingRect(contour)
        (x, y), circle = cv2.minEnclosingCircle(contour)
        at_edge = left == 0 or top == 0 or left + width == wide
        if at_edge or top + height >= high - bottom:
            continue  # beside the tile, or the bar
        radius = float(np.sqrt(area / np.pi))
        is_round = area >= LEAST_ROUND * np.pi * (circle + 0.5) ** 2
        if is_round and radius <= RADII[1] * HALF:
            pips.append((x, y, radius))
        else:
            strange += 1
    if pips:
        usual = float(np.median([radius for _, _, radius in pips]))
        alike = [pip for pip in pips if 0.62 * usual <= pip[2] <= 1.5 * usual]
        strange += len(pips) - len(alike)
        pips = alike
    middle = np.array([wide / 2 - 0.5, MARGIN + HALF / 2 - 0.5])
    points = np.array([(x, y) for x, y, _ in pips], dtype=np.float64).reshape(-1, 2)
    sizes = [radius for _, _, radius in pips]
    uneven = max(sizes) / min(sizes) if sizes else 1.0
    return _Spots((points - middle) / HALF, float(np.median(sizes)) / HALF if sizes else 0.0, uneven, strange)


def _quality(fit: LayoutFit, blobs: _Spots) -> float:
    """How well a layout explains the spots, from 0 to 1."""
    if fit.error >= NO_FIT:
        return 0.05
    good = 1.0 / (1.0 + (fit.error / GOOD_ERROR) ** 4)
    even = min(1.0, 1.45 / blobs.uneven)
    return float(good * even * 0.75**blobs.strange)


def _turned(vector: Vector) -> Vector:
    return np.array([-vector[1], vector[0]])


SEARCHED = 800
"""Pixels on the longer side of the copy that is searched for tiles left over."""
FACE_ALIKE = np.array([20.0, 9.0, 9.0])
"""Greatest difference between two faces of one set, in each channel of Lab. Light changes the first channel most."""
PART_OF_A_TILE = 0.25
"""Least area of a face that was not read, in areas of a tile."""
MANY_TILES = 3.0
"""Area, in areas of a tile, from which a surface is taken for the table instead of a tile."""


def left_over(lab: Pixels, tiles: Sequence[TileReading]) -> bool:
    """Whether the photo shows pips, or a face, outside these tiles. `lab`: the photo in Lab."""
    scale = min(1.0, SEARCHED / max(lab.shape))
    small = cv2.resize(lab, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    covered = np.zeros(small.shape[:2], np.uint8)
    for tile in tiles:
        middle = tile.bar.middle
        wider = (middle + (tile.outline - middle) * (1 + 2 * MARGIN / HALF)) * scale
        cv2.fillPoly(covered, [wider.astype(np.int32)], 255)
    width = float(np.median([tile.width for tile in tiles])) * scale
    return _has_face(small, covered, tiles, width) or _has_pips(small, covered, tiles, width)


def _has_face(lab: Pixels, covered: Pixels, tiles: Sequence[TileReading], width: float) -> bool:
    face = np.median(np.array([half.face for tile in tiles for half in tile.halves]), axis=0)
    alike = (np.abs(lab - face) < FACE_ALIKE).all(axis=2) & (covered == 0)
    side = max(3, int(width / 6))
    opened = cv2.morphologyEx(alike.astype(np.uint8), cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(opened)
    areas = stats[1:, cv2.CC_STAT_AREA] / (2 * width * width)
    return bool(((areas > PART_OF_A_TILE) & (areas < MANY_TILES)).any())


def _has_pips(lab: Pixels, covered: Pixels, tiles: Sequence[TileReading], width: float) -> bool:
    halves = [half for tile in tiles for half in tile.halves if half.radius]
    if not halves:
        return False
    radius = float(np.median([half.radius for half in halves])) * width
    contrast = float(np.median([half.contrast for half in halves]))
    side = int(width) | 1
    around = cv2.blur(lab, (side, side))
    spots = (np.linalg.norm(lab - around, axis=2) > 0.35 * contrast) & (covered == 0)
    contours, _ = cv2.findContours(spots.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        area = cv2.contourArea(contour) + len(contour) / 2
        if not 0.4 < area / (np.pi * radius**2) < 1.8:
            continue
        _, circle = cv2.minEnclosingCircle(contour)
        if area > 0.72 * np.pi * (circle + 0.5) ** 2:
            return True
    return False
