"""Confirming and disputing results."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.dispute_errors import (
    AlreadyConfirmedError,
    DidNotPlayError,
    DisputeIsOpenError,
    NoSuchDisputeError,
    NotYourDisputeError,
)
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, carry_out, checked_reason
from league.api.graphql.user_errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    WrongStateError,
)
from league.api.matches.match_mutations import MatchSuccess, OnMatchInput
from league.domain import disputes as domain

DisputeErrors = InvalidInputError | NotFoundError | WrongStateError | KeyReusedError | ConflictError | ForbiddenError

WHICH = "The number of the dispute in the match."


@strawberry.input(description="A result to confirm.")
class ConfirmResultInput(OnMatchInput):
    player: strawberry.ID | None = field(
        default=None,
        description="The player of the match who confirms it: global id, or the id in the league. Null: you; of an "
        "admin's token, an admin for everybody, which decides a pending match.",
    )


@strawberry.type(description="The result is confirmed. The match is decided if nothing else was missing.")
class ConfirmResultSuccess(MatchSuccess):
    pass


ConfirmResultPayload = Annotated[
    ConfirmResultSuccess | DidNotPlayError | AlreadyConfirmedError | DisputeIsOpenError | DisputeErrors,
    strawberry.union("ConfirmResultPayload", description="The result of confirming a result."),
]


@strawberry.input(description="A result to dispute.")
class DisputeResultInput(OnMatchInput):
    player: strawberry.ID | None = field(
        default=None,
        description="The player of the match who disputes it: global id, or the id in the league. Null: you.",
    )
    reason: str = field(description="What is wrong with it, for everybody to read.")


@strawberry.type(description="The dispute is open. The result stands until an admin settles it.")
class DisputeResultSuccess(MatchSuccess):
    pass


DisputeResultPayload = Annotated[
    DisputeResultSuccess | DidNotPlayError | DisputeIsOpenError | DisputeErrors,
    strawberry.union("DisputeResultPayload", description="The result of disputing a result."),
]


@strawberry.input(description="A dispute to take back.")
class WithdrawDisputeInput(OnMatchInput):
    dispute: int = field(description=WHICH)


@strawberry.type(description="The dispute is withdrawn.")
class WithdrawDisputeSuccess(MatchSuccess):
    pass


WithdrawDisputePayload = Annotated[
    WithdrawDisputeSuccess | NoSuchDisputeError | NotYourDisputeError | DisputeErrors,
    strawberry.union("WithdrawDisputePayload", description="The result of withdrawing a dispute."),
]


@strawberry.input(description="A dispute to reject.")
class RejectDisputeInput(OnMatchInput):
    dispute: int = field(description=WHICH)
    reason: str = field(description="Why the result stands, for everybody to read.")

    def read(self) -> domain.RejectDispute:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.RejectDispute(local_id("Match", self.match), self.dispute, checked_reason(self.reason))


@strawberry.type(description="The dispute is rejected: the result stands.")
class RejectDisputeSuccess(MatchSuccess):
    pass


RejectDisputePayload = Annotated[
    RejectDisputeSuccess | NoSuchDisputeError | DisputeErrors,
    strawberry.union("RejectDisputePayload", description="The result of rejecting a dispute."),
]


@strawberry.type
class DisputeMutations:
    @strawberry.mutation(description="Confirm the result of a match. Roles: admin; player: matches they played in.")
    async def confirm_result(self, info: Info, given: Annotated[ConfirmResultInput, INPUT]) -> ConfirmResultPayload:
        match, viewer = local_id("Match", given.match), info.context.viewer
        own = None if viewer.may("confirmResult") else viewer.sub
        player = own if given.player is None else local_id("Player", given.player)
        position = await carry_out(
            info,
            "confirmResult",
            given,
            lambda: domain.ConfirmResult(match, player),
            owners=lambda: [player or ""],
            owned="player",
            match=match,
        )
        return ConfirmResultSuccess(position=position, match_id=match)

    @strawberry.mutation(description="Dispute the result of a match. Roles: admin; player: matches they played in.")
    async def dispute_result(self, info: Info, given: Annotated[DisputeResultInput, INPUT]) -> DisputeResultPayload:
        match = local_id("Match", given.match)
        player = (info.context.viewer.sub or "") if given.player is None else local_id("Player", given.player)
        position = await carry_out(
            info,
            "disputeResult",
            given,
            lambda: domain.DisputeResult(match, player, checked_reason(given.reason)),
            owners=lambda: [player],
            owned="player",
            match=match,
        )
        return DisputeResultSuccess(position=position, match_id=match)

    @strawberry.mutation(description="Take a dispute back. Roles: admin; player: disputes that they opened.")
    async def withdraw_dispute(
        self, info: Info, given: Annotated[WithdrawDisputeInput, INPUT]
    ) -> WithdrawDisputePayload:
        match, viewer = local_id("Match", given.match), info.context.viewer
        player = None if viewer.may("withdrawDispute") else viewer.sub

        def seated() -> list[str]:
            played = info.context.states().match(match).played
            return [] if played is None else list(played.seats)

        position = await carry_out(
            info,
            "withdrawDispute",
            given,
            lambda: domain.WithdrawDispute(match, given.dispute, player),
            owners=seated,
            owned="match",
            match=match,
        )
        return WithdrawDisputeSuccess(position=position, match_id=match)

    @strawberry.mutation(description="Let a disputed result stand. Roles: admin.")
    async def reject_dispute(self, info: Info, given: Annotated[RejectDisputeInput, INPUT]) -> RejectDisputePayload:
        match = local_id("Match", given.match)
        position = await carry_out(info, "rejectDispute", given, given.read, match=match)
        return RejectDisputeSuccess(position=position, match_id=match)
