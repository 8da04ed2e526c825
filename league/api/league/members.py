"""Members: who may sign in to the pages, and who asked to. They are added, changed, removed, let in or declined."""

from datetime import datetime
from enum import Enum
from functools import partial
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument, optional, word
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.mutations import (
    NEW_ID,
    USUAL,
    Answer,
    MutationInput,
    OverwritingInput,
    Success,
    carry_out,
    mutation,
    new_id,
)
from league.api.graphql.shaping.object_fields import MemberRef, PlayerRef, field_of, loaded_field
from league.api.graphql.shaping.relay import Connection, Node, PageableList, local_id, paged
from league.api.graphql.shaping.user_errors import AlreadyExistsError, ChangedSinceError, Role
from league.domain.members import AddMember, ChangeMember, DeclineAccess, GrantAccess, RemoveMember
from league.projections.queries.log import newest_by_stream
from league.projections.queries.players import MEMBERS_OLDEST_FIRST, MemberRow, all_members, member_with, players_by_id


@strawberry.enum(description="Whether somebody may sign in.")
class MemberStanding(Enum):
    MEMBER = word("member", "They sign in with their roles.")
    WAITING = word("waiting", "They asked for access, and an admin has not answered.")
    DECLINED = word("declined", "They asked for access, and an admin declined.")


@strawberry.type(description="Somebody who signs in to the pages, or asked to.")
class Member(FromRow, Node, key="member_id"):
    member_id: str = field(description="The id in the league.")
    subject: str = field(
        description="The subject under which they sign in: given by an admin, or the identity provider's name for them."
    )
    name: str | None = field(description="What the identity provider calls them; null where it said nothing.")
    player_id: str | None = field(description="The id of their player in the league; null: none.")
    roles: list[Role] = field(description="What they may do; empty unless they are a member.")
    standing: MemberStanding = field(description="Whether they may sign in.")
    since: datetime = field(description="When they were added, or asked.")

    player = loaded_field(PlayerRef | None, "Their player.", players_by_id, lambda member: member.player_id)

    @field(description="The position of the last event about them. `expectedPosition` takes it.")
    async def position(self, info: Info) -> BigInt:
        return BigInt(await info.context.reader.load(newest_by_stream, f"member:{self.member_id}") or 0)


Standing = Annotated[MemberStanding | None, argument("Only members with this standing; null: all.")]


@strawberry.type
class MemberQueries:
    @paged(
        Connection[Member],
        "The members and those who asked to be one, the oldest first. Role: admin; " + REFUSED_TO_OTHERS,
    )
    async def members(self, info: Info, standing: Standing = None) -> PageableList[MemberRow]:
        check_may_read(info.context.viewer, "readMembers")
        return PageableList(
            MemberRow, lambda _: (all_members(standing.value if standing else None), MEMBERS_OLDEST_FIRST)
        )

    @strawberry.field(
        description="One member, or a person who asked to be one; null when there is none with this id. Role: admin; "
        + REFUSED_TO_OTHERS
    )
    async def member(
        self,
        info: Info,
        id: Annotated[strawberry.ID, argument("Global id, or the id in the league.")],  # noqa: A002  # the argument's name in the schema
    ) -> Member | None:
        check_may_read(info.context.viewer, "readMembers")
        row = await info.context.reader.read(member_with, local_id("Member", id))
        return None if row is None else Member.of(row)


A_MEMBER = "Global id, or the id in the league."
A_PLAYER = "The player they are: global id, or the id in the league. Null: none."


@strawberry.type(description="A mutation that changed a member.")
class MemberSuccess(Success):
    member_id: str = field(description="The member's id in the league.")

    @field_of(MemberRef | None, "The member afterwards; null once they are removed.")
    async def member(self, info: Info) -> MemberRow | None:
        return await info.context.reader.read(member_with, self.member_id)


@strawberry.input(description="A member to add.")
class AddMemberInput(MutationInput):
    member_id: str | None = optional(NEW_ID)
    subject: str = field(
        description="The subject under which they sign in, 1 to 500 characters. For a link any text that tells who it "
        "is; for an identity provider its issuer, `#` and its `sub`."
    )
    roles: list[Role] = field(description="At least one; `PLAYER` needs a player.")
    player: strawberry.ID | None = optional(A_PLAYER)


@strawberry.input(description="The changes of a member; what is null stays.")
class ChangeMemberInput(OverwritingInput):
    member_id: strawberry.ID = field(description=A_MEMBER)
    roles: list[Role] | None = optional("The roles from now on, at least one.")
    player: strawberry.ID | None = optional("The player from now on: global id, or the id in the league. Empty: none.")


@strawberry.input(description="A member to remove, or somebody who asked to be one.")
class RemoveMemberInput(MutationInput):
    member_id: strawberry.ID = field(description=A_MEMBER)


@strawberry.input(description="The person who asked for access, and the roles that they get.")
class GrantAccessInput(MutationInput):
    member_id: strawberry.ID = field(description=A_MEMBER)
    roles: list[Role] = field(description="At least one; `PLAYER` needs a player.")
    player: strawberry.ID | None = optional(A_PLAYER)


@strawberry.input(description="The person who asked for access and does not get it.")
class DeclineAccessInput(MutationInput):
    member_id: strawberry.ID = field(description=A_MEMBER)


member_mutation = partial(mutation, of=MemberSuccess, refusals=USUAL)


@strawberry.type
class MemberMutations:
    @member_mutation(
        "Let somebody sign in to the pages. Role: admin.",
        refusals=(AlreadyExistsError, *USUAL),
        result="The result of adding a member.",
    )
    async def add_member(self, info: Info, given: AddMemberInput) -> Answer:
        member = new_id(info, given) if given.member_id is None else given.member_id
        command = AddMember(member, given.subject, _roles(given.roles), _player(given.player))
        return await _carried_out(info, given, command)

    @member_mutation(
        "Change the roles or the player of a member. The last admin among the members cannot take the role "
        "from themselves. Role: admin.",
        refusals=(ChangedSinceError, *USUAL),
        result="The result of changing a member.",
    )
    async def change_member(self, info: Info, given: ChangeMemberInput) -> Answer:
        roles = None if given.roles is None else _roles(given.roles)
        command = ChangeMember(local_id("Member", given.member_id), roles, _player(given.player))
        return await _carried_out(info, given, command)

    @member_mutation(
        "Remove a member, or somebody who asked for access; the subject is erased. The last admin among "
        "the members cannot remove themselves. Role: admin.",
        result="The result of removing a member.",
    )
    async def remove_member(self, info: Info, given: RemoveMemberInput) -> Answer:
        return await _carried_out(info, given, RemoveMember(local_id("Member", given.member_id)))

    @member_mutation(
        "Let somebody in who asked for access, also after it was declined. Role: admin.",
        result="The result of letting somebody in.",
    )
    async def grant_access(self, info: Info, given: GrantAccessInput) -> Answer:
        command = GrantAccess(local_id("Member", given.member_id), _roles(given.roles), _player(given.player))
        return await _carried_out(info, given, command)

    @member_mutation(
        "Do not let somebody in who asked for access. Role: admin.", result="The result of declining access."
    )
    async def decline_access(self, info: Info, given: DeclineAccessInput) -> Answer:
        return await _carried_out(info, given, DeclineAccess(local_id("Member", given.member_id)))


async def _carried_out(
    info: Info, given: MutationInput, command: AddMember | ChangeMember | RemoveMember | GrantAccess | DeclineAccess
) -> Answer:
    position = await carry_out(info, given, lambda: command, paths={"member": "memberId"})
    return {"position": position, "member_id": command.member}


def _roles(roles: list[Role]) -> tuple[str, ...]:
    return tuple(role.value for role in roles)


def _player(player: strawberry.ID | None) -> str | None:
    return local_id("Player", player) if player else player
