"""What live tables add to a match."""

from typing import Annotated, Any, TypeAlias

import strawberry

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.references import Reference, field_of
from league.tables.api import seen_tables
from league.tables.api.seen_tables import SeenTable

TableRef: TypeAlias = Annotated["Any", Reference("Table", "league.tables.api.tables")]


@strawberry.type
class TableOfMatch:
    match_id: strawberry.Private[str]

    @field_of(TableRef | None, "The live table that plays it or has played it; null for a match that was recorded.")
    async def table(self, info: Info) -> SeenTable | None:
        return await seen_tables.table(info.context, self.match_id)
