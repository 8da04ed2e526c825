"""What all mutations at a live table share: their success, and their errors."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, Tile
from league.api.graphql.shaping.mutations import MutationInput, Success, carry_out
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import RefusalHandler, UserError, common_fields
from league.api.graphql.threads import in_thread
from league.domain.deciders import Command
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.refusals import Forbidden, NotFound, Refusal
from league.tables.api import seen_tables
from league.tables.api.live_tables import live_tables
from league.tables.api.seen_tables import SeenTable
from league.tables.api.tables import Table
from league.tables.domain import refusals


class _AtTable(UserError):
    """What refusals that name their table share."""

    @classmethod
    def of(cls, refusal: Any) -> Self:  # each type takes the fields of its own refusal
        others = {name: getattr(refusal, name) for name in cls.__annotations__ if name != "table_id"}
        return cls(**{**common_fields(refusal), **others, "table_id": refusal.table})


@strawberry.type(description="You have no seat at the table: you can watch it, but not act at it.")
class NotSeatedError(_AtTable):
    table_id: str = field(description="The id of the table in the league.")


@strawberry.type(description="Another player or an AI has taken the seat.")
class SeatOccupiedError(_AtTable):
    table_id: str = field(description="The id of the table in the league.")
    seat: int = field(description="The seat.")


@strawberry.type(description="You have opened or sit at as many tables as a player may have at once.")
class TooManyTablesError(UserError):
    most: int = field(description="How many a player may have that are not over.")


@strawberry.type(description="A move by a seat that is not the one to move.")
class NotYourTurnError(UserError):
    seat: int = field(description="Your seat.")
    to_move: int | None = field(description="The seat whose turn it is; null: no seat is to move at this moment.")


@strawberry.type(
    description="The turn that the move names is over: another move was made in it, from another device of yours, by "
    "the clock or by an AI. The same move sent again is no error: it gets the first answer."
)
class TurnTakenError(UserError):
    hand: int = field(description="The number of the hand.")
    turn: int = field(description="The number of the turn.")
    what: str = field(description="What happened in it, in the language of the request.")


@strawberry.type(description="A tile that your seat does not hold.")
class TileNotHeldError(UserError):
    tile: Tile = field(description="The tile.")

    @classmethod
    def of(cls, refusal: TileNotHeld) -> Self:
        made = super().of(refusal)
        made.tile = Tile(refusal.tile)
        return made


@strawberry.type(description="A tile that does not meet the end of the chain that the move names.")
class TileDoesNotFitError(UserError):
    tile: Tile = field(description="The tile.")
    shows: int | None = field(description="What that end shows; null before the first tile.")

    @classmethod
    def of(cls, refusal: TileDoesNotFit) -> Self:
        made = super().of(refusal)
        made.tile = Tile(refusal.tile)
        return made


@strawberry.type(description="A hand that has ended takes no moves.")
class HandOverError(UserError):
    hand: int = field(description="The number of the hand.")


@strawberry.type(
    description="The table is by invitation, and you are not invited. Who may not even see the table gets a "
    "`NotFoundError`."
)
class NotInvitedError(_AtTable):
    table_id: str = field(description="The id of the table in the league.")


@strawberry.type(
    description="A live table is playing the match and records its hands itself. Until it is over the match can be "
    "forfeited or voided, which closes the table."
)
class TableInPlayError(_AtTable):
    table_id: str = field(description="The id of the table in the league, which is that of the match.")


@strawberry.type(description="You have spoken, muted or unmuted too often in too short a time.")
class TooTalkativeError(UserError):
    retry_after: int = field(description="Seconds after which you may speak again.")


TABLE_REFUSALS: tuple[RefusalHandler, ...] = tuple(
    RefusalHandler(refusal, error)
    for refusal, error in {
        refusals.NotSeated: NotSeatedError,
        refusals.SeatOccupied: SeatOccupiedError,
        refusals.TooManyTables: TooManyTablesError,
        refusals.NotYourTurn: NotYourTurnError,
        refusals.TurnTaken: TurnTakenError,
        TileNotHeld: TileNotHeldError,
        TileDoesNotFit: TileDoesNotFitError,
        refusals.HandIsOver: HandOverError,
        refusals.NotInvited: NotInvitedError,
        refusals.TableInPlay: TableInPlayError,
        refusals.TooTalkative: TooTalkativeError,
    }.items()
)
"""How each refusal of a live table becomes data."""
MATCH_ERRORS = (TableInPlayError,)
"""What mutations of a match may answer where a table plays it."""


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
