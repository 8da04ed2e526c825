"""How the pips of a half are laid out, from blank to nine, and how well found pips fit a layout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[Any]
"""A row for each pip: its place across and along the tile."""

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
"""By number, the ways in which makers lay it out, on a grid of three by three."""

STEPS = np.arange(0.20, 0.361, 0.02)
"""The distances between two rows of pips that sets have, in widths of the tile."""
FARTHEST = 0.12
"""How far the middle of a layout may lie from the middle of its half, in widths of the tile."""


@dataclass(frozen=True)
class Fit:
    """The layout that fits best."""

    number: int
    error: float
    """Root of the mean square distance between a pip and its place, in widths of the tile."""


NO_FIT = 1.0
"""The error of pips that no layout explains."""


def best_fit(pips: Points) -> Fit:
    """The layout that these pips show; `pips`: in widths of the tile, from the middle of their half."""
    count = len(pips)
    if count not in LAYOUTS:
        return Fit(count, NO_FIT)
    if count == 0:
        return Fit(0, 0.0)
    return min((_fit(pips, count, layout) for layout in range(len(LAYOUTS[count]))), key=lambda fit: fit.error)


def _fit(pips: Points, count: int, layout: int) -> Fit:
    places = _places(count, layout)
    moved = pips.mean(axis=0) - places.mean(axis=1, keepdims=True)
    too_far = np.abs(moved).max(axis=(1, 2)) > FARTHEST
    distances = np.linalg.norm((places + moved)[:, :, None, :] - pips[None, None, :, :], axis=3)
    nearest = distances.argmin(axis=2)
    is_one_to_one = np.sort(nearest, axis=1) == np.arange(count)
    errors = np.sqrt((distances.min(axis=2) ** 2).mean(axis=1))
    errors[too_far | ~is_one_to_one.all(axis=1)] = NO_FIT
    return Fit(count, float(errors.min()))


@cache
def _places(count: int, layout: int) -> Points:
    """The places of a layout for each pair of steps across and along."""
    grid = np.array(LAYOUTS[count][layout], dtype=np.float64)
    across, along = (each.ravel() for each in np.meshgrid(STEPS, STEPS))
    is_near = np.abs(across - along) <= 0.081  # a layout is about as high as it is wide
    scales = np.stack([across, along], axis=1)[is_near]
    places: Points = grid[None, :, :] * scales[:, None, :]
    return places
