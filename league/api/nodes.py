"""Any object by its global id."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import strawberry
from strawberry import field

from league.api.graphql.arguments import AfterPosition
from league.api.graphql.context import Info
from league.api.graphql.ids import read_global_id
from league.api.graphql.relay import MOST, Node
from league.api.graphql.request_errors import ExcessivePagination
from league.api.league.seasons import season_named
from league.api.matches.matches import match_named
from league.api.players.players import player_named, team_named
from league.api.ratings.changes import change_of
from league.api.rules.editions import Edition
from league.projections.queries.catalogue import editions_by_hash


async def _edition(info: Info, hash_: str) -> Edition | None:
    row = await info.context.reader.load(editions_by_hash, hash_)
    return None if row is None else Edition.of(row)


async def _change(info: Info, local: str) -> Any:
    match, _, of = local.partition(":")
    return await change_of(info, match, of.partition(":")[2])


FIND: dict[str, Callable[[Info, str], Awaitable[Any]]] = {
    "Player": player_named,
    "Team": team_named,
    "Match": match_named,
    "Season": season_named,
    "Edition": _edition,
    "RatingChange": _change,
}
"""How each kind of object is found by its id in the league."""


async def _find(info: Info, id_: str) -> Any:
    read = read_global_id(id_)
    return None if read is None else await FIND[read[0]](info, read[1])


@strawberry.type
class NodeQueries:
    @field(description="The object behind a global id; null when there is none.")
    async def node(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="A global id.")],  # noqa: A002  # the argument's name in the schema
        after_position: AfterPosition = None,
    ) -> Node | None:
        return await _find(info, id)  # type: ignore[no-any-return]  # any node

    @field(description="The objects behind global ids, in their order; null where there is none.")
    async def nodes(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description=f"Global ids, at most {MOST}.")],
        after_position: AfterPosition = None,
    ) -> list[Node | None]:
        if len(ids) > MOST:
            raise ExcessivePagination(f"`ids` has {len(ids)} entries; at most {MOST}.", argument="ids", most=MOST)
        return list(await asyncio.gather(*(_find(info, id_) for id_ in ids)))
