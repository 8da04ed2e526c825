"""Changing the settings of the league."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.mutations import Answer, OverwritingInput, Success, carry_out, mutation
from league.api.graphql.shaping.references import LeagueRef, field_of
from league.api.graphql.shaping.user_errors import (
    ChangedSinceError,
    ConflictError,
    KeyReusedError,
    WrongStateError,
)
from league.domain.league import ChangeSettings
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import LeagueRow

PATHS = {"time_zone": "timeZone", "photo_confidence": "photoConfidence"}


@strawberry.input(description="The settings that change; null: it stays.")
class ChangeSettingsInput(OverwritingInput):
    name: str | None = field(default=None, description="The name of the league, 1 to 100 characters.")
    time_zone: str | None = field(default=None, description="Where its months begin and end, such as `America/Havana`.")
    confirmation: bool | None = field(
        default=None, description="Whether matches that end from now on await confirmation by their players."
    )
    photo_confidence: float | None = field(
        default=None,
        description="The confidence, from 0 to 1, below which a count of a photo says that it cannot tell.",
    )


@strawberry.type(description="A mutation that changed the league.")
class LeagueSuccess(Success):
    @field_of(LeagueRef | None, "The league afterwards; null with an error when the read side does not follow in time.")
    async def league(self, info: Info) -> LeagueRow | None:
        return await info.context.reader.once(reads.settings)


@strawberry.type
class SettingsMutations:
    @mutation(
        "Change the name, the time zone and the demands of the league. Another time zone moves matches to other "
        "months: `previewTimeZone` says which. Role: admin.",
        of=LeagueSuccess,
        refusals=(ChangedSinceError, WrongStateError, KeyReusedError, ConflictError),
        result="The result of changing settings.",
    )
    async def change_settings(self, info: Info, given: ChangeSettingsInput) -> Answer:
        command = ChangeSettings(given.name, given.time_zone, given.confirmation, given.photo_confidence)
        position = await carry_out(info, given, lambda: command, paths=PATHS)
        return {"position": position}
