"""Makes the picture of a club's logo from a file from outside, with what draws all pictures of the league."""

from __future__ import annotations

import base64

import resvg_py

from league.domain.sentences import say
from league.infra.decoding import DecodingTask
from league.infra.pictures import BadPicture

SIDE = 256
"""The width and the height of a stored logo, in pixels."""
KINDS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp", b"GIF8": "image/gif"}
"""The media type of a file, by its first bytes."""
JPEG, END_OF_JPEG, NEAR_THE_END = "image/jpeg", b"\xff\xd9", 4096


def logo_of(content: bytes) -> DecodingTask:
    """The task of making a logo from a file. Its function may raise BadPicture."""
    return DecodingTask("league.infra.logos:cleaned", content)


def cleaned(content: bytes) -> bytes:
    """The picture as a square PNG without metadata; the background stays as it is. Raises BadPicture.

    Only a decoding process calls it, which the system stops if a picture takes too much time or memory.
    """
    kind = next((kind for start, kind in KINDS.items() if content.startswith(start)), None)
    if kind is None:
        # An SVG may hold scripts and addresses of others.
        raise BadPicture(say("the file is not a picture that can be a logo: send a PNG, JPEG, WebP or GIF"))
    drawn = _drawn(
        f'<image width="{SIDE}" height="{SIDE}" href="data:{kind};base64,{base64.b64encode(content).decode()}"/>'
    )
    # A JPEG that is cut off would be drawn as far as it goes; other kinds are not drawn.
    is_cut = kind == JPEG and END_OF_JPEG not in content[-NEAR_THE_END:]
    if is_cut or drawn == _drawn(""):
        raise BadPicture(say("the picture is damaged or cut off, or nothing can be seen on it"))
    return drawn


def _drawn(inside: str) -> bytes:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}">{inside}</svg>'
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))
