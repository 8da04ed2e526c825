"""Logos: what is taken as a picture, and what is stored of it."""

from __future__ import annotations

import io
from functools import cache

import pytest
from PIL import Image

from league.infra.logos import SIDE, cleaned
from league.infra.pictures import BadPicture


@cache
def picture(kind: str) -> bytes:
    """A wide picture, half of it red."""
    drawn, out = Image.new("RGB", (400, 100), "white"), io.BytesIO()
    drawn.paste("red", (0, 0, 200, 100))
    drawn.save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_logo_is_a_square_png(kind: str) -> None:
    """A picture of each kind is stored whole and not stretched; beside it there is no background."""
    with Image.open(io.BytesIO(cleaned(picture(kind)))) as logo:
        assert (logo.format, logo.size) == ("PNG", (SIDE, SIDE))
        pixels = [logo.convert("RGBA").getpixel(at) for at in ((10, SIDE // 2), (SIDE - 10, SIDE // 2), (10, 10))]
    red, white, beside = pixels
    assert isinstance(red, tuple)
    assert isinstance(white, tuple)
    assert isinstance(beside, tuple)
    assert (red[0] > 240, red[1] < 20, white[1] > 240, beside[3]) == (True, True, True, 0)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"no picture", b"\x89PNG", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b"\x89PNG" + b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>',
        *(picture(kind)[: len(picture(kind)) // 2] for kind in ("PNG", "JPEG", "WEBP")),
    ],
)  # fmt: skip
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    """Neither text, nor an SVG, nor a file that is cut off becomes a logo."""
    with pytest.raises(BadPicture):
        cleaned(content)
