"""The fonts of pictures: which characters they have, how wide a text is, and how a text is made to fit."""

import struct
import unicodedata
from functools import cache
from pathlib import Path

from msgspec import Struct

FOLDER = Path(__file__).with_name("fonts")
FAMILY = "Manrope"
MEDIUM = FOLDER / "Manrope-Medium.ttf"
BOLD = FOLDER / "Manrope-Bold.ttf"
FALLBACK = FOLDER / "DejaVuSans.ttf"
"""Used for a whole text if the other fonts lack one of its letters: Arabic, Hebrew, Armenian."""

MISSING = "•"
"""Replaces letters that no font here has, such as Chinese ones, and a text that is nothing but emoji."""
ELLIPSIS = "…"
LONGEST = 300
"""Limit on the characters that are read of a text; more never fit."""
MOST_MARKS = 2
"""Limit on accents per letter; more would run over the lines above and below."""


class Fitted(Struct, frozen=True):
    """A text as it is drawn: its lines, and the size of its letters."""

    lines: list[str]
    size: float


def drawable(text: str) -> str:
    """The text on one line, without control and direction characters, and without emoji, which no font here has.

    A colour font would weigh ten megabytes. A name that is nothing but emoji is drawn as `MISSING`.
    """
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text)[:LONGEST]:
        category = unicodedata.category(character)
        marks = marks + 1 if category.startswith("M") else 0
        if category.startswith("Z"):
            kept.append(" ")
        elif category.startswith("C") or "\ufe00" <= character <= "\ufe0f" or marks > MOST_MARKS:
            continue
        elif any(ord(character) in _advances(font) for font in (MEDIUM, FALLBACK)):
            kept.append(character)
        elif not category.startswith("S") and kept[-1:] != [MISSING]:
            kept.append(MISSING)
    return " ".join("".join(kept).split()) or (MISSING if text.strip() else "")


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a drawable text at a font size, in the unit of the font size."""
    font = _advances(BOLD if bold else MEDIUM)
    if not all(ord(character) in font for character in text):
        font = _advances(FALLBACK)
    return size * sum(font.get(ord(character), 1.0) for character in text)


def clipped(text: str, most: float, size: float, *, bold: bool = False) -> str:
    """The text made drawable and cut to the width `most`; an ellipsis replaces what was cut off."""
    text = drawable(text)
    if width(text, size, bold=bold) <= most:
        return text
    while text and width(text + ELLIPSIS, size, bold=bold) > most:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def fitted(text: str, most: float, size: float, *, smallest: float, lines: int = 1, bold: bool = False) -> Fitted:
    """The text at the largest size, from `size` to `smallest`, at which it fits into the width `most`.

    It takes one line if it can, then up to `lines`, broken between words. Only what has no room at the smallest size is
    cut off.
    """
    text = drawable(text)
    sizes = [size - step for step in range(int(size - smallest) + 1)]
    for count in range(1, lines + 1):
        for one in sizes:
            broken = _broken(text, most, one, bold=bold)
            if len(broken) <= count and all(width(line, one, bold=bold) <= most for line in broken):
                return Fitted(broken, one)
    broken = _broken(text, most, sizes[-1], bold=bold)
    last = " ".join(broken[lines - 1 :])
    return Fitted([clipped(line, most, sizes[-1], bold=bold) for line in (*broken[: lines - 1], last)], sizes[-1])


def _broken(text: str, most: float, size: float, *, bold: bool) -> list[str]:
    """The words of a text in lines of the width `most`. A single word may be wider. An `&` begins a line."""
    words = text.replace("& ", "&\0").split(" ")
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}"
        if width(longer.replace("\0", " "), size, bold=bold) <= most:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line.replace("\0", " ") for line in lines]


@cache
def _advances(file: Path) -> dict[int, float]:
    """The width of each code point's glyph, as a fraction of the font size."""
    data = file.read_bytes()
    tables = {
        data[at : at + 4]: struct.unpack_from(">I", data, at + 8)[0]
        for at in range(12, 12 + 16 * struct.unpack_from(">H", data, 4)[0], 16)
    }
    per_em = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    measured = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[0]
    wide = [struct.unpack_from(">H", data, tables[b"hmtx"] + 4 * glyph)[0] / per_em for glyph in range(measured)]
    # The font lists the widths of its first glyphs; all later ones are as wide as the last of these.
    return {code: wide[min(glyph, measured - 1)] for code, glyph in _glyphs(data, tables[b"cmap"]).items()}


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """The glyph number of each code point, from the subtables of format 4 (segments) and 12 (groups)."""
    glyphs: dict[int, int] = {}
    for record in range(struct.unpack_from(">H", data, cmap + 2)[0]):
        at = cmap + struct.unpack_from(">HHI", data, cmap + 4 + 8 * record)[2]
        kind = struct.unpack_from(">H", data, at)[0]
        if kind == 4:  # noqa: PLR2004  # the number of a format
            glyphs |= _segments(data, at)
        elif kind == 12:  # noqa: PLR2004  # the number of a format
            for group in range(struct.unpack_from(">I", data, at + 12)[0]):
                first, last, glyph = struct.unpack_from(">III", data, at + 16 + 12 * group)
                glyphs |= {code: glyph + code - first for code in range(first, last + 1)}
    return glyphs


def _segments(data: bytes, at: int) -> dict[int, int]:
    count = struct.unpack_from(">H", data, at + 6)[0] // 2
    ends, starts, shifts, offsets = (
        struct.unpack_from(f">{count}H", data, at + 14 + 2 * (part * count + (part > 0))) for part in range(4)
    )
    glyphs: dict[int, int] = {}
    for segment in range(count):
        for code in range(starts[segment], min(ends[segment], 0xFFFE) + 1):
            glyph = code
            if offsets[segment]:
                here = at + 16 + 2 * (3 * count + segment)
                glyph = struct.unpack_from(">H", data, here + offsets[segment] + 2 * (code - starts[segment]))[0]
                if glyph == 0:
                    continue
            if found := (glyph + shifts[segment]) % 0x10000:
                glyphs[code] = found
    return glyphs
