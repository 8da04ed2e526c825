"""The parts of pictures as SVG, their conversion to PNG and HTML, and the fonts.

Lengths are in units of a drawing that is `WIDTH` units wide; a PNG has `ZOOM` pixels per unit.
"""

import base64
import struct
import unicodedata
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path

import resvg_py

from league.wording.language import spoken

WIDTH, MARGIN = 540, 28
ZOOM = 2
HEADER, FOOT = 132, 64

INK, SOFT, LINE = "#1c2421", "#69736e", "#e5e0d4"
PAPER, CARD = "#f5f1e7", "#ffffff"
FELT, FELT_TEXT, FELT_SOFT = "#14573f", "#ffffff", "#bfdccf"
UP, DOWN = "#15803d", "#b42318"

_PIPS = {
    0: (), 1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)), 5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}  # fmt: skip
"""Where the pips of each number stand on half a tile, in columns and rows from its middle."""


def text(
    words: str, x: float, y: float, size: float, *, most: float, fill: str = INK, bold: bool = False, end: bool = False
) -> str:
    """Words on one line, cut off at the width `most`; `x` is where they begin, with `end` where they end."""
    shown = escape(clipped(spoken(words), most, size, bold=bold))
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    where = f'x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}"'
    return f'<text {where} fill="{fill}"{weight}{anchor}>{shown}</text>'


def centred(words: str, x: float, y: float, size: float, fill: str) -> str:
    """A few bold characters, centred on `x`."""
    return (
        f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}" fill="{fill}" font-weight="700"'
        f' text-anchor="middle">{escape(drawable(words))}</text>'
    )


def box(x: float, y: float, wide: float, high: float, fill: str, radius: float = 0) -> str:
    """A filled box with round corners."""
    corners = f' rx="{_number(radius)}"' if radius else ""
    return (
        f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(wide)}" height="{_number(high)}"{corners}'
        f' fill="{fill}"/>'
    )


def rule(y: float, left: float = MARGIN, right: float = WIDTH - MARGIN) -> str:
    """A thin line across."""
    return f'<path d="M{_number(left)} {_number(y)}H{_number(right)}" stroke="{LINE}"/>'


def move(gained: int | None, x: float, y: float) -> str:
    """Ranks gained (a green triangle), lost (a red one) or unchanged (a dash), centred on `x`; nothing for None."""
    if not gained:
        return (
            ""
            if gained is None
            else f'<path d="M{_number(x - 5)} {_number(y - 5)}h10" stroke="{LINE}" stroke-width="2.5"/>'
        )
    colour, high = (UP, -7) if gained > 0 else (DOWN, 7)
    triangle = f'<path d="M{_number(x - 20)} {_number(y - 5 - high / 2)}h10l-5 {high}z" fill="{colour}"/>'
    return triangle + text(str(abs(gained)), x - 6, y, 15, most=40, fill=colour, bold=True)


def domino(first: int, second: int, x: float, y: float, high: float, turned: float) -> str:
    """A tile `high` units high, centred on (x, y) and turned by some degrees."""
    wide, pip = high / 2, high / 22
    halves = "".join(
        f'<circle cx="{_number(column * wide * 0.27)}" cy="{_number(middle + row * wide * 0.27)}" r="{_number(pip)}"/>'
        for middle, pips in ((-high / 4, first), (high / 4, second))
        for column, row in _PIPS[pips]
    )
    return (
        f'<g transform="translate({_number(x)} {_number(y)}) rotate({_number(turned)})" fill="{INK}">'
        + box(-wide / 2, -high / 2 + 2, wide, high, "#0b3d2b", high / 10)
        + box(-wide / 2, -high / 2, wide, high, "#fffdf7", high / 10)
        + f'<path d="M{_number(-wide * 0.36)} 0h{_number(wide * 0.72)}" stroke="{SOFT}" stroke-width="1.5"/>'
        + f"{halves}</g>"
    )


def page(title: str, subtitle: str, parts: Iterable[str], height: float, foot: tuple[str, str]) -> str:
    """A whole drawing: a header with the title, the parts below it, and a foot with the league's name and a date.

    The foot begins at `height`, where the parts end.
    """
    whole = height + FOOT
    words = WIDTH - 2 * MARGIN - 118
    name, date = foot
    size = f'width="{WIDTH}" height="{_number(whole)}" viewBox="0 0 {WIDTH} {_number(whole)}"'
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FAMILY}, sans-serif">',
            box(0, 0, WIDTH, whole, PAPER),
            box(0, 0, WIDTH, HEADER, FELT),
            domino(6, 4, WIDTH - 104, 70, 88, -14),
            domino(3, 5, WIDTH - 52, 62, 88, 10),
            text(title, MARGIN, 64, 32, most=words, fill=FELT_TEXT, bold=True),
            text(subtitle, MARGIN, 97, 17, most=words, fill=FELT_SOFT),
            *parts,
            text(name, MARGIN, height + 40, 16, most=WIDTH - 2 * MARGIN - 170, bold=True),
            text(date, WIDTH - MARGIN, height + 40, 16, most=160, fill=SOFT, end=True),
            "</svg>",
        )
    )


def png(svg: str) -> bytes:
    """The drawing as a PNG with `ZOOM` pixels per unit."""
    fonts = [str(file) for file in (MEDIUM, BOLD, FALLBACK)]
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, zoom=ZOOM, skip_system_fonts=True, font_files=fonts, font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )  # fmt: skip


def html(svg: str, title: str, language: str) -> str:
    """An HTML page that contains the drawing and its fonts. It runs no script, and its policy lets it load nothing."""
    faces = "".join(
        f"@font-face{{font-family:{FAMILY};font-weight:{weight};"
        f"src:url(data:font/ttf;base64,{base64.b64encode(file.read_bytes()).decode()})}}"
        for weight, file in ((400, MEDIUM), (700, BOLD))
    )
    policy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:"
    style = (
        f"body{{margin:0;background:{PAPER}}}svg{{display:block;width:100%;max-width:640px;height:auto;margin:0 auto}}"
    )
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(drawable(spoken(title)))}</title><style>{faces}{style}</style></head><body>{svg}</body></html>\n"
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


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
