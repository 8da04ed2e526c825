"""Playing a tile."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import Tile
from league.api.graphql.shaping.mutations import USUAL, Answer, mutation
from league.tables.api.enums import ChainEnd
from league.tables.api.table_errors import (
    HandOverError,
    NotSeatedError,
    NotYourTurnError,
    TileDoesNotFitError,
    TileNotHeldError,
    TurnTakenError,
)
from league.tables.api.table_success import AtTableInput, TableSuccess, act, table_of
from league.tables.domain.commands import PlayTile


@strawberry.input(description="A move: a tile of yours, and the end of the chain that it goes on.")
class PlayTileInput(AtTableInput):
    hand: int = field(description="The number of the hand, `hand { number }` of the table.")
    turn: int = field(description="The number of the turn, `hand { turn }` of the table.")
    tile: Tile = field(description="The tile, its halves in either order.")
    end: ChainEnd | None = field(default=None, description="The end; null for the first tile of the hand.")


@strawberry.type
class MoveMutations:
    @mutation(
        "Play a tile. The same move sent again gets the first answer; another one for the same turn is "
        "refused. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(
            NotSeatedError,
            NotYourTurnError,
            TurnTakenError,
            TileNotHeldError,
            TileDoesNotFitError,
            HandOverError,
            *USUAL,
        ),
        result="The result of a move.",
    )
    async def play_tile(self, info: Info, given: PlayTileInput) -> Answer:
        table = table_of(given)
        end = None if given.end is None else given.end.value
        position = await act(
            info,
            given,
            table,
            lambda player: PlayTile(table, player, given.hand, given.turn, given.tile, end),
        )
        return {"position": position, "table_id": table}
