"""Confirming and disputing results."""

from functools import partial

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import optional
from league.api.graphql.shaping.mutations import USUAL, Answer
from league.api.graphql.shaping.relay import local_id
from league.api.matches.disputes import (
    AlreadyConfirmedError,
    DidNotPlayError,
    DisputeIsOpenError,
    NoSuchDisputeError,
    NotYourDisputeError,
)
from league.api.matches.match_mutations import OnMatchInput, carry_out_on_match, match_mutation
from league.domain import disputes as domain
from league.domain.texts_and_times import reason_of_command

WHICH = "The number of the dispute in the match."


@strawberry.input(description="A result to confirm.")
class ConfirmResultInput(OnMatchInput):
    player: strawberry.ID | None = optional(
        "The player of the match who confirms it: global id, or the id in the league. Null: you. With an admin's "
        "token, null lets the admin confirm for everybody, which decides a pending match."
    )


@strawberry.input(description="A result to dispute.")
class DisputeResultInput(OnMatchInput):
    player: strawberry.ID | None = optional(
        "The player of the match who disputes it: global id, or the id in the league. Null: you."
    )
    reason: str = field(description="What is wrong with it, for everybody to read.")


@strawberry.input(description="A dispute to take back.")
class WithdrawDisputeInput(OnMatchInput):
    dispute: int = field(description=WHICH)


@strawberry.input(description="A dispute to reject.")
class RejectDisputeInput(OnMatchInput):
    dispute: int = field(description=WHICH)
    reason: str = field(description="Why the result stands, for everybody to read.")

    def read(self) -> domain.RejectDispute:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.RejectDispute(local_id("Match", self.match), self.dispute, reason_of_command(self.reason))


@strawberry.type
class DisputeMutations:
    @match_mutation(
        "Confirm the result of a match. Roles: admin; player: matches they played in.",
        refusals=(DidNotPlayError, AlreadyConfirmedError, DisputeIsOpenError, *USUAL),
        result="The result of confirming a result.",
    )
    async def confirm_result(self, info: Info, given: ConfirmResultInput) -> Answer:
        match, viewer = local_id("Match", given.match), info.context.viewer
        own = None if viewer.may("confirmResult") else viewer.sub
        player = own if given.player is None else local_id("Player", given.player)
        confirm = partial(domain.ConfirmResult, match, player)
        return await carry_out_on_match(info, given, confirm, owners=lambda: [player or ""], owned="player")

    @match_mutation(
        "Dispute the result of a match. Roles: admin; player: matches they played in.",
        refusals=(DidNotPlayError, DisputeIsOpenError, *USUAL),
        result="The result of disputing a result.",
    )
    async def dispute_result(self, info: Info, given: DisputeResultInput) -> Answer:
        match = local_id("Match", given.match)
        player = (info.context.viewer.sub or "") if given.player is None else local_id("Player", given.player)

        def dispute() -> domain.DisputeResult:
            return domain.DisputeResult(match, player, reason_of_command(given.reason))

        return await carry_out_on_match(info, given, dispute, owners=lambda: [player], owned="player")

    @match_mutation(
        "Take a dispute back. Roles: admin; player: disputes that they opened.",
        refusals=(NoSuchDisputeError, NotYourDisputeError, *USUAL),
        result="The result of withdrawing a dispute.",
    )
    async def withdraw_dispute(self, info: Info, given: WithdrawDisputeInput) -> Answer:
        match, viewer = local_id("Match", given.match), info.context.viewer
        player = None if viewer.may("withdrawDispute") else viewer.sub
        withdraw = partial(domain.WithdrawDispute, match, given.dispute, player)
        seated = partial(info.context.seated, match)
        return await carry_out_on_match(info, given, withdraw, owners=seated, owned="match")

    @match_mutation(
        "Let a disputed result stand. Roles: admin.",
        refusals=(NoSuchDisputeError, *USUAL),
        result="The result of rejecting a dispute.",
    )
    async def reject_dispute(self, info: Info, given: RejectDisputeInput) -> Answer:
        return await carry_out_on_match(info, given, given.read)
