"""Making a link that signs a member in."""

import uuid
from datetime import datetime
from typing import Any

import psycopg
import strawberry
from strawberry import field

from league.api.auth.sign_in_links import PATH, Link, make_link
from league.api.auth.web_sessions import LONGEST
from league.api.graphql.executing.context import Context, Info
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.mutations import Answer, Done, MutationInput, check, mutation
from league.api.graphql.shaping.user_errors import (
    ConflictError,
    NotFoundError,
    WrongStateError,
)
from league.api.graphql.threads import in_writing_thread
from league.application import audit_trail
from league.domain.audit_trail import TokenMade
from league.domain.members import name_of
from league.domain.refusals import NotFound
from league.domain.sentences import say
from league.domain.wrong_states import NotAMember
from league.eventlog.records import Request


@strawberry.input(description="The member whom the link signs in.")
class MakeSignInLinkInput(MutationInput):
    member_id: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="Whoever opens the link first, within 15 minutes, is signed in as the member.")
class SignInLinkSuccess(Done):
    path: str = field(
        description="What the member opens, behind the public address of the league. Only this answer has it: "
        "the league keeps a hash."
    )
    expires_at: datetime = field(description="When the link stops working.")
    token_id: str = field(description="By which `revokeToken` takes it back, or ends the session that it began.")


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
        return await in_writing_thread(_make, info.context, local_id("Member", given.member_id))


def _make(context: Context, member_id: str) -> Answer:
    """Blocks. Raises NotFound, WrongState, Conflict."""
    league, now = context.league, context.clock()
    member = context.states().members().get(member_id) if league.exists() else None
    if member is None or member.standing == "removed":
        raise NotFound("memberId", "member", member_id)
    if member.standing != "member":
        raise NotAMember(member_id, member.standing, say("let them in first"), "memberId")
    new = Link(uuid.uuid4().hex, name_of(member_id, member), tuple(member.roles), now + LONGEST, member_id)
    made = TokenMade(new.token_id, new.sub, new.roles, new.session_expires_at)
    secret = ""

    def store(conn: psycopg.Connection[Any], *_positions: int) -> None:
        nonlocal secret
        secret = make_link(new, conn)

    assert context.viewer.sub is not None, "who may do anything has a name"
    audit_trail.record(league.store, made, Request(context.viewer.sub, "manual"), store)
    return {"at": now, "path": f"{PATH}{secret}", "expires_at": now + new.lifetime, "token_id": new.token_id}
