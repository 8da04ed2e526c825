"""Merging players who are one person, and undoing a merge."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.ids import local_id
from league.api.graphql.merge_errors import AlreadyMergedError, MergeCircleError, NotMergedError, PlayedTogetherError
from league.api.graphql.mutations import INPUT, MutationInput, carry_out
from league.api.graphql.user_errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    KeyReusedError,
    NotFoundError,
    WrongStateError,
)
from league.api.players.player_mutations import PlayerSuccess
from league.domain.merges import MergePlayers, UndoMerge


@strawberry.input(description="Two ids of one person.")
class MergePlayersInput(MutationInput):
    keep: strawberry.ID = field(description="The player who stays: global id, or the id in the league.")
    drop: strawberry.ID = field(description="The player who is read as the other one from now on.")


@strawberry.type(description="The two are one player: `playerId` is the kept id.")
class MergePlayersSuccess(PlayerSuccess):
    pass


MergePlayersPayload = Annotated[
    MergePlayersSuccess
    | InvalidInputError
    | NotFoundError
    | WrongStateError
    | AlreadyMergedError
    | MergeCircleError
    | PlayedTogetherError
    | KeyReusedError
    | ConflictError
    | ForbiddenError,
    strawberry.union("MergePlayersPayload", description="The result of merging two players."),
]


@strawberry.input(description="A merge to undo.")
class UndoMergeInput(MutationInput):
    keep: strawberry.ID = field(description="The id that was kept.")
    drop: strawberry.ID = field(description="The id that was dropped.")


@strawberry.type(description="The two are two players again: `playerId` is the id that had been dropped.")
class UndoMergeSuccess(PlayerSuccess):
    pass


UndoMergePayload = Annotated[
    UndoMergeSuccess | InvalidInputError | NotMergedError | KeyReusedError | ConflictError | ForbiddenError,
    strawberry.union("UndoMergePayload", description="The result of undoing a merge."),
]


@strawberry.type
class MergeMutations:
    @strawberry.mutation(
        description="Two ids are one person: all matches of `drop` count for `keep`, under the rules as they were. The "
        "log keeps both ids, and `undoMerge` takes it back. Roles: admin."
    )
    async def merge_players(self, info: Info, given: Annotated[MergePlayersInput, INPUT]) -> MergePlayersPayload:
        keep, drop = local_id("Player", given.keep), local_id("Player", given.drop)
        position = await carry_out(info, "mergePlayers", given, lambda: MergePlayers(keep, drop))
        return MergePlayersSuccess(position=position, player_id=keep)

    @strawberry.mutation(description="Take a merge back: the two are two people after all. Roles: admin.")
    async def undo_merge(self, info: Info, given: Annotated[UndoMergeInput, INPUT]) -> UndoMergePayload:
        keep, drop = local_id("Player", given.keep), local_id("Player", given.drop)
        position = await carry_out(info, "undoMerge", given, lambda: UndoMerge(keep, drop))
        return UndoMergeSuccess(position=position, player_id=drop)
