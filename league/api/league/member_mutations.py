"""Adding, changing and removing members, and answering those who asked for access."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, NEW_ID, MutationInput, OverwritingInput, Success, carry_out, new_id
from league.api.graphql.user_errors import (
    AlreadyExistsError,
    ChangedSinceError,
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    Role,
    WrongStateError,
)
from league.domain.members import AddMember, ChangeMember, DeclineAccess, GrantAccess, RemoveMember

A_PLAYER = "The player they are: global id, or the id in the league. Null: none."


@strawberry.interface(description="A mutation that changed a member.")
class MemberSuccess(Success):
    member_id: str = field(description="The member's id in the league.")


OnMemberErrors = (
    InvalidInputError | NotFoundError | WrongStateError | KeyReusedError | ConflictError | ForbiddenError
)  # fmt: skip


@strawberry.input(description="A member to add.")
class AddMemberInput(MutationInput):
    member_id: str | None = field(default=None, description=NEW_ID)
    subject: str = field(
        description="As whom they sign in, 1 to 500 characters. For a link any text that tells who it is; for an "
        "identity provider its issuer, `#` and its `sub`."
    )
    roles: list[Role] = field(description="At least one; `PLAYER` needs a player.")
    player: strawberry.ID | None = field(default=None, description=A_PLAYER)


@strawberry.type(description="The member may sign in.")
class AddMemberSuccess(MemberSuccess):
    pass


AddMemberPayload = Annotated[
    AddMemberSuccess | AlreadyExistsError | OnMemberErrors,
    strawberry.union("AddMemberPayload", description="The result of adding a member."),
]


@strawberry.input(description="What changes of a member; null: it stays.")
class ChangeMemberInput(OverwritingInput):
    member_id: str = field(description="The id in the league.")
    roles: list[Role] | None = field(default=None, description="The roles from now on, at least one.")
    player: strawberry.ID | None = field(
        default=None, description="The player from now on: global id, or the id in the league. Empty: none."
    )


@strawberry.type(description="The member is changed, from their next request on.")
class ChangeMemberSuccess(MemberSuccess):
    pass


ChangeMemberPayload = Annotated[
    ChangeMemberSuccess | ChangedSinceError | OnMemberErrors,
    strawberry.union("ChangeMemberPayload", description="The result of changing a member."),
]


@strawberry.input(description="A member to remove, or somebody who asked to be one.")
class RemoveMemberInput(MutationInput):
    member_id: str = field(description="The id in the league.")


@strawberry.type(description="The member is signed out, and their subject can no longer be read.")
class RemoveMemberSuccess(MemberSuccess):
    pass


RemoveMemberPayload = Annotated[
    RemoveMemberSuccess | OnMemberErrors,
    strawberry.union("RemoveMemberPayload", description="The result of removing a member."),
]


@strawberry.input(description="Who asked for access, and what they get.")
class GrantAccessInput(MutationInput):
    member_id: str = field(description="The id in the league.")
    roles: list[Role] = field(description="At least one; `PLAYER` needs a player.")
    player: strawberry.ID | None = field(default=None, description=A_PLAYER)


@strawberry.type(description="Who asked for access is a member, from their next request on.")
class GrantAccessSuccess(MemberSuccess):
    pass


GrantAccessPayload = Annotated[
    GrantAccessSuccess | OnMemberErrors,
    strawberry.union("GrantAccessPayload", description="The result of letting somebody in."),
]


@strawberry.input(description="Who asked for access and does not get it.")
class DeclineAccessInput(MutationInput):
    member_id: str = field(description="The id in the league.")


@strawberry.type(description="Who asked for access does not get it. They can still be let in, or removed.")
class DeclineAccessSuccess(MemberSuccess):
    pass


DeclineAccessPayload = Annotated[
    DeclineAccessSuccess | OnMemberErrors,
    strawberry.union("DeclineAccessPayload", description="The result of declining access."),
]

PATHS = {"member": "memberId"}


@strawberry.type
class MemberMutations:
    @strawberry.mutation(description="Let somebody sign in to the pages. Role: admin.")
    async def add_member(self, info: Info, given: Annotated[AddMemberInput, INPUT]) -> AddMemberPayload:
        member = new_id(info, given) if given.member_id is None else given.member_id
        command = AddMember(member, given.subject, _roles(given.roles), _player(given.player))
        position = await carry_out(info, "addMember", given, lambda: command, paths=PATHS)
        return AddMemberSuccess(position=position, member_id=member)

    @strawberry.mutation(
        description="Change the roles or the player of a member. The last admin among the members cannot take the role "
        "from themselves. Role: admin."
    )
    async def change_member(self, info: Info, given: Annotated[ChangeMemberInput, INPUT]) -> ChangeMemberPayload:
        roles = None if given.roles is None else _roles(given.roles)
        command = ChangeMember(given.member_id, roles, _player(given.player))
        position = await carry_out(info, "changeMember", given, lambda: command, paths=PATHS)
        return ChangeMemberSuccess(position=position, member_id=given.member_id)

    @strawberry.mutation(
        description="Remove a member, or somebody who asked for access; the subject is erased. The last admin among "
        "the members cannot remove themselves. Role: admin."
    )
    async def remove_member(self, info: Info, given: Annotated[RemoveMemberInput, INPUT]) -> RemoveMemberPayload:
        command = RemoveMember(given.member_id)
        position = await carry_out(info, "removeMember", given, lambda: command, paths=PATHS)
        return RemoveMemberSuccess(position=position, member_id=given.member_id)

    @strawberry.mutation(description="Let somebody in who asked for access, also after it was declined. Role: admin.")
    async def grant_access(self, info: Info, given: Annotated[GrantAccessInput, INPUT]) -> GrantAccessPayload:
        command = GrantAccess(given.member_id, _roles(given.roles), _player(given.player))
        position = await carry_out(info, "grantAccess", given, lambda: command, paths=PATHS)
        return GrantAccessSuccess(position=position, member_id=given.member_id)

    @strawberry.mutation(description="Do not let somebody in who asked for access. Role: admin.")
    async def decline_access(self, info: Info, given: Annotated[DeclineAccessInput, INPUT]) -> DeclineAccessPayload:
        command = DeclineAccess(given.member_id)
        position = await carry_out(info, "declineAccess", given, lambda: command, paths=PATHS)
        return DeclineAccessSuccess(position=position, member_id=given.member_id)


def _roles(roles: list[Role]) -> tuple[str, ...]:
    return tuple(role.value for role in roles)


def _player(player: strawberry.ID | None) -> str | None:
    return local_id("Player", player) if player else player
