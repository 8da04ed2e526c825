"""Opening and closing seasons."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, NEW_ID, MutationInput, Success, carry_out, new_id
from league.api.graphql.references import field_of
from league.api.graphql.user_errors import (
    AlreadyExistsError,
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    WrongStateError,
)
from league.api.league.seasons import Season
from league.domain.season import CloseSeason, OpenSeason
from league.projections.queries.catalogue import SeasonRow


@strawberry.interface(description="A mutation that changed a season.")
class SeasonSuccess(Success):
    season_id: str = field(description="The season's id in the league.")

    @field_of(Season | None, "The season afterwards; null with an error when the read side does not follow in time.")
    async def season(self, info: Info) -> SeasonRow | None:
        return await loaders.seasons.season(info, self.season_id)


@strawberry.input(description="A named span of play time to open.")
class OpenSeasonInput(MutationInput):
    season_id: str | None = field(default=None, description=NEW_ID)
    name: str = field(description="1 to 100 characters.")
    start: datetime = field(description="From here on.")
    end: datetime | None = field(default=None, description="Until here, exclusive; null: it stays open.")


@strawberry.type(description="The season exists.")
class OpenSeasonSuccess(SeasonSuccess):
    pass


OpenSeasonPayload = Annotated[
    OpenSeasonSuccess
    | InvalidInputError
    | AlreadyExistsError
    | WrongStateError
    | KeyReusedError
    | ConflictError
    | ForbiddenError,
    strawberry.union("OpenSeasonPayload", description="The result of opening a season."),
]


@strawberry.input(description="The end of a season that was opened without one.")
class CloseSeasonInput(MutationInput):
    season: strawberry.ID = field(description="Global id, or the id in the league.")
    end: datetime = field(description="Until here, exclusive.")


@strawberry.type(description="The season has an end.")
class CloseSeasonSuccess(SeasonSuccess):
    pass


CloseSeasonPayload = Annotated[
    CloseSeasonSuccess
    | InvalidInputError
    | NotFoundError
    | WrongStateError
    | KeyReusedError
    | ConflictError
    | ForbiddenError,
    strawberry.union("CloseSeasonPayload", description="The result of closing a season."),
]


@strawberry.type
class SeasonMutations:
    @strawberry.mutation(description="Name a span of play time. Role: admin.")
    async def open_season(self, info: Info, given: Annotated[OpenSeasonInput, INPUT]) -> OpenSeasonPayload:
        season = new_id(info, given) if given.season_id is None else given.season_id
        position = await carry_out(
            info,
            "openSeason",
            given,
            lambda: OpenSeason(season, given.name, given.start, given.end),
            paths={"season": "seasonId"},
        )
        return OpenSeasonSuccess(position=position, season_id=season)

    @strawberry.mutation(description="End a season that was opened without an end. Role: admin.")
    async def close_season(self, info: Info, given: Annotated[CloseSeasonInput, INPUT]) -> CloseSeasonPayload:
        season = local_id("Season", given.season)
        position = await carry_out(info, "closeSeason", given, lambda: CloseSeason(season, given.end))
        return CloseSeasonSuccess(position=position, season_id=season)
