"""The places of a board as a pageable list."""

from collections.abc import Callable
from typing import Any, Generic

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.relay import Connection, Made, connection_of
from league.projections.boards.board import Board
from league.projections.queries.pages import PageOf
from league.projections.queries.places import count_places, read_places_with_players
from league.projections.queries.players import players_by_id
from league.projections.queries.rows import R


class Places(Struct, Generic[R], frozen=True):
    """The places of a board as a pageable list."""

    row: type[R]
    board: Board
    data: Callable[[R], Any]
    """Converts a row of the board."""

    async def page(self, info: Info, page: PageOf, node: Made) -> Connection[Any]:
        """A page of the places. Raises BadCursor."""
        reader = info.context.reader

        async def total() -> int:
            return await reader.read(count_places, self.board)

        rows, players = await reader.read(read_places_with_players, self.row, self.board, page)
        reader.known(players_by_id).update(players)  # most who ask for places ask for the names
        return connection_of(rows, map(self.data, rows.rows), node, total)
