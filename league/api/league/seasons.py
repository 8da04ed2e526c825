"""Seasons: named spans of play time."""

from datetime import datetime
from typing import Any

import strawberry
from sqlalchemy import Row
from strawberry import field

from league.api.graphql.arguments import AfterPosition, SeasonId
from league.api.graphql.context import Info
from league.api.graphql.ids import global_id, local_id
from league.api.graphql.relay import Connection, Listed, Node, paged
from league.projections.queries import catalogue as reads


@strawberry.type(description="A named span of play time; a match is of the season in which it began.")
class Season(Node):
    season_id: str = field(description="The id in the league.")
    name: str = field(description="For people.")
    start: datetime = field(description="From here on.")
    end: datetime | None = field(description="Until here, exclusive; null while it is open.")

    @classmethod
    def of(cls, row: Row[Any]) -> "Season":
        """A row of seasons."""
        return cls(
            id=strawberry.ID(global_id("Season", row.season_id)),
            season_id=row.season_id,
            name=row.name,
            start=row.starts_at,
            end=row.ends_at,
        )

    def holds(self, began_at: datetime) -> bool:
        """Whether a match that began then is of this season."""
        return self.start <= began_at and (self.end is None or began_at < self.end)


async def season_named(info: Info, season: str) -> Season | None:
    """The season of an id in the league."""
    rows = await info.context.reader.once(reads.all_seasons)
    return next((Season.of(row) for row in rows if row.season_id == season), None)


async def season_of(info: Info, began_at: datetime) -> Season | None:
    """The season in which a match that began then is played."""
    seasons = map(Season.of, await info.context.reader.once(reads.all_seasons))
    return next((season for season in seasons if season.holds(began_at)), None)


@strawberry.type
class SeasonQueries:
    @field(description="One season; null when the league does not know it.")
    async def season(self, info: Info, id: SeasonId, after_position: AfterPosition = None) -> Season | None:  # noqa: A002  # the argument's name in the schema
        return await season_named(info, local_id("Season", id))

    @paged(Connection[Season], "The seasons, in the order in which they start.")
    def seasons(
        self,
        after_position: AfterPosition = None,
    ) -> Listed:
        return Listed(lambda _: (reads.seasons(), reads.SEASONS_IN_ORDER), Season.of)
