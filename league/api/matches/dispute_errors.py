"""Refusals of confirmations and disputes as data."""

import strawberry
from strawberry import field

from league.api.graphql.shaping.user_errors import RefusalHandler, UserError
from league.domain import dispute_refusals as refusals


@strawberry.type(description="Only a player of a match confirms or disputes its result.")
class DidNotPlayError(UserError):
    match: str = field(description="The id of the match in the league.")
    player: str = field(description="The id of the player in the league.")


@strawberry.type(description="The player has already confirmed this result.")
class AlreadyConfirmedError(UserError):
    match: str = field(description="The id of the match in the league.")
    player: str = field(description="The id of the player in the league.")


@strawberry.type(
    description="The match has an open dispute. It takes no second one and no confirmation, and a command that takes "
    "its result back must name the dispute, as `settles`."
)
class DisputeIsOpenError(UserError):
    match: str = field(description="The id of the match in the league.")
    dispute: int = field(description="The number of the open dispute.")
    player: str = field(description="The id of the player who opened it.")


@strawberry.type(description="A dispute that is not there, or that is closed.")
class NoSuchDisputeError(UserError):
    match: str = field(description="The id of the match in the league.")
    dispute: int = field(description="The number that was sent.")
    open_dispute: int | None = field(description="The number of the dispute that is open; null: none is.")


@strawberry.type(description="Another player opened the dispute: only they or an admin can withdraw it.")
class NotYourDisputeError(UserError):
    match: str = field(description="The id of the match in the league.")
    dispute: int = field(description="The number of the dispute.")
    player: str = field(description="The id of the player who opened it.")


DISPUTE_HANDLERS: list[RefusalHandler] = [
    RefusalHandler(refusal, error)
    for refusal, error in {
        refusals.DidNotPlay: DidNotPlayError,
        refusals.AlreadyConfirmed: AlreadyConfirmedError,
        refusals.DisputeIsOpen: DisputeIsOpenError,
        refusals.NoSuchDispute: NoSuchDisputeError,
        refusals.NotYourDispute: NotYourDisputeError,
    }.items()
]
"""How each of these refusals becomes data."""
