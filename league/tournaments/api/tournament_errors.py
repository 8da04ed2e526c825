"""Refusals of tournaments as data."""

import strawberry
from strawberry import field

from league.api.graphql.shaping.user_errors import RefusalHandler, UserError
from league.tournaments.domain.refusals import (
    AlreadyCommitted,
    AlreadyContributed,
    CommitmentUsed,
    DrawingClosed,
    DrawnAgain,
    NoCommitment,
    OtherCommitment,
    RoundOutdated,
)


@strawberry.type(
    description="Two of a table have met as often as the series allows since the round was drawn. The round was drawn "
    "again without that table: look at its tables, and publish it."
)
class DrawnAgainError(UserError):
    round: int = field(description="The number of the round.")
    a: str = field(description="The id of one, as the series has it.")
    b: str = field(description="The id of the other.")


@strawberry.type(
    description="The inputs of the round would be different now: a result, an entry or an absence has changed since it "
    "was drawn. Draw it again, or publish it with `evenIfOutdated`."
)
class RoundOutdatedError(UserError):
    round: int = field(description="The number of the round.")


@strawberry.type(description="The competitor has a commitment to the next drawing already: a pair has one together.")
class AlreadyCommittedError(UserError):
    competitor: str = field(description="The id of the competitor.")


@strawberry.type(
    description="The tournament has seen this commitment before, of anybody. Make new random bytes and commit to them."
)
class CommitmentUsedError(UserError):
    pass


@strawberry.type(
    description="The bytes do not count. The code says why: `NO_COMMITMENT`, `OTHER_COMMITMENT`, `ALREADY_CONTRIBUTED` "
    "or `DRAWING_CLOSED`."
)
class ContributionRefusedError(UserError):
    competitor: str = field(description="The id of the competitor.")
    round: int = field(description="The number of the round.")


REFUSALS = (
    RefusalHandler(AlreadyCommitted, AlreadyCommittedError),
    RefusalHandler(CommitmentUsed, CommitmentUsedError),
    *(
        RefusalHandler(kind, ContributionRefusedError)
        for kind in (NoCommitment, OtherCommitment, AlreadyContributed, DrawingClosed)
    ),
    RefusalHandler(DrawnAgain, DrawnAgainError),
    RefusalHandler(RoundOutdated, RoundOutdatedError),
)
"""How each refusal becomes data."""
