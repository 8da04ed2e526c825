"""Looks for what was not read: pips and faces outside of the tiles that were."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from league.vision.decoding import Pixels
from league.vision.reading import HALF, MARGIN, Reading

SEARCHED = 800
"""Pixels of the longer side of the copy that is searched."""
FACE_ALIKE = np.array([20.0, 9.0, 9.0])
"""In each channel of Lab, between two faces of one set: light changes the first one most."""
PART_OF_A_TILE = 0.25
"""The least area of a face that was not read, in areas of a tile."""
MANY_TILES = 3.0
"""What is larger, in areas of a tile, is the table."""


def left_over(lab: Pixels, tiles: Sequence[Reading]) -> bool:
    """Whether the photo shows pips, or a face, outside of these tiles."""
    scale = min(1.0, SEARCHED / max(lab.shape))
    small = cv2.resize(lab, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    covered = np.zeros(small.shape[:2], np.uint8)
    for tile in tiles:
        middle = tile.bar.middle
        wider = (middle + (tile.outline - middle) * (1 + 2 * MARGIN / HALF)) * scale
        cv2.fillPoly(covered, [wider.astype(np.int32)], 255)
    width = float(np.median([tile.width for tile in tiles])) * scale
    return _has_face(small, covered, tiles, width) or _has_pips(small, covered, tiles, width)


def _has_face(lab: Pixels, covered: Pixels, tiles: Sequence[Reading], width: float) -> bool:
    face = np.median(np.array([half.face for tile in tiles for half in tile.halves]), axis=0)
    alike = (np.abs(lab - face) < FACE_ALIKE).all(axis=2) & (covered == 0)
    side = max(3, int(width / 6))
    opened = cv2.morphologyEx(alike.astype(np.uint8), cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(opened)
    areas = stats[1:, cv2.CC_STAT_AREA] / (2 * width * width)
    return bool(((areas > PART_OF_A_TILE) & (areas < MANY_TILES)).any())


def _has_pips(lab: Pixels, covered: Pixels, tiles: Sequence[Reading], width: float) -> bool:
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
