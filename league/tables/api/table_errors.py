"""Refusals at live tables as data."""

from typing import Any, Self

import strawberry
from strawberry import field

from league.api.graphql.scalars import Tile
from league.api.graphql.shaping.user_errors import RefusalHandler, UserError, common_fields
from league.domain.play.refusals import TileDoesNotFit, TileNotHeld
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
