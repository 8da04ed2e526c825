"""Counts the pips on a photo of tiles.

How: `tile_finding` looks for the bars between the halves of tiles, and for outlines of tiles. `reading` turns what is
around each of them upright and finds the pips. All tiles of a photo are of one set, so the width of a tile, in lengths
of its bar, is the one with which most pips stand in the patterns of `pip_layouts`. Readings that overlap exclude each
other; the one that fits better stays. Then each doubt lowers the confidence: pips out of their pattern, blobs that
belong to no tile, tiles of different sizes, a tile that appears twice or cannot be there.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from league.vision.decoding import (
    MOST_BYTES,
    MOST_PIXELS,
    BadImage,
    NotAnImage,
    Photo,
    TooManyBytes,
    TooManyPixels,
    TruncatedImage,
    decode,
)
from league.vision.overlay import overlay
from league.vision.pip_layouts import ODD_PATTERN
from league.vision.reading import Reading, read, see
from league.vision.tile_finding import WIDTHS_OF_A_BAR, find_anchors

__all__ = [
    "DEFAULT", "MOST_BYTES", "MOST_PIXELS", "BadImage", "Count", "CountedTile", "NotAnImage", "TooManyBytes",
    "TooManyPixels", "TruncatedImage", "count_pips", "overlay",
]  # fmt: skip

TileSet = Literal["double-six", "double-nine"]
Reason = Literal["no_tiles", "unsure", "cut_by_edge", "too_many_pips", "not_in_set"]
DEFAULT = 0.7
"""The least confidence of the whole with which there is a total."""
DOUBT = 0.75
"""The most confidence that a whole with an open question has."""
FACE_ALIKE = 45
"""Most difference of a place from the faces of the tiles, in each channel of Lab, that may be a face itself."""
WIDTHS = np.arange(1.06, 1.62, 0.04)
HIGHEST = {"double-six": 6, "double-nine": 9}

cv2.setNumThreads(1)


@dataclass(frozen=True)
class CountedTile:
    """A tile on the photo: its numbers, its corners in pixels of the upright picture, and how sure that is (0..1)."""

    a: int
    b: int
    outline: tuple[tuple[float, float], ...]
    confidence: float


@dataclass(frozen=True)
class Count:
    """What a photo shows. `total` is None, with a `reason`, where the counter cannot tell."""

    tiles: tuple[CountedTile, ...]
    total: int | None
    confidence: float
    reason: Reason | None
    width: int
    height: int


def count_pips(
    image: bytes,
    *,
    tile_set: TileSet | None = None,
    excluded: Collection[tuple[int, int]] = (),
    threshold: float = DEFAULT,
) -> Count:
    """Count the pips of the tiles on a photo.

    `excluded` are tiles that cannot be on it, such as those already played. Raises a BadImage: NotAnImage,
    TruncatedImage, TooManyBytes or TooManyPixels.
    """
    photo = decode(image)
    lab = cv2.cvtColor(photo.pixels, cv2.COLOR_RGB2LAB)
    readings, doubts = _readings(lab)
    if not readings:
        return Count((), None, 0.0, "no_tiles", photo.width, photo.height)
    tiles = tuple(_tile(reading, photo) for reading in readings)
    reason: Reason = "unsure"
    whole = float(min(tile.confidence for tile in tiles)) * 0.995 ** (len(tiles) - 1)
    if doubts:
        whole = min(whole, DOUBT)
    if any(_is_cut(tile, photo) for tile in tiles):
        whole, reason = min(whole, 0.5), "cut_by_edge"
    if any(max(fit.number for fit in reading.halves) > HIGHEST["double-nine"] for reading in readings):
        whole, reason = min(whole, 0.2), "too_many_pips"
    if _impossible(tiles, tile_set, excluded):
        whole, reason = min(whole, 0.4), "not_in_set"
    whole = round(whole, 3)
    if whole < threshold:
        return Count(tiles, None, whole, reason, photo.width, photo.height)
    return Count(tiles, sum(tile.a + tile.b for tile in tiles), whole, None, photo.width, photo.height)


def _readings(lab: cv2.typing.MatLike) -> tuple[list[Reading], int]:
    """The tiles of a photo, and the number of open questions about them."""
    seen = [see(lab, anchor) for anchor in find_anchors(lab)]
    if not seen:
        return [], 0
    bars = [one for one in seen if not one.anchor.by_outline]
    width = _width([read(one, width) for width in WIDTHS for one in bars]) if bars else WIDTHS_OF_A_BAR
    readings = [read(one, WIDTHS_OF_A_BAR if one.anchor.by_outline else width) for one in seen]
    fitting = [reading for reading in readings if reading.misfit < ODD_PATTERN]
    usual = float(np.median([one.width * one.seen.anchor.length for one in fitting])) if fitting else 0.0
    kept: list[Reading] = []
    for reading in sorted(readings, key=lambda one: _badness(one, usual)):
        if not any(_overlap(reading, other) > 0.12 for other in kept):
            kept.append(reading)
    tiles = [reading for reading in kept if _badness(reading, usual) < 2.5 and _sized(reading, usual)]
    left = [r for r in kept if r not in tiles and _sized(r, usual) and len(r.seen.pips) > 1]
    return tiles, len(left) + (_more_of_the_face(lab, tiles) if tiles else 0)


def _more_of_the_face(lab: cv2.typing.MatLike, tiles: list[Reading]) -> int:
    """1 if a place outside of the tiles has the colour of their faces: a missed tile, or a table of that colour."""
    faces, covered = [], np.zeros(lab.shape[:2], np.uint8)
    for tile in tiles:
        corners = tile.corners()
        wider = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * 1.12
        cv2.fillPoly(covered, [wider.astype(np.int32)], 255)
        only = np.zeros(lab.shape[:2], np.uint8)
        cv2.fillPoly(only, [corners.astype(np.int32)], 255)
        faces.append(np.median(lab[only > 0], axis=0) if only.any() else np.zeros(3))
    face = np.median(np.array(faces), axis=0)
    apart = np.abs(lab.astype(np.float32) - face.astype(np.float32)).max(axis=2)
    alike = np.where((apart < FACE_ALIKE) & (covered == 0), 255, 0).astype(np.uint8)
    opened = cv2.morphologyEx(alike, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(opened)
    largest = stats[1:, cv2.CC_STAT_AREA].max(initial=0)
    return int(largest > 0.08 * cv2.contourArea(tiles[0].corners()))


def _width(readings: list[Reading]) -> float:
    """The width of the tiles of a photo: the one with which their pips stand best."""
    cost: dict[float, float] = defaultdict(float)
    for reading in readings:
        cost[reading.width] += min(reading.misfit, 2.0) + 0.05 * abs(reading.width - WIDTHS_OF_A_BAR)
    return min(cost, key=lambda width: cost[width])


def _sized(reading: Reading, usual: float) -> bool:
    return bool(0.72 * usual < reading.width * reading.seen.anchor.length < 1.4 * usual) if usual else False


def _badness(reading: Reading, usual: float) -> float:
    """For the choice between readings that overlap: a seam between tiles is thinner and paler than a bar."""
    anchor = reading.seen.anchor
    size = abs(np.log(reading.width * anchor.length / usual)) if usual else 0.0
    thin = 0.0 if anchor.by_outline else max(0.0, 0.09 - anchor.thickness / anchor.length) * 8
    return float(reading.misfit + 3 * size + thin + max(0.0, 60 - anchor.contrast) / 120)


def _overlap(one: Reading, other: Reading) -> float:
    """The part of the smaller tile that both cover."""
    first, second = one.corners().astype(np.float32), other.corners().astype(np.float32)
    area, _ = cv2.intersectConvexConvex(first, second)
    return float(area / max(1.0, min(cv2.contourArea(first), cv2.contourArea(second))))


def _tile(reading: Reading, photo: Photo) -> CountedTile:
    corners = tuple((round(float(x) * photo.scale, 1), round(float(y) * photo.scale, 1)) for x, y in reading.corners())
    a, b = (fit.number for fit in reading.halves)
    sure = 0.99 - 0.5 * max(0.0, max(fit.misfit for fit in reading.halves) - 0.2)
    seen = reading.seen
    if reading.straddling or seen.odd or max(fit.misfit for fit in reading.halves) >= ODD_PATTERN:
        sure = min(sure, DOUBT - 0.15)
    if seen.contrast < 1.6 * 16 or seen.anchor.length < 40:
        sure = min(sure, DOUBT)
    if seen.anchor.by_outline and a + b == 0:
        sure = min(sure, 0.3)
    return CountedTile(a, b, corners, round(max(0.05, sure), 3))


def _is_cut(tile: CountedTile, photo: Photo) -> bool:
    corners = np.array(tile.outline)
    margin = 0.06 * float(np.linalg.norm(corners[0] - corners[2]))  # an outline is a little wider than its tile
    return any(
        not (-margin < x < photo.width + margin and -margin < y < photo.height + margin) for x, y in tile.outline
    )


def _impossible(
    tiles: tuple[CountedTile, ...], tile_set: TileSet | None, excluded: Collection[tuple[int, int]]
) -> bool:
    """Whether a tile appears twice, is not of the set, or is excluded."""
    names = [(min(tile.a, tile.b), max(tile.a, tile.b)) for tile in tiles]
    gone = {(min(pair), max(pair)) for pair in excluded}
    highest = HIGHEST[tile_set or "double-nine"]
    return len(set(names)) < len(names) or any(name in gone or name[1] > highest for name in names)
