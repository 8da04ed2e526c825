"""Made-up photos of dominoes, the same for the same seed: styles of tiles, tables, light, shadow, blur and noise."""

from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
"""Blue, green and red."""
Picture = NDArray[Any]
Tile = tuple[int, int]

BY_NUMBER: dict[int, Colour] = {
    1: (200, 150, 60), 2: (60, 180, 60), 3: (50, 40, 220), 4: (40, 80, 150), 5: (210, 90, 20), 6: (20, 150, 250),
    7: (150, 40, 210), 8: (170, 170, 20), 9: (120, 30, 90),
}  # fmt: skip
PALE = {number: (170 + blue * 3 // 10, 170 + green * 3 // 10, 170 + red * 3 // 10)
        for number, (blue, green, red) in BY_NUMBER.items()}  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How a maker makes tiles; lengths in widths of the tile."""

    face: Colour
    pips: Colour | dict[int, Colour]
    bar: Colour
    radius: float
    step: float
    """Between two rows of pips."""
    bar_length: float
    bar_thickness: float
    corner: float
    pin: bool = False
    tables: tuple[str, ...] = ("white", "dark", "wood", "cloth")


TUNED = {
    "ivory": Style((225, 238, 242), (30, 28, 25), (35, 33, 30), 0.095, 0.27, 0.8, 0.035, 0.10),
    "coloured": Style((240, 242, 243), BY_NUMBER, (35, 33, 33), 0.115, 0.28, 0.83, 0.1, 0.16),
    "black": Style((40, 38, 36), (235, 238, 240), (225, 228, 232), 0.10, 0.27, 0.8, 0.04, 0.12,
                   tables=("white", "wood", "cloth")),
    "pin": Style((205, 225, 235), (35, 30, 28), (60, 50, 45), 0.085, 0.25, 0.88, 0.03, 0.06, pin=True),
    "pale": Style((245, 246, 247), PALE, (150, 140, 140), 0.11, 0.28, 0.75, 0.07, 0.14),
    "edge to edge": Style((235, 240, 240), (40, 35, 160), (40, 35, 160), 0.1, 0.27, 1.0, 0.03, 0.08),
}  # fmt: skip
"""Styles that the counter was improved with."""
HELD_APART = {
    "wood": Style((130, 175, 215), (25, 40, 70), (25, 40, 70), 0.09, 0.26, 0.9, 0.05, 0.05),
    "green": Style((70, 105, 40), (240, 245, 245), (215, 225, 220), 0.105, 0.26, 0.7, 0.045, 0.2,
                   tables=("white", "wood")),
    "blue pips": Style((232, 236, 228), (150, 70, 20), (120, 110, 100), 0.08, 0.24, 0.85, 0.06, 0.03),
}  # fmt: skip
"""Styles that no value of the counter was chosen by."""

CORNERS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
PLACES: dict[int, list[tuple[int, int]]] = {
    0: [], 1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: CORNERS, 5: [*CORNERS, (0, 0)],
    6: [*CORNERS, (-1, 0), (1, 0)], 7: [*CORNERS, (-1, 0), (1, 0), (0, 0)],
    8: [*CORNERS, (-1, 0), (1, 0), (0, -1), (0, 1)], 9: [*CORNERS, (-1, 0), (1, 0), (0, -1), (0, 1), (0, 0)],
}  # fmt: skip
WIDTH = 160
"""Pixels across a tile as it is drawn, before it is laid on the table."""
HIGH, WIDE = 1200, 1600
"""Pixels of a photo."""


def made_photo(style: Style, seed: int, tile_set: Literal["double-six", "double-nine"]) -> tuple[bytes, list[Tile]]:
    """A JPEG of one to seven tiles, and the tiles in order."""
    dice = np.random.default_rng(seed)
    highest = 6 if tile_set == "double-six" else 9
    a_set = [(low, high) for low in range(highest + 1) for high in range(low, highest + 1)]
    picked = [a_set[place] for place in dice.choice(len(a_set), int(dice.integers(1, 8)), replace=False)]
    table = _table(str(dice.choice(style.tables)), dice)
    laid = _lay(table, style, picked, dice)
    return _photographed(table, dice), sorted(laid)


def _drawn(tile: Tile, style: Style, dice: np.random.Generator) -> tuple[Picture, Picture]:
    """A tile from above, and the mask of its outline."""
    picture = np.empty((2 * WIDTH, WIDTH, 3), np.uint8)
    picture[:] = style.face
    radius = int(style.radius * WIDTH)
    for number, row in zip(tile, (WIDTH // 2, 3 * WIDTH // 2), strict=True):
        mirrored = -1 if number in (2, 3) and dice.random() < 0.5 else 1
        colour = style.pips[number] if isinstance(style.pips, dict) and number else style.pips
        for across, along in PLACES[number]:
            place = (int(WIDTH / 2 + mirrored * across * style.step * WIDTH), int(row + along * style.step * WIDTH))
            cv2.circle(picture, place, radius, colour, -1, cv2.LINE_AA)
            if isinstance(style.pips, dict):  # gloss
                gloss = (place[0] - radius // 3, place[1] - radius // 3)
                cv2.circle(picture, gloss, max(1, radius // 5), (250, 250, 250), -1, cv2.LINE_AA)
    length, thickness = int(style.bar_length * WIDTH), max(2, int(style.bar_thickness * WIDTH))
    start = ((WIDTH - length) // 2, WIDTH - thickness // 2)
    cv2.rectangle(picture, start, ((WIDTH + length) // 2, WIDTH + (thickness + 1) // 2), style.bar, -1)
    if style.pin:
        cv2.circle(picture, (WIDTH // 2, WIDTH), int(0.07 * WIDTH), (150, 190, 205), -1, cv2.LINE_AA)
        cv2.circle(picture, (WIDTH // 2 - 2, WIDTH - 2), int(0.025 * WIDTH), (240, 245, 250), -1, cv2.LINE_AA)
    mask, corner = np.zeros((2 * WIDTH, WIDTH), np.uint8), int(style.corner * WIDTH)
    cv2.rectangle(mask, (corner, corner), (WIDTH - corner - 1, 2 * WIDTH - corner - 1), 255, 2 * corner + 1)
    cv2.rectangle(mask, (corner, corner), (WIDTH - corner - 1, 2 * WIDTH - corner - 1), 255, -1)
    edge = np.clip(cv2.GaussianBlur(mask, (0, 0), WIDTH * 0.03) / 255 * 1.4 - 0.2, 0, 1)
    return (picture * (0.72 + 0.28 * edge)[..., None]).astype(np.uint8), mask


def _table(kind: str, dice: np.random.Generator) -> Picture:
    if kind == "wood":
        down, right = np.linspace(0, 1, HIGH)[:, None], np.linspace(0, 1, WIDE)[None]
        grain = np.sin(40 * (right + 0.05 * np.sin(6 * down)) + 3 * np.sin(2 * down)) * 10
        table = np.stack([70 + grain, 110 + grain, 160 + grain], axis=-1)
    elif kind == "cloth":
        weave = cv2.resize(dice.normal(0, 18, (HIGH // 2, WIDE // 2)), (WIDE, HIGH))
        table = dice.integers(40, 170, 3) + weave[..., None]
    else:
        table = np.full((HIGH, WIDE, 3), 234.0 if kind == "white" else 33.0)
    return np.asarray(table + cv2.resize(dice.normal(0, 4, (HIGH // 8, WIDE // 8, 3)), (WIDE, HIGH)))


def _lay(table: Picture, style: Style, picked: list[Tile], dice: np.random.Generator) -> list[Tile]:
    """Lay the tiles on the table, in a row that touches or scattered; returns those that found room."""
    in_a_row = dice.random() < 0.5
    width = int(dice.integers(70, 170))
    turn = dice.uniform(-20, 20)
    if in_a_row:
        width = min(width, int(1450 / len(picked)))
    occupied, laid = np.zeros((HIGH, WIDE), np.uint8), []
    for number, tile in enumerate(picked):
        shown = tile if dice.random() < 0.5 else tile[::-1]
        picture, mask = _drawn(shown, style, dice)
        for _ in range(60):
            if in_a_row:
                offset = (number - (len(picked) - 1) / 2) * width * 1.015
                x, y = WIDE / 2 + offset * np.cos(np.deg2rad(turn)), HIGH / 2 + offset * np.sin(np.deg2rad(turn))
            else:
                turn = dice.uniform(0, 360)
                x, y = dice.uniform(1.3 * width, WIDE - 1.3 * width), dice.uniform(1.3 * width, HIGH - 1.3 * width)
            move = cv2.getRotationMatrix2D((WIDTH / 2, WIDTH), -turn, width / WIDTH)
            move[:, 2] += (x - WIDTH / 2, y - WIDTH)
            place = cv2.warpAffine(mask, move, (WIDE, HIGH), flags=cv2.INTER_AREA)
            if in_a_row or not (cv2.dilate(place, np.ones((5, 5))) & occupied).any():
                _put(table, cv2.warpAffine(picture, move, (WIDE, HIGH)), place, width)
                occupied |= place
                laid.append(tile)
                break
    return laid


def _put(table: Picture, picture: Picture, mask: Picture, width: int) -> None:
    """Lay a tile where its mask is, with its shadow."""
    shifted = np.roll(mask, (int(width * 0.04), int(width * 0.05)), (0, 1))
    table *= 1 - 0.45 * (cv2.GaussianBlur(shifted, (0, 0), width * 0.05) / 255)[..., None]
    opaque = (mask / 255)[..., None]
    table[:] = table * (1 - opaque) + picture * opaque


def _photographed(table: Picture, dice: np.random.Generator) -> bytes:
    """The table as a phone takes it: aslant, in uneven light, blurred, with noise, as a JPEG."""
    corners = np.array([[0, 0], [WIDE, 0], [WIDE, HIGH], [0, HIGH]], np.float32)
    moved = (corners + dice.uniform(-0.05, 0.05, (4, 2)) * [WIDE, HIGH]).astype(np.float32)
    aslant = cv2.getPerspectiveTransform(corners, moved)
    photo = cv2.warpPerspective(table, aslant, (WIDE, HIGH), borderMode=cv2.BORDER_REPLICATE)
    across = np.linspace(-1, 1, WIDE)[None] * dice.uniform(-0.25, 0.25)
    down = np.linspace(-1, 1, HIGH)[:, None] * dice.uniform(-0.25, 0.25)
    tint = np.array([dice.uniform(0.88, 1.05), 1, dice.uniform(0.92, 1.08)])
    photo = photo * (1 + across + down)[..., None] * dice.uniform(0.7, 1.05) * tint
    if dice.random() < 0.4:
        shadow = np.zeros((HIGH, WIDE), np.float32)
        cv2.fillPoly(shadow, [(dice.uniform(0, 1, (3, 2)) * [WIDE, HIGH]).astype(np.int32)], 1.0)
        photo *= (1 - 0.35 * cv2.GaussianBlur(shadow, (0, 0), 30))[..., None]
    photo = cv2.GaussianBlur(photo, (0, 0), dice.uniform(0.4, 2.2)) + dice.normal(0, dice.uniform(1, 6), photo.shape)
    quality = int(dice.integers(60, 95))
    _, jpeg = cv2.imencode(".jpg", np.clip(photo, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return jpeg.tobytes()
