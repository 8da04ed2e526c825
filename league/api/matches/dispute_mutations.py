"""Confirming and disputing results."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import optional
from league.api.graphql.shaping.mutations import USUAL, Answer, carry_out, checked_reason, mutation
from league.api.graphql.shaping.relay import local_id
from league.api.matches.disputes import (
    AlreadyConfirmedError,
    DidNotPlayError,
    DisputeIsOpenError,
    NoSuchDisputeError,
    NotYourDisputeError,
)
from league.api.matches.match_mutations import MatchSuccess, OnMatchInput
from league.domain import disputes as domain

WHICH = "The number of the dispute in the match."


@strawberry.input(description="A result to confirm.")
class ConfirmResultInput(OnMatchInput):
    player: strawberry.ID | None = optional(
        "The player of the match who confirms it: global id, or the id in the league. Null: you; of an "
        "admin's token, an admin for everybody, which decides a pending match."
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
        return domain.RejectDispute(local_id("Match", self.match), self.dispute, checked_reason(self.reason))


@strawberry.type
class DisputeMutations:
    @mutation(
        "Confirm the result of a match. Roles: admin; player: matches they played in.",
        of=MatchSuccess,
        refusals=(DidNotPlayError, AlreadyConfirmedError, DisputeIsOpenError, *USUAL),
        result="The result of confirming a result.",
    )
    async def confirm_result(self, info: Info, given: ConfirmResultInput) -> Answer:
        match, viewer = local_id("Match", given.match), info.context.viewer
        own = None if viewer.may("confirmResult") else viewer.sub
        player = own if given.player is None else local_id("Player", given.player)
        position = await carry_out(
            info,
            given,
            lambda: domain.ConfirmResult(match, player),
            owners=lambda: [player or ""],
            owned="player",
            match=match,
        )
        return {"position": position, "match_id": match}

    @mutation(
        "Dispute the result of a match. Roles: admin; player: matches they played in.",
        of=MatchSuccess,
        refusals=(DidNotPlayError, DisputeIsOpenError, *USUAL),
        result="The result of disputing a result.",
    )
    async def dispute_result(self, info: Info, given: DisputeResultInput) -> Answer:
        match = local_id("Match", given.match)
        player = (info.context.viewer.sub or "") if given.player is None else local_id("Player", given.player)
        position = await carry_out(
            info,
            given,
            lambda: domain.DisputeResult(match, player, checked_reason(given.reason)),
            owners=lambda: [player],
            owned="player",
            match=match,
        )
        return {"position": position, "match_id": match}

    @mutation(
        "Take a dispute back. Roles: admin; player: disputes that they opened.",
        of=MatchSuccess,
        refusals=(NoSuchDisputeError, NotYourDisputeError, *USUAL),
        result="The result of withdrawing a dispute.",
    )
    async def withdraw_dispute(self, info: Info, given: WithdrawDisputeInput) -> Answer:
        match, viewer = local_id("Match", given.match), info.context.viewer
        player = None if viewer.may("withdrawDispute") else viewer.sub

        def seated() -> list[str]:
            played = info.context.states().match(match).played
            return [] if played is None else list(played.seats)

        position = await carry_out(
            info,
            given,
            lambda: domain.WithdrawDispute(match, given.dispute, player),
            owners=seated,
            owned="match",
            match=match,
        )
        return {"position": position, "match_id": match}

    @mutation(
        "Let a disputed result stand. Roles: admin.",
        of=MatchSuccess,
        refusals=(NoSuchDisputeError, *USUAL),
        result="The result of rejecting a dispute.",
    )
    async def reject_dispute(self, info: Info, given: RejectDisputeInput) -> Answer:
        match = local_id("Match", given.match)
        position = await carry_out(info, given, given.read, match=match)
        return {"position": position, "match_id": match}
