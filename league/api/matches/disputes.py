"""Disputes and confirmations of results, and the list of disputes."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.enums import word
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.ids import global_id
from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.made_of import made_of
from league.api.graphql.shaping.reading_rights import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.references import MatchRef, PlayerRef
from league.api.graphql.shaping.relay import Connection, Listed, Node, paged
from league.domain import disputes as domain
from league.projections.queries import disputes as reads
from league.projections.queries.disputes import DisputeRow
from league.projections.queries.matches import matches_by_id
from league.projections.queries.players import players_by_id


@strawberry.enum(description="What became of a dispute.")
class DisputeStatus(Enum):
    OPEN = word("open", description="It is not settled.")
    WITHDRAWN = word("withdrawn", description="Its player took it back, or an admin did for them.")
    REJECTED = word("rejected", description="An admin let the result stand.")
    CORRECTED = word("corrected", description="A correction settled it.")
    VOIDED = word("voided", description="A void of the match settled it.")
    REOPENED = word("reopened", description="A reopening of the match settled it.")


@strawberry.type(description="A player says that the result of their match is wrong. By itself this changes nothing.")
class Dispute(Node):
    number: int = field(description="Its number in the match, from 1; `settles` names it.")
    match_id: str = field(description="The id of the match in the league.")
    player_id: str = field(description="The id in the league of the player who opened it.")
    reason: str = field(description="What the player says.")
    opened_at: datetime = field(description="When it was opened.")
    status: DisputeStatus = field(description="What became of it.")
    closed_at: datetime | None = field(description="When it was settled or withdrawn; null while it is open.")
    answer: str | None = field(description="The reason of what settled it; null while it is open, and when withdrawn.")

    match = loaded_field(MatchRef | None, "The match.", matches_by_id, lambda dispute: dispute.match_id)
    player = loaded_field(PlayerRef, "Who opened it.", players_by_id, lambda dispute: dispute.player_id)

    @classmethod
    def of(cls, row: DisputeRow) -> "Dispute":
        """A row of disputes."""
        return made_of(
            cls,
            row,
            id=strawberry.ID(global_id("Dispute", f"{row.match_id}:{row.dispute}")),
            number=row.dispute,
            status=DisputeStatus(row.outcome or "open"),
        )


@strawberry.type(description="A player says that the result of their match is right.")
class Confirmation:
    player_id: str = field(description="The id of the player in the league.")
    at: datetime = field(description="When the player confirmed it.")

    player = loaded_field(PlayerRef, "The player.", players_by_id, lambda confirmation: confirmation.player_id)

    @classmethod
    def of(cls, confirmation: domain.Confirmation) -> "Confirmation":
        """A confirmation of the domain."""
        return cls(player_id=confirmation.player, at=confirmation.at)


IsOpen = Annotated[
    bool | None,
    strawberry.argument(name="open", description="True: only open ones; false: only closed ones; null: all."),
]


@strawberry.type
class DisputeQueries:
    @paged(
        Connection[Dispute],
        "The disputes of results, the oldest first. Roles: admin, scorekeeper; " + REFUSED_TO_OTHERS,
    )
    async def disputes(self, info: Info, is_open: IsOpen = None) -> Listed[DisputeRow]:
        check_may_read(info.context.viewer, "readDisputes")
        return Listed(DisputeRow, lambda _: (reads.disputes(is_open=is_open), reads.OLDEST_FIRST))
