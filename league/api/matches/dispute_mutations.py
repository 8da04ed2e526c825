"""Confirming and disputing results."""

import hashlib
from functools import partial

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, optional
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, Success, check, mutation
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.shared_fields import match_field
from league.api.graphql.shaping.user_errors import UserErrorCode, common_fields
from league.api.matches.disputes import (
    AlreadyConfirmedError,
    DidNotPlayError,
    DisputeIsOpenError,
    NoSuchDisputeError,
    NotYourDisputeError,
)
from league.api.matches.match_mutations import OnMatchInput, carry_out_on_match, match_mutation
from league.domain import disputes as domain
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.domain.texts_and_times import reason_of_command
from league.projections.queries.matches import ReadProgress

WHICH = "The number of the dispute in the match."


@strawberry.input(description="A result to confirm.")
class ConfirmResultInput(OnMatchInput):
    player: strawberry.ID | None = optional(
        "The player of the match who confirms it: global id, or the id in the league. Null: you. With an admin's "
        "token, null lets the admin confirm for everybody, which decides a pending match."
    )


MOST_CONFIRMED = 50


@strawberry.input(description="Results to confirm.")
class ConfirmResultsInput(MutationInput):
    matches: list[strawberry.ID] = field(
        description=f"The matches: global ids, or ids in the league; 1 to {MOST_CONFIRMED}, each once."
    )


@strawberry.type(description="Why the result of a match was not confirmed.")
class ConfirmationRefusal:
    code: UserErrorCode = field(description="What kind of refusal it is.")
    message: str = field(description="One sentence for a person, in the language of the request.")


@strawberry.type(description="What became of one of the results to confirm.")
class AnsweredConfirmation:
    match_id: str = field(description="The match's id in the league.")
    refusal: ConfirmationRefusal | None = field(description="Why it was not confirmed; null: it was.")

    match = match_field("The match as it is now; null if the league does not know it.", null=True)


@strawberry.type(description="A mutation that confirmed results.")
class ConfirmationsSuccess(Success):
    answers: list[AnsweredConfirmation] = field(description="What became of each match, in the order of the input.")


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

    @mutation(
        "Confirm the results of several matches, each as `confirmResult` does with one: a result that is refused takes "
        "no other with it. With an admin's token for everybody, which decides pending matches. Roles: admin; player: "
        "matches they played in.",
        of=ConfirmationsSuccess,
        result="The result of confirming several results.",
    )
    async def confirm_results(self, info: Info, given: ConfirmResultsInput) -> Answer:
        check(given)
        info.context.viewer.require("confirmResults", own=True)
        matches = [local_id("Match", match) for match in given.matches]
        if not 1 <= len(matches) <= MOST_CONFIRMED or len(set(matches)) < len(matches):
            raise InvalidInput("matches", say("name 1 to {most} matches, each once", most=MOST_CONFIRMED))
        answers, stored = [], 0
        for match in matches:
            refused, position = await _confirmed(info, match, given.idempotency_key)
            answers.append(AnsweredConfirmation(match_id=match, refusal=refused))
            stored = max(stored, position)
        await info.context.read_after(stored)
        reached = await info.context.reader.read(ReadProgress.of)
        return {"position": BigInt(stored or reached.position), "answers": answers}

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


async def _confirmed(info: Info, match: str, key: str | None) -> tuple[ConfirmationRefusal | None, int]:
    """Confirm one result of several, for the viewer or, as an admin, for everybody.

    Returns why not, if it is refused, and the position of what was stored, or 0.

    `key`: the idempotency key of the whole request, of which each match gets its own.
    """
    viewer = info.context.viewer
    player = None if viewer.may("confirmResults") else viewer.sub
    own_key = None if key is None else hashlib.sha256(f"{key}\n{match}".encode()).hexdigest()
    command = domain.ConfirmResult(match, player)
    try:
        position = await info.context.send("confirmResults", lambda: command, own_key, lambda: [player or ""], match)
    except Refusal as refusal:
        told = common_fields(refusal)
        return ConfirmationRefusal(code=told["code"], message=told["message"]), 0
    return None, position
