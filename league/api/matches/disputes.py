"""Disputes and confirmations of results: the list of disputes, and how their refusals become data."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import argument, word
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import MatchRef, PlayerRef, loaded_field
from league.api.graphql.shaping.relay import Connection, Node, PageableList, paged
from league.api.graphql.shaping.user_errors import ErrorTypes, UserError
from league.domain import match_refusals as refusals
from league.projections.queries import matches as reads
from league.projections.queries.matches import DisputeRow, matches_by_id
from league.projections.queries.players import players_by_id


@strawberry.enum(description="What became of a dispute.")
class DisputeStatus(Enum):
    OPEN = word("open", "It is not settled.")
    WITHDRAWN = word("withdrawn", "Its player took it back, or an admin did for them.")
    REJECTED = word("rejected", "An admin let the result stand.")
    CORRECTED = word("corrected", "A correction settled it.")
    VOIDED = word("voided", "A void of the match settled it.")
    REOPENED = word("reopened", "A reopening of the match settled it.")


@strawberry.type(description="A player says that the result of their match is wrong. By itself this changes nothing.")
class Dispute(FromRow, Node, key=("match_id", "dispute"), number="dispute"):
    number: int = field(description="Its number in the match, from 1; `settles` names it.")
    match_id: str = field(description="The id of the match in the league.")
    player_id: str = field(description="The id in the league of the player who opened it.")
    reason: str = field(description="What the player says.")
    opened_at: datetime = field(description="When it was opened.")
    status: DisputeStatus = field(description="What became of it.")
    closed_at: datetime | None = field(description="When it was settled or withdrawn; null while it is open.")
    answer: str | None = field(
        description="The reason given when it was settled; null while it is open, and when withdrawn."
    )

    match = loaded_field(MatchRef | None, "The match.", matches_by_id, lambda dispute: dispute.match_id)
    player = loaded_field(PlayerRef, "Who opened it.", players_by_id, lambda dispute: dispute.player_id)

    @classmethod
    def of(cls, row: DisputeRow) -> Self:
        """A row of disputes."""
        return made_of(cls, row, status=DisputeStatus(row.outcome or "open"))


@strawberry.type(description="A player says that the result of their match is right.")
class Confirmation(FromRow, player_id="player"):
    player_id: str = field(description="The id of the player in the league.")
    at: datetime = field(description="When the player confirmed it.")

    player = loaded_field(PlayerRef, "The player.", players_by_id, lambda confirmation: confirmation.player_id)


IsOpen = Annotated[bool | None, argument("True: only open ones; false: only closed ones; null: all.", name="open")]


@strawberry.type
class DisputeQueries:
    @paged(
        Connection[Dispute],
        "The disputes of results, the oldest first. Roles: admin, scorekeeper; " + REFUSED_TO_OTHERS,
    )
    async def disputes(self, info: Info, is_open: IsOpen = None) -> PageableList[DisputeRow]:
        check_may_read(info.context.viewer, "readDisputes")
        return PageableList(DisputeRow, lambda _: (reads.disputes(is_open=is_open), reads.DISPUTES_OLDEST_FIRST))


@strawberry.type(description="Only a player of a match confirms or disputes its result.")
class DidNotPlayError(UserError):
    match: str = field(description="The id of the match in the league.")
    player: str = field(description="The id of the player in the league.")


@strawberry.type(description="The player has already confirmed this result.")
class AlreadyConfirmedError(UserError):
    match: str = field(description="The id of the match in the league.")
    player: str = field(description="The id of the player in the league.")


@strawberry.type(
    description="The match has an open dispute. It takes no second dispute and no confirmation, and a command that "
    "takes its result back must name the dispute, as `settles`."
)
class DisputeIsOpenError(UserError):
    match: str = field(description="The id of the match in the league.")
    dispute: int = field(description="The number of the open dispute.")
    player: str = field(description="The id of the player who opened it.")


@strawberry.type(description="A dispute that is not there, or that is closed.")
class NoSuchDisputeError(UserError):
    match: str = field(description="The id of the match in the league.")
    dispute: int = field(description="The number that was sent.")
    open_dispute: int | None = field(description="The number of the dispute that is open; null: no dispute is open.")


@strawberry.type(description="Another player opened the dispute: only they or an admin can withdraw it.")
class NotYourDisputeError(UserError):
    match: str = field(description="The id of the match in the league.")
    dispute: int = field(description="The number of the dispute.")
    player: str = field(description="The id of the player who opened it.")


DISPUTE_REFUSALS: ErrorTypes = {
    refusals.DidNotPlay: DidNotPlayError,
    refusals.AlreadyConfirmed: AlreadyConfirmedError,
    refusals.DisputeIsOpen: DisputeIsOpenError,
    refusals.NoSuchDispute: NoSuchDisputeError,
    refusals.NotYourDispute: NotYourDisputeError,
}
