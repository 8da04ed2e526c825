"""QR codes of addresses, for pages and sheets that a phone is held to."""

import io
from functools import lru_cache

import segno
from markupsafe import Markup


@lru_cache(maxsize=1024)
def qr_code(text: str) -> Markup:
    """A QR code as SVG. The page sets its size. Cached: each takes 2 ms, and a sheet has one for each table."""
    drawn = io.BytesIO()
    segno.make(text, micro=False).save(drawn, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=1)
    return Markup(drawn.getvalue().decode())  # noqa: S704  # segno draws it, and no text stands in it
