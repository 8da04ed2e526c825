"""A hand turn by turn: as it was played at a live table, or as it was recorded."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.enums import TurnKind, TurnMaker
from league.api.graphql.scalars import BigInt, Tile
from league.api.graphql.shaping.made_of import made_of
from league.domain.play.turn import TakenTurn, WholeHand


@strawberry.type(description="A play, a draw or a pass.")
class HandTurn:
    number: int = field(description="From 1: plays, draws and passes of the hand are counted together.")
    seat: int = field(description="Whose turn it was.")
    tile: Tile | None = field(
        description="The tile as it was played, the left half first; null: a pass, and a "
        "draw whose tile the viewer may not see."
    )
    where: TurnKind | None = field(description="Null for the first tile, and for a pass.")
    by: TurnMaker | None = field(
        description="Who made it; null where the server drew or passed at once, and in recorded hands."
    )
    at: datetime | None = field(description="When it was made; null in recorded hands, and in a running one.")
    position: BigInt | None = field(description="The position of its event; null where `at` is null.")

    @classmethod
    def of(cls, taken: TakenTurn) -> "HandTurn":
        """A turn of a transcript or of a live table."""
        turn = taken.turn
        return made_of(
            cls,
            taken,
            seat=turn.seat,
            tile=None if turn.tile is None else Tile(turn.tile),
            where=None if turn.where is None else TurnKind(turn.where),
        )


@strawberry.type(description="Every turn of a hand, and the tiles with which it began.")
class HandTranscript:
    dealt: list[list[Tile]] = field(description="The tiles dealt, by seat.")
    turns: list[HandTurn] = field(description="Every turn, in order.")

    @classmethod
    def of(cls, found: WholeHand) -> "HandTranscript":
        """A hand of which every turn is known."""
        dealt = [[Tile(tile) for tile in hand] for hand in found.dealt]
        return cls(dealt=dealt, turns=[HandTurn.of(taken) for taken in found.turns])
