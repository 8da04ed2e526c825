"""Seasons: named spans of play time."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import SeasonId
from league.api.graphql.shaping.ids import global_id, local_id
from league.api.graphql.shaping.made_of import made_of
from league.api.graphql.shaping.references import field_of
from league.api.graphql.shaping.relay import Connection, Listed, Node, paged
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import SeasonRow


@strawberry.type(description="A named span of play time; a match is of the season in which it began.")
class Season(Node):
    season_id: str = field(description="The id in the league.")
    name: str = field(description="For people.")
    start: datetime = field(description="From here on.")
    end: datetime | None = field(description="Until here, exclusive; null while it is open.")

    @classmethod
    def of(cls, row: SeasonRow) -> "Season":
        """A row of seasons."""
        return made_of(
            cls, row, id=strawberry.ID(global_id("Season", row.season_id)), start=row.starts_at, end=row.ends_at
        )


@strawberry.type
class SeasonQueries:
    @field_of(Season | None, "One season; null when the league does not know it.")
    @keepable
    async def season(self, info: Info, id: SeasonId) -> SeasonRow | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.seasons.season(info, local_id("Season", id))

    @paged(Connection[Season], "The seasons, in the order in which they start.")
    @keepable
    def seasons(
        self,
    ) -> Listed[SeasonRow]:
        return Listed(SeasonRow, lambda _: (reads.seasons(), reads.SEASONS_IN_ORDER))
