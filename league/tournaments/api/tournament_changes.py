"""Live updates of a tournament: after each change of it, and of a result at one of its tables."""

from collections.abc import AsyncGenerator
from typing import Any

import strawberry
from strawberry import subscription

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import UnknownId
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.ids import local_id
from league.projections.queries.snapshot import Snapshot
from league.tournaments.api.tournaments import Tournament, TournamentId
from league.tournaments.projections.seen import tournaments_by_id
from league.wording.language import _


@strawberry.type
class TournamentSubscriptions:
    @subscription(
        description="A tournament as it is, then after each change of it and of a result at its tables. It completes "
        "when the tournament has ended. An error with the code UNKNOWN_ID for an unknown tournament."
    )
    async def tournament_changed(
        self,
        info: Info,
        id: TournamentId,  # noqa: A002  # the argument's name in the schema
    ) -> AsyncGenerator[Tournament, None]:
        local = local_id("Tournament", id)

        def look(snapshot: Snapshot) -> Any:
            return tournaments_by_id(snapshot, [local]).get(local)

        async for _state in each_change(info, look):
            seen = await info.context.reader.read(look)
            if seen is None:
                raise UnknownId(_("`id`: the league has no tournament {id!r}.", id=id), argument="id")
            yield Tournament.of(seen)
            if seen.state.ended:
                return
