"""Finds tiles by their outline, where the bar does not show."""

from __future__ import annotations

import cv2
import numpy as np

from league.vision.bars import Bar
from league.vision.decoding import Pixels

BAR_THICKNESS = 0.08
"""Of a bar that was not found, in widths of the tile."""
SCORE = 15.0
"""An outline says less than a bar does."""
LEAST_WIDTH = 1 / 40
"""Of a tile, in longer sides of the photo."""
WIDEST_BAR = 1 / 120
"""In longer sides of the photo: what divides the two halves of an outline."""
LEAST_FILLED = 0.9
"""The share of its rectangle that a tile fills: its corners are round."""


def find_outlines(pixels: Pixels, *, light_tiles: bool) -> list[Bar]:
    """Shapes twice as long as wide that stand out from what they lie on, each as the bar that it would have."""
    grey = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (5, 5), 0)
    _, bright = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(bright if light_tiles else 255 - bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Bar] = []
    for contour in contours:
        (x, y), (one, other), degrees = cv2.minAreaRect(contour)
        long, short = max(one, other), min(one, other)
        if short < LEAST_WIDTH * max(grey.shape) or not 1.8 * short <= long <= 2.2 * short:
            continue
        if cv2.contourArea(contour) < LEAST_FILLED * long * short:
            continue
        turn = np.deg2rad(degrees + 90 if one >= other else degrees)
        along = np.array([np.cos(turn), np.sin(turn)])
        found.append(Bar(np.array([x, y]), along, short, BAR_THICKNESS * short, SCORE, 0.0, 1.0))
    return found
