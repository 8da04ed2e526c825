"""Mutations of devices: they promise random bytes before a drawing, and give them after it."""

from collections.abc import Callable

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.mutations import USUAL, Answer, carry_out, mutation
from league.domain.deciders import Command
from league.tournaments.api.tournament_errors import (
    AlreadyCommittedError,
    CommitmentUsedError,
    ContributionRefusedError,
)
from league.tournaments.api.tournament_mutations import OfCompetitorInput, TournamentSuccess, entered_as
from league.tournaments.domain import commands as c

COMMITMENT = "The SHA-256 of 32 random bytes that your device keeps, as 64 hexadecimal digits in lower case."


@strawberry.input(description="What your device promises to the next drawing.")
class CommitToDrawingInput(OfCompetitorInput):
    commitment: str = field(description=COMMITMENT)


@strawberry.input(description="What your device gives to a drawing.")
class ContributeToDrawingInput(OfCompetitorInput):
    round: int = field(description="The number of the round.")
    drawing: int = field(description="Its `drawings`: how many times it was drawn.")
    contribution: str = field(
        description="The 32 bytes that your device promised, as 64 hexadecimal digits in lower case. Give them once, "
        "only for a signed root whose log has your commitment (`proofOfCommitment`), and keep that root."
    )
    next_commitment: str | None = field(
        default=None, description=f"To the next drawing; left out where you have one. {COMMITMENT}"
    )


@strawberry.type
class DrawingMutations:
    @mutation(
        "Promise random bytes to the next drawing, so that nobody chooses its seed alone. Each competitor has one "
        "commitment a drawing; for a pair either partner gives it. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=(AlreadyCommittedError, CommitmentUsedError, *USUAL),
        result="The result of committing to a drawing.",
    )
    async def commit_to_drawing(self, info: Info, given: CommitToDrawingInput) -> Answer:
        return await _by_device(
            info, given, lambda: c.CommitSeed(given.local, entered_as(given.competitor), given.commitment)
        )

    @mutation(
        "Give the bytes that your device promised to a drawing, while the round is drawn and has no tables. Those that "
        "are stored until its tables are computed count. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=(ContributionRefusedError, CommitmentUsedError, *USUAL),
        result="The result of contributing to a drawing.",
    )
    async def contribute_to_drawing(self, info: Info, given: ContributeToDrawingInput) -> Answer:
        def make() -> c.ContributeSeed:
            who = entered_as(given.competitor)
            return c.ContributeSeed(
                given.local, given.round, given.drawing, who, given.contribution, given.next_commitment
            )

        return await _by_device(info, given, make)


async def _by_device(info: Info, given: OfCompetitorInput, make: Callable[[], Command]) -> Answer:
    position = await carry_out(
        info,
        given,
        make,
        owners=lambda: list(given.players()),
        owned="competitor",
        match=f"drawing:{given.local}",  # many come at once: they take turns
    )
    return {"position": position, "local": given.local}
