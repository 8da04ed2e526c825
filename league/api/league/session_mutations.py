"""Signing browsers out: one's own."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.auth.web_sessions import WebSessions
from league.api.graphql.context import Info
from league.api.graphql.mutations import INPUT, MutationInput, check
from league.api.graphql.threads import in_writing_thread
from league.api.graphql.user_errors import ForbiddenError, InvalidInputError


@strawberry.input(description="The browsers to sign out.")
class EndSessionsInput(MutationInput):
    token_id: str | None = field(
        default=None, description="The `tokenId` of one of one's own sessions. Null: all of them, this one too."
    )


@strawberry.type(description="These browsers are signed out.")
class EndSessionsSuccess:
    ended: int = field(description="How many sessions ended: 0 where there was none.")


EndSessionsPayload = Annotated[
    EndSessionsSuccess | InvalidInputError | ForbiddenError,
    strawberry.union("EndSessionsPayload", description="The result of signing browsers out."),
]


@strawberry.type
class SessionMutations:
    @strawberry.mutation(
        description="Sign one's own browsers out. Tokens stay valid: `revokeToken` takes them back. Any role."
    )
    async def end_sessions(self, info: Info, given: Annotated[EndSessionsInput, INPUT]) -> EndSessionsPayload:
        viewer = info.context.viewer
        viewer.require("endSessions", own=True)
        check(given)
        sessions = WebSessions(info.context.source.engine)
        return EndSessionsSuccess(ended=await in_writing_thread(sessions.end_of, viewer, given.token_id))
