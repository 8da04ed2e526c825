"""Any object by its global id."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import strawberry
from strawberry import field

from league.api.boards.boards import Board, board_of_id
from league.api.graphql import loaders
from league.api.graphql.context import Info, KeptContext
from league.api.graphql.ids import global_id, read_global_id
from league.api.graphql.keepable import keepable
from league.api.graphql.loaders.matches import PlayedHand
from league.api.graphql.loaders.photos import SeenPhoto
from league.api.graphql.loaders.tables import SeenTable
from league.api.graphql.relay import MOST, Node
from league.api.graphql.request_errors import ExcessivePagination
from league.api.league.seasons import Season
from league.api.matches.hands import Hand
from league.api.matches.matches import Match
from league.api.photos.photos import Photo
from league.api.players.players import Player, Team
from league.api.ratings.changes import RatingChange
from league.api.rules.editions import Edition
from league.api.tables.tables import Table
from league.domain.competitor import CompetitorId, competitor_of, players_of
from league.projections.queries.catalogue import EditionDocument, editions_by_hash
from league.projections.queries.matches import ChangeRow
from league.wording.language import _


async def _edition(info: Info, hash_: str) -> EditionDocument | None:
    return await info.context.reader.load(editions_by_hash, hash_)


async def _change(info: Info, local: str) -> ChangeRow | None:
    match, _, subject_and_id = local.partition(":")
    return await loaders.matches.change(info, match, subject_and_id.partition(":")[2])


async def _hand(info: Info, local: str) -> PlayedHand | None:
    match, _, number = local.partition(":")
    return next((hand for hand in await loaders.matches.hands(info, match) if str(hand.number) == number), None)


async def _table(info: Info, local: str) -> SeenTable | None:
    # Beyond the state of the read side, and another one for each viewer.
    context = info.context
    return await loaders.tables.table(
        context.beyond_the_state() if isinstance(context, KeptContext) else context, local
    )


async def _photo(info: Info, local: str) -> SeenPhoto | None:
    # Of the log and for some viewers only, as a table.
    context = info.context
    return await loaders.photos.photo(
        context.beyond_the_state() if isinstance(context, KeptContext) else context, local
    )


FIND: dict[str, tuple[Callable[[Info, str], Awaitable[Any]], Callable[[Any], Node]]] = {
    "Player": (loaders.players.player, Player.of),
    "Team": (loaders.players.rated_team, Team.of),
    "Match": (loaders.matches.match, Match.of),
    "Season": (loaders.seasons.season, Season.of),
    "Edition": (_edition, Edition.of),
    "RatingChange": (_change, RatingChange.of),
    "Board": (board_of_id, Board.of),
    "Hand": (_hand, Hand.of),
    "Table": (_table, Table.of),
    "Photo": (_photo, Photo.of),
}
"""How each kind of object is loaded by its id in the league, and the function that converts it."""


async def _find(info: Info, id_: str) -> Node | None:
    read = read_global_id(id_)
    if read is None:
        return None
    kind, local = read
    load, make = FIND[kind]
    found = await load(info, local)
    node = None if found is None else make(found)
    # An id has one form: what was never given out finds nothing.
    return node if node is not None and id_ in (node.id, _before_a_merge(kind, local)) else None


def _before_a_merge(kind: str, local: str) -> str | None:
    """The global id that a player or a pair had, also where they are read as another one today."""
    return global_id(kind, competitor_of(players_of(CompetitorId(local)))) if kind in ("Player", "Team") else None


@strawberry.type
class NodeQueries:
    @field(description="The object with a global id; null when there is none.")
    @keepable
    async def node(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="A global id.")],  # noqa: A002  # the argument's name in the schema
    ) -> Node | None:
        return await _find(info, id)

    @field(description="The objects with these global ids, in order; null where there is none.")
    @keepable
    async def nodes(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description=f"Global ids, at most {MOST}.")],
    ) -> list[Node | None]:
        if len(ids) > MOST:
            raise ExcessivePagination(
                _("`ids` has {count} entries; at most {most}.", count=len(ids), most=MOST), argument="ids", most=MOST
            )
        return list(await asyncio.gather(*(_find(info, id_) for id_ in ids)))
