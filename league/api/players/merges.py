"""Merges of players who are one person: those in force, who could be merged next, merging, and undoing it."""

from typing import Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, carry_out
from league.api.graphql.shaping.object_fields import PlayerRef, loaded_field
from league.api.graphql.shaping.relay import Connection, PageableList, local_id, paged
from league.api.graphql.shaping.user_errors import ConflictError, ErrorTypes, KeyReusedError, UserError
from league.api.players.player_mutations import player_mutation
from league.domain import match_refusals as refusals
from league.domain.player import MergePlayers, UndoMerge, displayed
from league.projections.queries.players import BY_DROPPED, MergeRow, TwinsRow, all_merges, name_twins, players_by_id


@strawberry.type(description="The player was merged into another player before: name that player instead.")
class AlreadyMergedError(UserError):
    player: str = field(description="The id of the player in the league.")
    into: str = field(description="The id of the player that it was merged into.")


@strawberry.type(description="The player to keep was itself merged into the player to drop.")
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


MERGE_REFUSALS: ErrorTypes = {
    refusals.AlreadyMerged: AlreadyMergedError,
    refusals.MergeCircle: MergeCircleError,
    refusals.PlayedTogether: PlayedTogetherError,
    refusals.NotMerged: NotMergedError,
}


@strawberry.type(description="A merge in force: two ids of one person.")
class Merge(FromRow, keep_id="merged_into", drop_id="player_id"):
    keep_id: str = field(description="The id that was kept. Another merge may have dropped it since.")
    keep_name: str = field(description="The name under which it is registered; a pseudonym after an erasure.")
    drop_id: str = field(description="The id that was dropped.")
    drop_name: str = field(description="The name under which it was registered; a pseudonym after an erasure.")
    canonical_id: strawberry.Private[str]

    player = loaded_field(
        PlayerRef | None, "The player that both ids stand for.", players_by_id, lambda merge: merge.canonical_id
    )

    @classmethod
    def of(cls, row: MergeRow) -> Self:
        """A row of merges."""
        kept, dropped = displayed(row.merged_into, row.kept_name), displayed(row.player_id, row.dropped_name)
        return made_of(cls, row, keep_name=kept, drop_name=dropped)


@strawberry.type(description="Two players whose names differ only in characters that nobody sees.")
class NameTwins(FromRow):
    first_id: strawberry.Private[str]
    player_id: strawberry.Private[str]

    keep = loaded_field(
        PlayerRef | None, "The first registered of all players with this name.", players_by_id, lambda two: two.first_id
    )
    drop = loaded_field(PlayerRef | None, "The other player.", players_by_id, lambda two: two.player_id)


@strawberry.type
class MergeQueries:
    @paged(Connection[Merge], "The merges in force, in the order of the dropped ids. Role: admin; " + REFUSED_TO_OTHERS)
    async def merges(self, info: Info) -> PageableList[MergeRow]:
        check_may_read(info.context.viewer, "mergePlayers")
        return PageableList(MergeRow, lambda _: (all_merges(), BY_DROPPED))

    @paged(
        Connection[NameTwins],
        "Players whose names differ only in characters that nobody sees, in the order of the ids of `drop`: perhaps "
        "they are one person, and `mergePlayers` can merge them. New names have no such characters, unless a script "
        "needs them. Role: admin; " + REFUSED_TO_OTHERS,
    )
    async def name_twins(self, info: Info) -> PageableList[TwinsRow]:
        check_may_read(info.context.viewer, "mergePlayers")
        return PageableList(TwinsRow, lambda _: name_twins())


@strawberry.input(description="Two ids of one person.")
class MergePlayersInput(MutationInput):
    keep: strawberry.ID = field(description="The player who stays: global id, or the id in the league.")
    drop: strawberry.ID = field(description="The player whose matches count for `keep` from now on.")


@strawberry.input(description="A merge to undo.")
class UndoMergeInput(MutationInput):
    keep: strawberry.ID = field(description="The id that was kept.")
    drop: strawberry.ID = field(description="The id that was dropped.")


@strawberry.type
class MergeMutations:
    @player_mutation(
        "Two ids are one person: all matches of `drop` count for `keep`, under the rules as they were. The "
        "log keeps both ids, and `undoMerge` takes it back. Roles: admin.",
        refusals=(AlreadyMergedError, MergeCircleError, PlayedTogetherError, *USUAL),
        result="The result of merging two players.",
    )
    async def merge_players(self, info: Info, given: MergePlayersInput) -> Answer:
        keep, drop = local_id("Player", given.keep), local_id("Player", given.drop)
        position = await carry_out(info, given, lambda: MergePlayers(keep, drop))
        return {"position": position, "player_id": keep}

    @player_mutation(
        "Take a merge back: the two are two people after all. Roles: admin.",
        refusals=(NotMergedError, KeyReusedError, ConflictError),
        result="The result of undoing a merge.",
    )
    async def undo_merge(self, info: Info, given: UndoMergeInput) -> Answer:
        keep, drop = local_id("Player", given.keep), local_id("Player", given.drop)
        position = await carry_out(info, given, lambda: UndoMerge(keep, drop))
        return {"position": position, "player_id": drop}
