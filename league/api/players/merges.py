"""The merges in force."""

import strawberry
from strawberry import field

from league.api.auth.permissions import PERMISSIONS
from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import NotAllowed
from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.references import PlayerRef
from league.api.graphql.shaping.relay import Connection, Listed, paged
from league.domain.player import displayed
from league.projections.queries.merges import BY_DROPPED, MergeRow, all_merges
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


@strawberry.type
class MergeQueries:
    @paged(
        Connection[Merge],
        "The merges in force, in the order of the dropped ids. Role: admin; to others an error with the code "
        "FORBIDDEN, or UNAUTHENTICATED without a token.",
    )
    async def merges(self, info: Info) -> Listed[MergeRow]:
        viewer = info.context.viewer
        if not viewer.may("mergePlayers"):
            raise NotAllowed(viewer.sub, needs=list(PERMISSIONS["mergePlayers"]))
        return Listed(MergeRow, lambda _: (all_merges(), BY_DROPPED))
