"""Members: who may sign in to the pages, and who asked to."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping.ids import global_id, local_id
from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.made_of import made_of
from league.api.graphql.shaping.reading_rights import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.references import PlayerRef
from league.api.graphql.shaping.relay import Connection, Listed, Node, paged
from league.api.graphql.shaping.user_errors import Role
from league.projections.queries.log import newest_by_stream
from league.projections.queries.members import OLDEST_FIRST, MemberRow, all_members, member_with
from league.projections.queries.players import players_by_id


@strawberry.enum(description="Whether somebody may sign in.")
class MemberStanding(Enum):
    MEMBER = word("member", description="They sign in with their roles.")
    WAITING = word("waiting", description="They asked for access, and an admin has not answered.")
    DECLINED = word("declined", description="They asked for access, and an admin declined.")


@strawberry.type(description="Somebody who signs in to the pages, or asked to.")
class Member(Node):
    member_id: str = field(description="The id in the league.")
    subject: str = field(
        description="As whom they sign in: what an admin gave them, or the identity provider's name for them."
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

    @classmethod
    def of(cls, row: MemberRow) -> "Member":
        """A row of members."""
        return made_of(cls, row, id=strawberry.ID(global_id("Member", row.member_id)))


Standing = Annotated[MemberStanding | None, strawberry.argument(description="Only these; null: all.")]


@strawberry.type
class MemberQueries:
    @paged(
        Connection[Member],
        "The members, and who asked to be one, the oldest first. Role: admin; " + REFUSED_TO_OTHERS,
    )
    async def members(self, info: Info, standing: Standing = None) -> Listed[MemberRow]:
        check_may_read(info.context.viewer, "readMembers")
        return Listed(MemberRow, lambda _: (all_members(standing.value if standing else None), OLDEST_FIRST))

    @strawberry.field(
        description="One member, or who asked to be one; null when there is none with this id. Role: admin; "
        + REFUSED_TO_OTHERS
    )
    async def member(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="Global id, or the id in the league.")],  # noqa: A002  # the argument's name in the schema
    ) -> Member | None:
        check_may_read(info.context.viewer, "readMembers")
        row = await info.context.reader.read(member_with, local_id("Member", id))
        return None if row is None else Member.of(row)
