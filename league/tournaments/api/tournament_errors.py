"""Refusals of tournaments as data."""

import strawberry
from strawberry import field

from league.api.graphql.shaping.user_errors import InvalidInputError, RefusalHandler, UserError
from league.domain.collected_refusals import Faults
from league.tournaments.domain.refusals import DrawnAgain, RoundOutdated


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


REFUSALS = (
    RefusalHandler(DrawnAgain, DrawnAgainError),
    RefusalHandler(RoundOutdated, RoundOutdatedError),
    RefusalHandler(Faults, InvalidInputError),
)
"""How each refusal becomes data."""
