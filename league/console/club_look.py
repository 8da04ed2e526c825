"""The look of the club: its logo and its colours on every page, on screens in the hall, and on pictures.

The colours are a style sheet whose address changes with its content, so that browsers cache it for good.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from league.api.server.logo_endpoint import FOR_GOOD
from league.domain.colours import contrast, text_on

LOOK = "query Look { league { colour secondColour logo } }"
"""Asks for the look of the club."""
COLOURS = re.compile(r"([0-9a-f]{6})?(?:-([0-9a-f]{6}))?\.[0-9a-f]{8}", re.ASCII)
"""How the address of the style sheet names the colours, and the beginning of the hash of its content."""
EDGE = 3
"""The contrast that the edge of a button needs. One without it gets an edge in the colour of its text."""
CARDS = {"light": "#ffffff", "dark": "#1a211e"}
"""The background of buttons in light and in dark, as `console.css` has it."""


class ShownLook(Struct, frozen=True):
    """The look of the club as pages link to it."""

    colour: str | None
    second_colour: str | None
    logo: str | None
    """The hash of the logo."""

    @property
    def colours(self) -> str:
        """The colours, as the address of the style sheet names them; empty if the club has none."""
        if not (self.colour or self.second_colour):
            return ""
        second = f"-{self.second_colour[1:]}" if self.second_colour else ""
        content = sha256(style_of(self.colour, self.second_colour).encode()).hexdigest()
        return f"{(self.colour or '')[1:]}{second}.{content[:8]}"


def shown_look(data: Mapping[str, Any]) -> ShownLook | None:
    """The look in the answer to LOOK; None before there is a league."""
    league = data["league"]
    return None if league is None else ShownLook(league["colour"], league["secondColour"], league["logo"])


async def colours_file(request: Request) -> Response:
    """The style sheet of the colours in its address. Raises HTTPException."""
    found = COLOURS.fullmatch(request.path_params["colours"])
    if found is None:
        raise HTTPException(404)
    colour, second = (part and f"#{part}" for part in found.groups())
    return Response(style_of(colour, second), media_type="text/css", headers=FOR_GOOD)


def style_of(colour: str | None, second: str | None) -> str:
    """The rules of the colours. Text on the club's colour is black or white, whichever can be read."""
    rules = ""
    if colour is not None:
        text = text_on(colour)
        rules += f":root{{--felt:{colour};--on-felt:{text};--felt-soft:{text}}}\n"
        rules += ".top :focus-visible,.hero :focus-visible{outline-color:var(--on-felt)}\n"
        rules += "main>.head{background:var(--felt);color:var(--on-felt);padding:.15em .5em;border-radius:.3em}\n"
        for scheme, card in CARDS.items():
            if contrast(colour, card) < EDGE:
                edge = "button:not(.link,.second,.danger),.button:not(.second,.danger){border-color:var(--on-felt)}"
                rules += f"@media (prefers-color-scheme:{scheme}){{{edge}}}\n"
    if second is not None:
        rules += f".top,main>.head{{border-bottom:4px solid {second}}}\n"
    return rules
