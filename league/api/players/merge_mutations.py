"""Merging players who are one person, and undoing a merge."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, carry_out, mutation
from league.api.graphql.shaping.user_errors import (
    ConflictError,
    KeyReusedError,
)
from league.api.players.merge_errors import AlreadyMergedError, MergeCircleError, NotMergedError, PlayedTogetherError
from league.api.players.player_mutations import PlayerSuccess
from league.domain.merges import MergePlayers, UndoMerge


@strawberry.input(description="Two ids of one person.")
class MergePlayersInput(MutationInput):
    keep: strawberry.ID = field(description="The player who stays: global id, or the id in the league.")
    drop: strawberry.ID = field(description="The player who is read as the other one from now on.")


@strawberry.input(description="A merge to undo.")
class UndoMergeInput(MutationInput):
    keep: strawberry.ID = field(description="The id that was kept.")
    drop: strawberry.ID = field(description="The id that was dropped.")


@strawberry.type
class MergeMutations:
    @mutation(
        "Two ids are one person: all matches of `drop` count for `keep`, under the rules as they were. The "
        "log keeps both ids, and `undoMerge` takes it back. Roles: admin.",
        of=PlayerSuccess,
        refusals=(AlreadyMergedError, MergeCircleError, PlayedTogetherError, *USUAL),
        result="The result of merging two players.",
    )
    async def merge_players(self, info: Info, given: MergePlayersInput) -> Answer:
        keep, drop = local_id("Player", given.keep), local_id("Player", given.drop)
        position = await carry_out(info, given, lambda: MergePlayers(keep, drop))
        return {"position": position, "player_id": keep}

    @mutation(
        "Take a merge back: the two are two people after all. Roles: admin.",
        of=PlayerSuccess,
        refusals=(NotMergedError, KeyReusedError, ConflictError),
        result="The result of undoing a merge.",
    )
    async def undo_merge(self, info: Info, given: UndoMergeInput) -> Answer:
        keep, drop = local_id("Player", given.keep), local_id("Player", given.drop)
        position = await carry_out(info, given, lambda: UndoMerge(keep, drop))
        return {"position": position, "player_id": drop}
