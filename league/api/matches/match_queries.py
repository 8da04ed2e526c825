"""Queries for matches."""

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import MatchId
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.match_filter import MatchFilterArgument
from league.api.graphql.shaping.match_order import MatchOrder, MatchOrderArgument, filter_and_order
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.relay import Connection, Listed, paged
from league.api.matches.matches import Match
from league.projections.queries import matches as reads
from league.projections.queries.matches import MatchRow


@strawberry.type
class MatchQueries:
    @field_of(Match | None, "One match; null when the league does not know it.")
    @keepable
    async def match(self, info: Info, id: MatchId) -> MatchRow | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.matches.match(info, local_id("Match", id))

    @paged(Connection[Match], "Matches, those that began last first unless `orderBy` says otherwise.")
    @keepable
    async def matches(
        self,
        info: Info,
        filter_: MatchFilterArgument = None,
        order_by: MatchOrderArgument = MatchOrder.BEGAN_LATEST_FIRST,
    ) -> Listed[MatchRow]:
        wanted, order = await filter_and_order(info, filter_, order_by)
        return Listed(MatchRow, lambda run: (reads.matches(run, wanted), order))
