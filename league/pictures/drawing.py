"""The parts of pictures as SVG, and their conversion to PNG and HTML.

Lengths are in units of a drawing that is `WIDTH` units wide; a PNG has `ZOOM` pixels per unit.
"""

import base64
import re
from collections.abc import Iterable
from html import escape
from math import ceil

import resvg_py
from msgspec import Struct

from league.domain.colours import text_on
from league.pictures.lettering import BOLD, FALLBACK, FAMILY, MEDIUM, clipped, drawable, fitted, width
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


def wide(words: str, size: float, *, bold: bool = False) -> float:
    """How wide the words are when they are drawn."""
    return width(drawable(spoken(words)), size, bold=bold)


class Words(Struct, frozen=True):
    """Words that fit into a width, on one or more lines."""

    lines: list[str]
    size: float
    leading: float
    """From one line to the next."""
    bold: bool

    @property
    def high(self) -> float:
        """From the first line to the last."""
        return self.leading * (len(self.lines) - 1)

    def at(self, x: float, y: float, fill: str = INK) -> str:
        """The words, with the first line at `y`."""
        return "".join(
            text(line, x, y + self.leading * number, self.size, most=WIDTH, fill=fill, bold=self.bold)
            for number, line in enumerate(self.lines)
        )


def fitting(words: str, most: float, size: float, *, smallest: float, lines: int = 1, bold: bool = False) -> Words:
    """Words at the largest size at which they fit; what has no room at the smallest size is cut off."""
    found = fitted(spoken(words), most, size, smallest=smallest, lines=lines, bold=bold)
    return Words(found.lines, found.size, found.size * 1.2, bold)


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
    whole = ceil(height + FOOT)
    words = WIDTH - 2 * MARGIN - 118
    name, date = foot
    headed = fitting(title, words, 32, smallest=22, lines=2, bold=True)
    first = 64 if len(headed.lines) == 1 else 50
    beside = wide(date, 16) + 16 if date else 0
    size = f'width="{WIDTH}" height="{_number(whole)}" viewBox="0 0 {WIDTH} {_number(whole)}"'
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FAMILY}, sans-serif">',
            box(0, 0, WIDTH, whole, PAPER),
            _head(HEADER),
            _dominoes(),
            _on_head(headed.at(MARGIN, first, FELT_TEXT)),
            _on_head(fitting(subtitle, words, 17, smallest=13).at(MARGIN, first + headed.high + 33, FELT_SOFT)),
            *parts,
            fitting(name, WIDTH - 2 * MARGIN - beside, 16, smallest=12, bold=True).at(MARGIN, height + 40),
            text(date, WIDTH - MARGIN, height + 40, 16, most=160, fill=SOFT, end=True),
            "</svg>",
        )
    )


def _head(high: float) -> str:
    return f'<g class="head">{box(0, 0, WIDTH, high, FELT)}</g>'


def _on_head(words: str) -> str:
    return f'<g class="on-head">{words}</g>'


def _dominoes() -> str:
    return f'<g class="dominoes">{domino(6, 4, WIDTH - 104, 70, 88, -14)}{domino(3, 5, WIDTH - 52, 62, 88, 10)}</g>'


class ClubLook(Struct, frozen=True):
    """The colours and the logo of a club, as far as it has them."""

    colour: str | None = None
    second_colour: str | None = None
    logo: bytes | None = None
    """A square PNG."""


LOGO = 92
"""The width and the height of the logo in a drawing."""


def in_look(svg: str, look: ClubLook) -> str:
    """A drawing with the head in the club's colours, and its logo in place of the dominoes."""
    rules, more = "", ""
    if look.colour is not None:
        rules += f".head rect{{fill:{look.colour}}}.on-head text{{fill:{text_on(look.colour)}}}"
    if look.second_colour is not None:
        high = LEAGUE_HIGH if f'height="{LEAGUE_HIGH}"' in svg[: svg.index(">")] else HEADER
        more += box(0, high - 6, WIDTH, 6, look.second_colour)
    if look.logo is not None:
        rules += ".dominoes{display:none}"
        place = f'x="{WIDTH - MARGIN - LOGO}" y="{_number((HEADER - LOGO) / 2)}" width="{LOGO}" height="{LOGO}"'
        more += f'<image {place} href="data:image/png;base64,{base64.b64encode(look.logo).decode()}"/>'
    beginning = svg.index(">") + 1
    style = f"<style>{rules}</style>" if rules else ""
    return svg[:beginning] + style + svg[beginning:].removesuffix("</svg>") + more + "</svg>"


_SIZE = re.compile(r'width="(\d+)" height="(\d+)"')


def size_of(svg: str) -> tuple[int, int]:
    """The width and the height of the PNG of a drawing, in pixels."""
    found = _SIZE.search(svg)
    assert found is not None, "each drawing has a size"
    return int(found[1]) * ZOOM, int(found[2]) * ZOOM


LEAGUE_HIGH = 283
"""The height of the picture of the league: chats show a picture whole that is 1.91 times as wide as high."""


def league_picture(name: str, below: str) -> str:
    """The name of the league, for pages without a picture of their own."""
    words = WIDTH - 2 * MARGIN
    headed = fitting(name, words, 40, smallest=24, lines=3, bold=True)
    size = f'width="{WIDTH}" height="{LEAGUE_HIGH}" viewBox="0 0 {WIDTH} {LEAGUE_HIGH}"'
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FAMILY}, sans-serif">',
            _head(LEAGUE_HIGH),
            _dominoes(),
            _on_head(headed.at(MARGIN, LEAGUE_HIGH - 72 - headed.high, FELT_TEXT)),
            _on_head(fitting(below, words, 19, smallest=14).at(MARGIN, LEAGUE_HIGH - 36, FELT_SOFT)),
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
    policy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"
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
