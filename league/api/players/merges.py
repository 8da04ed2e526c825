"""The merges in force, and who could be merged next."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.reading_rights import REFUSED_TO_OTHERS, check_may_read
from league.api.graphql.shaping.references import PlayerRef
from league.api.graphql.shaping.relay import Connection, Listed, paged
from league.domain.player import displayed
from league.projections.queries.merges import BY_DROPPED, MergeRow, TwinsRow, all_merges, name_twins
from league.projections.queries.players import players_by_id


@strawberry.type(description="A merge in force: two ids of one person.")
class Merge:
    keep_id: str = field(description="The id that was kept. Another merge may have dropped it since.")
    keep_name: str = field(description="The name under which it is registered; a pseudonym after an erasure.")
    drop_id: str = field(description="The id that was dropped.")
    drop_name: str = field(description="The name under which it was registered; a pseudonym after an erasure.")
    canonical_id: strawberry.Private[str]

    player = loaded_field(
        PlayerRef | None, "The player as whom both ids are read.", players_by_id, lambda merge: merge.canonical_id
    )

    @classmethod
    def of(cls, row: MergeRow) -> "Merge":
        """A row of merges."""
        return cls(
            keep_id=row.merged_into,
            keep_name=displayed(row.merged_into, row.kept_name),
            drop_id=row.player_id,
            drop_name=displayed(row.player_id, row.dropped_name),
            canonical_id=row.canonical_id,
        )


@strawberry.type(description="Two players whose names differ only in characters that nobody sees.")
class NameTwins:
    first_id: strawberry.Private[str]
    player_id: strawberry.Private[str]

    keep = loaded_field(
        PlayerRef | None, "Who was registered first of all who are called so.", players_by_id, lambda two: two.first_id
    )
    drop = loaded_field(PlayerRef | None, "The other one.", players_by_id, lambda two: two.player_id)

    @classmethod
    def of(cls, row: TwinsRow) -> "NameTwins":
        """A row of twins."""
        return cls(first_id=row.first_id, player_id=row.player_id)


@strawberry.type
class MergeQueries:
    @paged(
        Connection[Merge],
        "The merges in force, in the order of the dropped ids. Role: admin; " + REFUSED_TO_OTHERS,
    )
    async def merges(self, info: Info) -> Listed[MergeRow]:
        check_may_read(info.context.viewer, "mergePlayers")
        return Listed(MergeRow, lambda _: (all_merges(), BY_DROPPED))

    @paged(
        Connection[NameTwins],
        "Players whose names differ only in characters that nobody sees, in the order of the ids of `drop`: perhaps "
        "one person, whom `mergePlayers` makes one. New names have no such characters, unless a script needs them. "
        "Role: admin; " + REFUSED_TO_OTHERS,
    )
    async def name_twins(self, info: Info) -> Listed[TwinsRow]:
        check_may_read(info.context.viewer, "mergePlayers")
        return Listed(TwinsRow, lambda _: name_twins())
