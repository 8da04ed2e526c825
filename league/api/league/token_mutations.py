"""Revoking tokens."""

from datetime import datetime
from functools import partial
from typing import Any

import strawberry
from psycopg import Connection
from strawberry import field

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping.mutations import Answer, Success, check_text, mutation
from league.api.graphql.shaping.user_errors import ConflictError, WrongStateError
from league.api.graphql.threads import in_writing_thread
from league.application import audit_trail
from league.application.audit_trail import AlreadyDone
from league.domain.audit_trail import STREAM, TokenRevoked
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.wrong_states import NoLeagueYet
from league.eventlog.recorder import RIGHTS_CHANGED
from league.eventlog.records import Request
from league.projections.rows_again.tokens import revoke
from league.wording.language import _

LONGEST_ID = 200


@strawberry.input(description="A token to revoke.")
class RevokeTokenInput:
    token_id: str = field(description="The token's `jti`; its bearer reads it in `viewer { tokenId }`.")
    expires_at: datetime | None = field(
        default=None,
        description="When it would expire. Has no effect.",
        deprecation_reason="Leave it out: a revoked token stays revoked for good.",
    )


@strawberry.type(description="The token is no longer accepted. Revoking it again has no further effect.")
class TokenSuccess(Success):
    token_id: str = field(description="The token's `jti`.")


@strawberry.type
class TokenMutations:
    @mutation(
        "Revoke a token before it expires. Role: admin.",
        of=TokenSuccess,
        refusals=(WrongStateError, ConflictError),
        result="The result of revoking a token.",
    )
    async def revoke_token(self, info: Info, given: RevokeTokenInput) -> Answer:
        info.context.viewer.require("revokeToken")
        if not 1 <= len(given.token_id) <= LONGEST_ID:
            raise InvalidInput("token_id", _("an id has 1 to {longest_id} characters", longest_id=LONGEST_ID))
        check_text("tokenId", given.token_id)
        position = await in_writing_thread(_revoke, info.context, given.token_id)
        return {"position": BigInt(position), "token_id": given.token_id}


def _revoke(context: Context, token: str) -> int:
    """The position at which it is revoked, or a later one of the trail. Blocks. Raises Conflict, WrongState."""
    league, viewer = context.league, context.viewer
    assert viewer.sub is not None, "who may do anything has a name"
    if not league.exists():
        # A revocation is an event, and there is no log yet to record it in.
        raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
    try:
        request = Request(viewer.sub, "manual")
        return audit_trail.record(league.store, TokenRevoked(token), request, partial(_take_back, token))
    except AlreadyDone:
        return league.store.newest_position(STREAM)


def _take_back(token: str, conn: Connection[Any], *_: int) -> None:
    if not revoke(conn, token):
        raise AlreadyDone
    conn.execute(RIGHTS_CHANGED)
