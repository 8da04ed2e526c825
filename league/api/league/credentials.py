"""Credentials: revoke a token, make a link that signs a member in, sign browsers out."""

import uuid
from datetime import datetime
from functools import partial
from typing import Any

import psycopg
import strawberry
from psycopg import Connection
from strawberry import field

from league.api.auth.web_sessions import LINK_PATH, LONGEST, SignInLink, WebSessions, make_link
from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import BigInt, optional
from league.api.graphql.shaping.mutations import Answer, Done, MutationInput, Success, check, check_text, mutation
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import ConflictError, NotFoundError, WrongStateError
from league.api.graphql.threads import in_writing_thread
from league.application import storing
from league.application.storing import AlreadyDone
from league.domain.audit_trail import STREAM, TokenMade, TokenRevoked
from league.domain.members import name_of
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.domain.wrong_states import NoLeagueYet, NotAMember
from league.eventlog.records import AppendRequest
from league.projections.rows_again import revoke

LONGEST_ID = 200
"""Limit on the characters of the id of a token."""


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
            raise InvalidInput("token_id", say("an id has 1 to {longest_id} characters", longest_id=LONGEST_ID))
        check_text("tokenId", given.token_id)
        position = await in_writing_thread(_revoke, info.context, given.token_id)
        info.context.open_sessions.rights_changed()  # before the notification comes
        return {"position": BigInt(position), "token_id": given.token_id}


def _revoke(context: Context, token: str) -> int:
    """The position at which it is revoked, or a later one of the trail. Blocks. Raises Conflict, WrongState."""
    league = context.league
    if not league.exists():
        # A revocation is an event, and there is no log yet to record it in.
        raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
    try:
        request = AppendRequest(context.actor, "manual")
        return storing.record(league.store, TokenRevoked(token), request, partial(_take_back, token))
    except AlreadyDone:
        return league.store.newest_position(STREAM)


def _take_back(token: str, conn: Connection[Any], *_: int) -> None:
    if not revoke(conn, token):
        raise AlreadyDone


@strawberry.input(description="The member whom the link signs in.")
class MakeSignInLinkInput(MutationInput):
    member_id: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="Whoever opens the link first, within 15 minutes, is signed in as the member.")
class SignInLinkSuccess(Success):
    path: str = field(
        description="What the member opens, behind the public address of the league. Only this answer has it: "
        "the league stores a hash."
    )
    expires_at: datetime = field(description="When the link stops working.")
    token_id: str = field(
        description="The id by which `revokeToken` takes the link back, or ends the session that it began."
    )


@strawberry.type
class SignInLinkMutations:
    @mutation(
        "Make a link that signs one browser in as a member, once. Each call makes a new one. Role: admin.",
        of=SignInLinkSuccess,
        refusals=(NotFoundError, WrongStateError, ConflictError),
        result="The result of making a link.",
    )
    async def make_sign_in_link(self, info: Info, given: MakeSignInLinkInput) -> Answer:
        info.context.viewer.require("makeSignInLink")
        check(given)
        return await in_writing_thread(_make_sign_in_link, info.context, local_id("Member", given.member_id))


def _make_sign_in_link(context: Context, member_id: str) -> Answer:
    """Blocks. Raises NotFound, WrongState, Conflict."""
    league, now = context.league, context.clock()
    member = context.states().members().get(member_id) if league.exists() else None
    if member is None or member.standing == "removed":
        raise NotFound("memberId", "member", member_id)
    if member.standing != "member":
        raise NotAMember(member_id, member.standing, say("let them in first"), "memberId")
    new = SignInLink(uuid.uuid4().hex, name_of(member_id, member), tuple(member.roles), now + LONGEST, member_id)
    made = TokenMade(new.token_id, new.sub, new.roles, new.session_expires_at)
    secret = ""

    def store(conn: psycopg.Connection[Any], *_positions: int) -> None:
        nonlocal secret
        secret = make_link(new, conn)

    position = storing.record(league.store, made, AppendRequest(context.actor, "manual"), store)
    return {
        "position": BigInt(position),
        "path": f"{LINK_PATH}{secret}",
        "expires_at": now + new.lifetime,
        "token_id": new.token_id,
    }


@strawberry.input(description="The browsers to sign out.")
class EndSessionsInput(MutationInput):
    token_id: str | None = optional("The `tokenId` of one of your sessions. Null: all of them, including this one.")


@strawberry.type(description="These browsers are signed out.")
class SessionsSuccess(Done):
    ended: int = field(description="How many sessions ended: 0 where there was none.")


@strawberry.type
class SessionMutations:
    @mutation(
        "Sign your own browsers out. Tokens stay valid: `revokeToken` takes them back. Any role.",
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
