"""Why a tile cannot be played."""

from dataclasses import dataclass
from typing import ClassVar

from league.domain.refusals import Refusal
from league.domain.sentences import say
from league.domain.tiles import Tile


@dataclass(eq=True)
class TileNotHeld(Refusal):
    """A tile that the seat does not hold."""

    code: ClassVar[str] = "TILE_NOT_HELD"
    at: ClassVar[str] = "tile"
    seat: int
    tile: Tile

    @property
    def sentence(self) -> str:
        return say("seat {seat} does not hold {tile}", seat=self.seat, tile=list(self.tile))


@dataclass(eq=True)
class TileDoesNotFit(Refusal):
    """A tile that does not meet the end of the chain that the move names."""

    code: ClassVar[str] = "TILE_DOES_NOT_FIT"
    at: ClassVar[str] = "end"
    tile: Tile
    end: str | None
    shows: int | None
    """What that end shows; None before the first tile."""
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason
