"""Counts the pips on a photo of tiles. The count is a proposal; a person decides.

1. `bars` finds the bars across the middle of tiles, and tiles whose bar does not show.
2. `reading` straightens the picture around each bar and finds the spots that differ from the face. It tells which
   number these spots show, and how far they are from the places where makers put pips.
3. This module chooses among readings that exclude each other: tiles do not overlap, all tiles of a photo have about the
   same size, and a set has each tile once. Tiles that were seen but not read lower the confidence.
4. `overlay` draws the count on the photo, so that a person can check each tile.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import cv2
import numpy as np

from league.vision.bars import Bar, find_bars, find_outlines
from league.vision.decoding import (
    MOST_BYTES,
    MOST_PIXELS,
    BadImage,
    NotAnImage,
    Pixels,
    TooManyBytes,
    TooManyPixels,
    TruncatedImage,
    decode,
)
from league.vision.reading import TileReading, left_over, read_tile

__all__ = [
    "DEFAULT", "MOST_BYTES", "MOST_PIXELS", "BadImage", "CountedTile", "NotAnImage", "PipCount", "TooManyBytes",
    "TooManyPixels", "TruncatedImage", "count_pips", "overlay",
]  # fmt: skip

TileSet = Literal["double-six", "double-nine"]
Reason = Literal["no_tiles", "unsure", "cut_by_edge", "too_many_pips", "not_in_set"]
"""Why a count has no total."""

HIGHEST: dict[TileSet, int] = {"double-six": 6, "double-nine": 9}
DEFAULT = 0.7
"""Confidence from which a count has a total, unless the caller says otherwise."""
SEARCHED = 800
"""Pixels on the longer side of the copy that is searched for bars."""
MOST_READ = 60
"""Limit on bars that are read. A set has 55 tiles."""
WIDTHS = (1.02, 1.1, 1.2, 1.3, 1.42)
"""Widths of a tile that occur in sets, in lengths of its bar."""
USUAL_WIDTH = 1.2
UNUSUAL = 0.5
"""Penalty per unit by which a width differs from the usual one, as a share of all pips explained."""
ALIKE = 1.4
"""Factor by which the sizes of tiles on a photo may differ, since near tiles look larger."""
LEAST_READING = 0.25
"""Confidence from which a bar is taken for a tile."""
OVERLAP = 0.15
"""Share of a tile that another tile may appear to cover."""
CLEARLY_READ = 0.7
"""If the confidence of every tile is above this, no other kind of bar is tried."""
MOST_IN_DOUBT = 0.75
"""Highest confidence if something that looks like a tile was not read, or if there is little evidence for a tile."""
FEW_PIXELS = 30
"""Width of a tile, in pixels, below which its pips are hard to tell apart."""


@dataclass(frozen=True)
class CountedTile:
    """A tile on the photo."""

    a: int
    b: int
    outline: tuple[tuple[float, float], ...]
    """Its four corners, x and y in pixels of the upright photo."""
    confidence: float
    """From 0 to 1."""


@dataclass(frozen=True)
class PipCount:
    """The pips counted on a photo."""

    tiles: tuple[CountedTile, ...]
    total: int | None
    """Total of the pips; None if the counter cannot tell."""
    confidence: float
    """Confidence in the total, from 0 to 1."""
    reason: Reason | None
    """Why there is no total; None if there is one."""
    width: int
    """Width of the upright photo, in pixels. The outlines refer to it."""
    height: int
    """Height of the upright photo, in pixels."""


def count_pips(
    image: bytes,
    tile_set: TileSet | None = None,
    *,
    excluded: Collection[tuple[int, int]] = (),
    threshold: float = DEFAULT,
) -> PipCount:
    """Count the pips on a photo.

    `tile_set`: the set that is played, if known. `excluded`: tiles that cannot be on the photo, such as tiles that
    were played. `threshold`: confidence from which there is a total. Raises a BadImage: NotAnImage, TruncatedImage,
    TooManyBytes or TooManyPixels.
    """
    photo = decode(image)
    pixels, width, height = photo.pixels, photo.width, photo.height
    readings, doubt = _tiles(pixels)
    if not readings:
        return PipCount((), None, 0.0, "no_tiles", width, height)
    tiles = tuple(_counted(reading, photo.scale) for reading in readings)
    reason, most = _objection(readings, pixels, tile_set, excluded)
    confidence = round(min(most, min(tile.confidence for tile in tiles) * doubt), 3)
    if confidence < threshold or reason is not None:
        return PipCount(tiles, None, confidence, reason or "unsure", width, height)
    return PipCount(tiles, sum(tile.a + tile.b for tile in tiles), confidence, None, width, height)


def _tiles(pixels: Pixels) -> tuple[list[TileReading], float]:
    """The tiles of a photo from left to right, and a factor for their confidence.

    The factor is 1, or less if something that looks like a tile was not read. All tiles of a photo belong to one set,
    so one kind of bar is tried after the other until the tiles explain the photo.
    """
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    best: tuple[list[TileReading], float] = ([], 0.0)
    for dark_bars, divided in ((True, False), (False, False), (True, True), (False, True)):
        tiles, doubt = _tiles_by_bars(pixels, lab, dark_bars=dark_bars, divided=divided)
        if _explained(tiles, doubt) > _explained(*best):
            best = tiles, doubt
        has_pips = any(tile.numbers != (0, 0) for tile in tiles)
        if has_pips and doubt == 1.0 and min(tile.confidence for tile in tiles) > CLEARLY_READ:
            break
    return best


def _explained(tiles: Sequence[TileReading], doubt: float) -> float:
    """How much of a photo these tiles explain, counted in tiles and pips. `doubt`: the factor of `_tiles`."""
    return doubt**2 * sum(tile.confidence * (1 + sum(tile.numbers)) for tile in tiles)


def _tiles_by_bars(pixels: Pixels, lab: Pixels, *, dark_bars: bool, divided: bool) -> tuple[list[TileReading], float]:
    bars = _bars(pixels, dark_bars=dark_bars, divided=divided)[:MOST_READ]
    width = _width(lab, bars)
    candidates = [read_tile(lab, bar, bar.length * width) for bar in bars]
    outlines = find_outlines(pixels, light_tiles=dark_bars)
    candidates += [read_tile(lab, outline, outline.length) for outline in outlines]
    if not candidates:
        return [], 0.0
    size = _usual_size(candidates)
    kept: list[TileReading] = []
    doubtful: list[TileReading] = []
    for reading in sorted(candidates, key=lambda each: -_evidence(each)):
        if not size / ALIKE <= reading.width <= size * ALIKE or any(
            _overlap(reading, other) > OVERLAP for other in kept
        ):
            continue
        (kept if reading.confidence >= LEAST_READING else doubtful).append(reading)
    if not kept:
        return [], 0.0
    usual = np.median([reading.bar.score for reading in kept])
    unread = [
        reading
        for reading in doubtful
        if reading.bar.score > 0.5 * usual and not any(_overlap(reading, other) > OVERLAP for other in kept)
    ]
    doubt = MOST_IN_DOUBT if unread or left_over(lab, kept) else 1.0
    return sorted(kept, key=lambda each: (float(each.bar.middle[0]), float(each.bar.middle[1]))), doubt


def _bars(pixels: Pixels, *, dark_bars: bool, divided: bool) -> list[Bar]:
    """The bars of a photo, in its own pixels. They are searched on a small copy."""
    scale = min(1.0, SEARCHED / max(pixels.shape))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else pixels
    # Coloured pips are bright in one channel, bars in none. On dark tiles the pips and bars are light instead.
    brightness = small.max(axis=2) if dark_bars else 255 - small.min(axis=2)
    bars = find_bars(brightness, cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2Lab), divided=divided)
    return [
        replace(
            bar,
            middle=(bar.middle + 0.5) / scale - 0.5,
            length=bar.length / scale,
            thickness=bar.thickness / scale,
        )
        for bar in bars
    ]


def _width(lab: Pixels, bars: Sequence[Bar]) -> float:
    """The width of the tiles of this set, in lengths of their bars: the width at which the pips fit layouts best."""
    clearest = bars[:6]
    if not clearest:
        return USUAL_WIDTH

    def fitting(width: float) -> float:
        readings = [read_tile(lab, bar, bar.length * width) for bar in clearest]
        halves = [
            (half, bar.score * (half.number + 1))
            for bar, one in zip(clearest, readings, strict=True)
            for half in one.halves
        ]
        share = sum(half.confidence * weight for half, weight in halves) / sum(weight for _, weight in halves)
        return share - UNUSUAL * abs(width - USUAL_WIDTH)

    return max(WIDTHS, key=fitting)


def _usual_size(readings: Sequence[TileReading]) -> float:
    """The width, in pixels, that most of the evidence agrees with."""
    widths = np.array([reading.width for reading in readings])
    evidence = np.array([_evidence(reading) for reading in readings]) + 1e-9
    alike = np.abs(np.log(widths[:, None] / widths[None, :])) < np.log(ALIKE)
    return float(widths[(alike * evidence[None, :]).sum(axis=1).argmax()])


def _evidence(reading: TileReading) -> float:
    """How much evidence there is for a tile: its bar, and pips that fit a layout."""
    pips = sum(half.number * half.confidence for half in reading.halves)
    return float(reading.bar.score * reading.confidence * (1 + pips / 4))


def _overlap(one: TileReading, other: TileReading) -> float:
    """The share of the smaller tile that the other one covers."""
    first, second = one.outline.astype(np.float32), other.outline.astype(np.float32)
    common, _ = cv2.intersectConvexConvex(first, second)
    return float(common / min(cv2.contourArea(first), cv2.contourArea(second)))


def _counted(reading: TileReading, scale: float) -> CountedTile:
    corners = (reading.outline + 0.5) * scale
    a, b = reading.numbers
    outline = tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners)
    return CountedTile(a, b, outline, round(reading.confidence, 3))


def _objection(
    readings: Sequence[TileReading], pixels: Pixels, tile_set: TileSet | None, excluded: Collection[tuple[int, int]]
) -> tuple[Reason | None, float]:
    """Why the readings cannot all be right (None if they can), and the highest confidence that remains."""
    numbers = [reading.numbers for reading in readings]
    if any(high > HIGHEST["double-nine"] for _, high in numbers):
        return "too_many_pips", 0.3
    gone = {(min(tile), max(tile)) for tile in excluded}
    highest = HIGHEST[tile_set or "double-nine"]
    if any(one == other for one, other in pairwise(sorted(numbers))) or any(
        tile in gone or tile[1] > highest for tile in numbers
    ):
        return "not_in_set", 0.4
    high, wide = pixels.shape[:2]
    for reading in readings:
        slack = 0.12 * reading.width
        inside = (reading.outline > -slack) & (reading.outline < np.array([wide, high]) + slack)
        if not inside.all():
            return "cut_by_edge", 0.5
    # Many pictures without any tile contain something like a bar without pips.
    blank = all(tile == (0, 0) for tile in numbers)
    return None, MOST_IN_DOUBT if blank or min(reading.width for reading in readings) < FEW_PIXELS else 1.0


QUALITY = 88
"""Quality of the JPEG, from 0 to 100."""
SURE, UNSURE = (40, 170, 40), (20, 20, 230)
"""Colours of the outlines: blue, green and red, from 0 to 255."""


def overlay(image: bytes, count: PipCount) -> bytes:
    """The photo as a JPEG on which each tile has its outline and numbers, in red if the reading is doubtful."""
    photo = decode(image)
    drawn = cv2.cvtColor(photo.pixels, cv2.COLOR_RGB2BGR)
    for tile in count.tiles:
        corners = np.array(tile.outline) / photo.scale
        colour = SURE if tile.confidence >= 0.9 else UNSURE
        cv2.polylines(drawn, [corners.astype(np.int32)], isClosed=True, color=colour, thickness=4)
        x, y = corners.mean(axis=0)
        text, size = f"{tile.a}-{tile.b}", float(np.linalg.norm(corners[0] - corners[2])) / 260
        (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 3)
        place = (int(x - width / 2), int(y + height / 2))
        cv2.putText(drawn, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), 9)
        cv2.putText(drawn, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 3)
    _, encoded = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return encoded.tobytes()
