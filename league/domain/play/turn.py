"""One turn of a hand, as transcripts, live tables and the engine write it."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from league.domain.tiles import Tile

Maker = Literal["player", "clock", "ai"]
Where = Literal["left", "right", "draw", "timeout"]


class Turn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A seat plays a tile (as it lies, left half first) on an end, draws one, or passes (no tile)."""

    seat: int
    tile: Tile | None
    where: Where | None = None
    """`left` or `right`; None for the first tile and a pass; `draw`; `timeout` for a pass that the clock made."""


class TakenTurn(Struct, frozen=True):
    """A turn of a hand, with what is known of how it came about."""

    number: int
    turn: Turn
    by: Maker | None = None
    """None where the server drew or passed at once, and where the hand was recorded."""
    at: datetime | None = None
    position: int | None = None
    """Of its event in the log."""


class WholeHand(Struct, frozen=True):
    """A hand of which every turn is known."""

    dealt: tuple[tuple[Tile, ...], ...]
    """The tiles dealt, by seat."""
    turns: tuple[TakenTurn, ...]
