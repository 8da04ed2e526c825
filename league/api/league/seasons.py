"""Seasons, opening and closing them."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import optional
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import SeasonId
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.mutations import (
    NEW_ID,
    USUAL,
    USUAL_OF_NEW,
    Answer,
    MutationInput,
    Success,
    carry_out,
    mutation,
    new_id,
)
from league.api.graphql.shaping.object_fields import cacheable_field_of, field_of
from league.api.graphql.shaping.relay import Connection, Node, PageableList, cacheable_paged, local_id
from league.api.graphql.shaping.user_errors import AlreadyExistsError
from league.domain.league import CloseSeason, OpenSeason
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import SeasonRow


@strawberry.type(description="A named span of play time; a match belongs to the season in which it began.")
class Season(FromRow, Node, key="season_id", start="starts_at", end="ends_at"):
    season_id: str = field(description="The id in the league.")
    name: str = field(description="The name for people.")
    start: datetime = field(description="When it starts.")
    end: datetime | None = field(description="When it ends, exclusive; null while it is open.")


@strawberry.type
class SeasonQueries:
    @cacheable_field_of(Season | None, "One season; null when the league does not know it.")
    async def season(self, info: Info, id: SeasonId) -> SeasonRow | None:  # noqa: A002  # the argument's name in the schema
        return await loaders.matches.season(info, local_id("Season", id))

    @cacheable_paged(Connection[Season], "The seasons, in the order in which they start.")
    def seasons(self) -> PageableList[SeasonRow]:
        return PageableList(SeasonRow, lambda _: (reads.seasons(), reads.SEASONS_IN_ORDER))


@strawberry.type(description="A mutation that changed a season.")
class SeasonSuccess(Success):
    season_id: str = field(description="The season's id in the league.")

    @field_of(Season | None, "The season afterwards; null with an error when the read side does not follow in time.")
    async def season(self, info: Info) -> SeasonRow | None:
        return await loaders.matches.season(info, self.season_id)


@strawberry.input(description="A named span of play time to open.")
class OpenSeasonInput(MutationInput):
    season_id: str | None = optional(NEW_ID)
    name: str = field(description="1 to 100 characters.")
    start: datetime = field(description="When it starts.")
    end: datetime | None = optional("When it ends, exclusive; null: it stays open.")


@strawberry.input(description="The end of a season that was opened without one.")
class CloseSeasonInput(MutationInput):
    season: strawberry.ID = field(description="Global id, or the id in the league.")
    end: datetime = field(description="When it ends, exclusive.")


@strawberry.type
class SeasonMutations:
    @mutation(
        "Name a span of play time. Role: admin.",
        of=SeasonSuccess,
        refusals=(AlreadyExistsError, *USUAL_OF_NEW),
        result="The result of opening a season.",
    )
    async def open_season(self, info: Info, given: OpenSeasonInput) -> Answer:
        season = new_id(info, given) if given.season_id is None else given.season_id
        command = OpenSeason(season, given.name, given.start, given.end)
        position = await carry_out(info, given, lambda: command, paths={"season": "seasonId"})
        return {"position": position, "season_id": season}

    @mutation(
        "End a season that was opened without an end. Role: admin.",
        of=SeasonSuccess,
        refusals=USUAL,
        result="The result of closing a season.",
    )
    async def close_season(self, info: Info, given: CloseSeasonInput) -> Answer:
        season = local_id("Season", given.season)
        position = await carry_out(info, given, lambda: CloseSeason(season, given.end))
        return {"position": position, "season_id": season}
