"""Playing a tile."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.mutations import INPUT
from league.api.graphql.scalars import Tile
from league.api.graphql.table_errors import (
    HandOverError,
    NotSeatedError,
    NotYourTurnError,
    TileDoesNotFitError,
    TileNotHeldError,
    TurnTakenError,
)
from league.api.tables.enums import ChainEnd
from league.api.tables.table_success import AtTableInput, TableErrors, TableSuccess, act, table_of
from league.domain.table.commands import PlayTile


@strawberry.input(description="A move: a tile of yours, and the end of the chain that it goes on.")
class PlayTileInput(AtTableInput):
    hand: int = field(description="The number of the hand, `hand { number }` of the table.")
    turn: int = field(description="The number of the turn, `hand { turn }` of the table.")
    tile: Tile = field(description="The tile, its halves in either order.")
    end: ChainEnd | None = field(default=None, description="The end; null for the first tile of the hand.")


@strawberry.type(
    description="The tile lies on the table. Draws and passes that are forced have been made too, and if the hand is "
    "over the next one is being shuffled."
)
class PlayTileSuccess(TableSuccess):
    pass


PlayTilePayload = Annotated[
    PlayTileSuccess
    | NotSeatedError
    | NotYourTurnError
    | TurnTakenError
    | TileNotHeldError
    | TileDoesNotFitError
    | HandOverError
    | TableErrors,
    strawberry.union("PlayTilePayload", description="The result of a move."),
]


@strawberry.type
class MoveMutations:
    @strawberry.mutation(
        description="Play a tile. The same move sent again gets the first answer; another one for the same turn is "
        "refused. Role: player, for themselves."
    )
    async def play_tile(self, info: Info, given: Annotated[PlayTileInput, INPUT]) -> PlayTilePayload:
        table = table_of(given)
        end = None if given.end is None else given.end.value
        position = await act(
            info,
            "playTile",
            given,
            table,
            lambda player: PlayTile(table, player, given.hand, given.turn, given.tile, end),
        )
        return PlayTileSuccess(position=position, table_id=table)
