"""One turn of a hand, as transcripts, live tables and the engine write it."""

from typing import Literal

from msgspec import Struct

from league.domain.tiles import Tile

Where = Literal["left", "right", "draw", "timeout"]


class Turn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A seat plays a tile (as it lies, left half first) on an end, draws one, or passes (no tile)."""

    seat: int
    tile: Tile | None
    where: Where | None = None
    """`left` or `right`; None for the first tile and a pass; `draw`; `timeout` for a pass that the clock made."""
