"""Queries for live tables: one, and those of the lobby."""

from typing import Annotated

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import MatchMode
from league.api.graphql.shaping.arguments import known_player, known_ruleset
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import Connection, Made, connection_of, local_id, paged
from league.projections.queries.pages import PageOf, Query, count, read_page
from league.projections.queries.players import former_ids
from league.tables.api import seen_tables
from league.tables.api.hands import TablePhase
from league.tables.api.seen_tables import Onlooker, SeenTable, TableId
from league.tables.api.tables import Table
from league.tables.projections.lobby import NEWEST_FIRST, LobbyFilter, LobbyRow, lobby


@strawberry.input(description="Which live tables to list; null matches any.")
class TableFilterInput:
    phase: list[TablePhase] | None = field(default=None, description="In one of these phases.")
    player: strawberry.ID | None = field(
        default=None, description="With a seat of this player: global id, or the league's."
    )
    ruleset: str | None = field(default=None, description="Under this ruleset, such as `cuban-150`.")
    mode: MatchMode | None = field(default=None, description="In this mode.")
    listed: bool | None = field(default=None, description="For everybody, or by invitation.")
    practice: bool | None = field(default=None, description="With an AI, or without one.")
    has_free_seat: bool | None = field(default=None, description="With a free seat, or without one.")

    async def read(self, info: Info) -> LobbyFilter:
        """The filter of the read side. Raises UnknownId."""
        return LobbyFilter(
            phase=None if self.phase is None else tuple(phase.value for phase in self.phase),
            players=None if self.player is None else await _ids_of(info, self.player),
            ruleset=None if self.ruleset is None else await known_ruleset(info, self.ruleset),
            mode=None if self.mode is None else self.mode.value,
            listed=self.listed,
            practice=self.practice,
            has_free_seat=self.has_free_seat,
        )


async def _ids_of(info: Info, player: str) -> tuple[str, ...]:
    """All ids of a player, since a seat belongs to the one that took it. Raises UnknownId."""
    known = await known_player(info, player, "filter.player")
    return (known, *(await info.context.reader.load(former_ids, known) or ()))


class Lobby(Struct, frozen=True):
    """Tables that can be paged."""

    rows: Query
    onlooker: Onlooker

    async def page(self, info: Info, page: PageOf, node: Made) -> Connection[Table]:
        """A page of the tables, each as the viewer sees it. Raises BadCursor."""
        context = info.context
        rows = await context.reader.read(lambda s: read_page(s.conn, LobbyRow, self.rows, NEWEST_FIRST, page))

        async def total() -> int:
            return await context.reader.read(lambda s: count(s.conn, self.rows))

        stories = await seen_tables.stories(context, [row.table_id for row in rows.rows])
        by = self.onlooker
        # A table may have changed since the rows were read; a table that is missing has no node, and no cursor.
        may_see = [row.table_id in stories and stories[row.table_id].may_watch(by) for row in rows.rows]
        shown = rows.only(may_see)
        seen = [stories[row.table_id].seen_by(by) for row in shown.rows]
        return connection_of(shown, seen, node, total)


Wanted = Annotated[TableFilterInput | None, strawberry.argument(description="Which tables; null: all.", name="filter")]


@strawberry.type
class TableQueries:
    @field_of(
        Table | None,
        "A live table as the viewer sees it, also after it was closed; null when the league does not know it, or when "
        "the viewer may not see it.",
    )
    async def table(self, info: Info, id: TableId) -> SeenTable | None:  # noqa: A002  # the argument's name in the schema
        return await seen_tables.table(info.context, local_id("Table", id))

    @paged(
        Connection[Table],
        "The live tables that are not closed and that the viewer may see, those that were opened last first.",
    )
    async def tables(self, info: Info, wanted: Wanted = None) -> Lobby:
        given = LobbyFilter() if wanted is None else await wanted.read(info)
        by = await seen_tables.onlooker(info.context)
        return Lobby(lobby(given, by.ids, sees_all=by.viewer.may("watchTables")), by)
