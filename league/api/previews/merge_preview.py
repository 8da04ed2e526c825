"""What a merge of two players, or its undoing, would change, before it is sent."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.reading_rights import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.user_errors import InvalidInputError, NotFoundError, WrongStateError
from league.api.graphql.threads import in_writing_thread
from league.api.players.merge_errors import AlreadyMergedError, MergeCircleError, NotMergedError, PlayedTogetherError
from league.api.previews.preview import Preview
from league.application import preview
from league.domain.merges import MergePlayers, UndoMerge


@strawberry.type(description="What a merge, or its undoing, would change.")
class MergePreview:
    matches: int = field(
        description="Matches that would count for the kept player, of an undoing those that would count for the "
        "dropped one again; voided ones included."
    )
    changes: Preview = field(description="What would be different in the league.")


PreviewMergePayload = Annotated[
    MergePreview
    | InvalidInputError
    | NotFoundError
    | WrongStateError
    | AlreadyMergedError
    | MergeCircleError
    | PlayedTogetherError,
    strawberry.union("PreviewMergePayload", description="What a merge would change, or why it would be refused."),
]

PreviewUndoMergePayload = Annotated[
    MergePreview | InvalidInputError | NotMergedError,
    strawberry.union(
        "PreviewUndoMergePayload", description="What the undoing of a merge would change, or why it would be refused."
    ),
]

Keep = Annotated[strawberry.ID, strawberry.argument(description="The player who stays: global id or id in the league.")]
Drop = Annotated[
    strawberry.ID, strawberry.argument(description="The player to be read as the other one: global id or id.")
]


@strawberry.type
class MergePreviewQueries:
    @field(
        description="What merging two players would do to ratings, badges, boards and standings; nothing is stored. It "
        "takes as long as the merge itself. Roles: those who may merge; " + REFUSED_TO_OTHERS
    )
    async def preview_merge(self, info: Info, keep: Keep, drop: Drop) -> PreviewMergePayload:
        command = MergePlayers(local_id("Player", keep), local_id("Player", drop))
        return await in_writing_thread(_preview, info, "mergePlayers", command)

    @field(
        description="What the undoing of a merge would do to ratings, badges, boards and standings; nothing is stored. "
        "Until then the `competitor` of a dropped id is the kept player: tell the two by `competitorId`. Roles: those "
        "who may undo a merge; " + REFUSED_TO_OTHERS
    )
    async def preview_undo_merge(self, info: Info, keep: Keep, drop: Drop) -> PreviewUndoMergePayload:
        command = UndoMerge(local_id("Player", keep), local_id("Player", drop))
        return await in_writing_thread(_preview, info, "undoMerge", command)


def _preview(info: Info, operation: str, command: MergePlayers | UndoMerge) -> MergePreview:
    """Blocks; raises Refusal."""
    check_may_read(info.context.viewer, operation)
    league = info.context.league
    found = preview.preview_merge(league.database.url, league.store, info.context.clock, command)
    return MergePreview(matches=found.matches, changes=Preview.of(found.changes))
