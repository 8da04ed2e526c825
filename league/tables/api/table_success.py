"""What all mutations at a live table share."""

from collections.abc import Callable, Mapping

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.mutations import MutationInput, Success, carry_out
from league.api.graphql.shaping.references import field_of
from league.api.graphql.threads import in_thread
from league.domain.deciders import Command
from league.domain.permission_refusals import Forbidden
from league.domain.refusals import NotFound, Refusal
from league.tables.api import seen_tables
from league.tables.api.live_tables import live_tables
from league.tables.api.seen_tables import SeenTable
from league.tables.api.tables import Table

ACTOR: Mapping[str, str | None] = {"player": None}
"""The player who acts is in the token, so no input names them."""


@strawberry.input(description="The table to act at.")
class AtTableInput(MutationInput):
    table: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.type(description="A mutation that changed a live table.")
class TableSuccess(Success):
    table_id: str = field(description="The table's id in the league.")

    @field_of(Table | None, "The table afterwards, as the viewer sees it; null where the viewer may not see it.")
    async def table(self, info: Info) -> SeenTable | None:
        return await seen_tables.table(info.context, self.table_id)


async def act(
    info: Info,
    given: MutationInput,
    table: str,
    make: Callable[[str], Command],
    owners: Callable[[], list[str]] | None = None,
) -> BigInt:
    """Execute a command at a live table, which `make` builds for the player who acts, and return its position.

    Where it succeeds it is a sign of life of the player: one that is refused says nothing about who sits at the table.

    `owners`: the players who may do it; None: any player, for themselves. Raises Refusal; of a table that the viewer
    may not see, the one that an unknown table gets.
    """
    sub = info.context.viewer.sub or ""
    try:
        position = await carry_out(
            info,
            given,
            lambda: make(sub),
            owners=owners or (lambda: [sub]),
            owned="table",
            match=table,
            paths=ACTOR,
        )
    except Forbidden:
        raise
    except Refusal:
        if await in_thread(seen_tables.is_hidden, info.context, table):
            raise NotFound("table", "table", table) from None
        raise
    live_tables(info.context).presence.seen(table, sub)
    return position


def table_of(given: AtTableInput) -> str:
    """The id in the league of the table that an input names."""
    return local_id("Table", given.table)
