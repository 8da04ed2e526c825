"""Signing browsers out: one's own."""

import strawberry
from strawberry import field

from league.api.auth.web_sessions import WebSessions
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.mutations import Answer, Done, MutationInput, check, mutation
from league.api.graphql.threads import in_writing_thread


@strawberry.input(description="The browsers to sign out.")
class EndSessionsInput(MutationInput):
    token_id: str | None = field(
        default=None, description="The `tokenId` of one of one's own sessions. Null: all of them, this one too."
    )


@strawberry.type(description="These browsers are signed out.")
class SessionsSuccess(Done):
    ended: int = field(description="How many sessions ended: 0 where there was none.")


@strawberry.type
class SessionMutations:
    @mutation(
        "Sign one's own browsers out. Tokens stay valid: `revokeToken` takes them back. Any role.",
        of=SessionsSuccess,
        result="The result of signing browsers out.",
    )
    async def end_sessions(self, info: Info, given: EndSessionsInput) -> Answer:
        viewer = info.context.viewer
        viewer.require("endSessions", own=True)
        check(given)
        sessions = WebSessions(info.context.source.engine)
        ended = await in_writing_thread(sessions.end_of, viewer, given.token_id)
        return {"at": info.context.clock(), "ended": ended}
