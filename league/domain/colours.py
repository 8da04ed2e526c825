"""Colours as a club chooses them, such as `#b3261e`, and the text that can be read on them."""

import re
from collections.abc import Iterator

from league.domain.refusals import InvalidInput
from league.domain.sentences import say

COLOUR = re.compile(r"#[0-9a-f]{6}", re.ASCII)
BLACK, WHITE = "#000000", "#ffffff"


def faults_of_colour(field: str, colour: str) -> Iterator[InvalidInput]:
    """Yield the fault of a colour that is not written as `#rrggbb`; an empty text removes a colour."""
    if colour and not COLOUR.fullmatch(colour.lower()):
        yield InvalidInput(field, say("{colour!r} is not a colour; an example is #b3261e", colour=colour[:50]))


def text_on(colour: str) -> str:
    """Black or white, whichever stands out more. On every colour, one of them reaches a contrast of 4.5."""
    return max((WHITE, BLACK), key=lambda text: contrast(text, colour))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it, from 1 to 21. Text needs 4.5, the edge of a button 3."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004  # as sRGB defines it
