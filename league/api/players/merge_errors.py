"""Refusals of merges as data."""

import strawberry
from strawberry import field

from league.api.graphql.shaping.user_errors import RefusalHandler, UserError
from league.domain import merge_refusals as refusals


@strawberry.type(description="The player was merged into another one before: name that one instead.")
class AlreadyMergedError(UserError):
    player: str = field(description="The id of the player in the league.")
    into: str = field(description="The id of the player that it was merged into.")


@strawberry.type(description="The player to keep was itself merged into the one to drop.")
class MergeCircleError(UserError):
    keep: str = field(description="The id of the player to keep.")
    drop: str = field(description="The id of the player to drop.")


@strawberry.type(
    description="Both sit in one match that is not voided, so that they are two people. If they are one, void the "
    "match first."
)
class PlayedTogetherError(UserError):
    match: str = field(description="The id of the match in the league.")
    players: list[str] = field(description="The two ids with which they sit there.")


@strawberry.type(description="The one is not merged into the other, so that there is nothing to undo.")
class NotMergedError(UserError):
    keep: str = field(description="The id that was sent as the kept one.")
    drop: str = field(description="The id that was sent as the dropped one.")
    into: str | None = field(description="The id that `drop` is merged into; null: none.")


MERGE_HANDLERS: list[RefusalHandler] = [
    RefusalHandler(refusal, error)
    for refusal, error in {
        refusals.AlreadyMerged: AlreadyMergedError,
        refusals.MergeCircle: MergeCircleError,
        refusals.PlayedTogether: PlayedTogetherError,
        refusals.NotMerged: NotMergedError,
    }.items()
]
"""How each of these refusals becomes data."""
