"""What another time zone of the league would change, before the settings are stored."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.reading_rights import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.user_errors import InvalidInputError, WrongStateError
from league.api.graphql.threads import in_writing_thread
from league.api.previews.preview import Preview
from league.application import preview


@strawberry.type(description="What another time zone of the league would change.")
class TimeZonePreview:
    matches: int = field(description="Matches that would count in another month.")
    closed_months: list[str] = field(
        description="The closed months that would lose some of these matches or get some, such as `2026-03`."
    )
    changes: Preview = field(description="What would be different in the league.")


PreviewTimeZonePayload = Annotated[
    TimeZonePreview | InvalidInputError | WrongStateError,
    strawberry.union(
        "PreviewTimeZonePayload", description="What another time zone would change, or why it would be refused."
    ),
]

Zone = Annotated[str, strawberry.argument(description="The time zone, such as `America/Havana`.")]


@strawberry.type
class TimeZonePreviewQueries:
    @field(
        description="What another time zone would do: matches near midnight may count in other months, closed ones "
        "too. Nothing is stored. It takes as long as the change itself. Roles: those who may change the settings; "
        + REFUSED_TO_OTHERS
    )
    async def preview_time_zone(self, info: Info, time_zone: Zone) -> PreviewTimeZonePayload:
        return await in_writing_thread(_preview, info, time_zone)


def _preview(info: Info, time_zone: str) -> TimeZonePreview:
    """Blocks; raises Refusal."""
    check_may_read(info.context.viewer, "changeSettings")
    league = info.context.league
    found = preview.preview_time_zone(league.database.url, league.store, info.context.clock, time_zone)
    return TimeZonePreview(
        matches=found.matches, closed_months=list(found.closed_months), changes=Preview.of(found.changes)
    )
