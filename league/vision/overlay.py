"""Draws what was counted on the photo, so that a person can check each tile."""

from collections.abc import Sequence
from typing import Protocol

import cv2
import numpy as np

from league.vision.decoding import decode

QUALITY = 88


class _Tile(Protocol):
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def outline(self) -> tuple[tuple[float, float], ...]: ...
    @property
    def confidence(self) -> float: ...


class _Count(Protocol):
    @property
    def tiles(self) -> Sequence[_Tile]: ...


SURE = (40, 170, 40)
UNSURE = (20, 20, 230)


def overlay(image: bytes, count: _Count) -> bytes:
    """The photo as a JPEG with the outline and the numbers of each tile; red where a reading is doubtful."""
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
