"""Every way in which a live table refuses a command. The table is unchanged."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from league.domain.refusals import Refusal, WrongState
from league.domain.tiles import Tile


@dataclass(eq=True)
class NotSeated(Refusal):
    """An actor who has no seat at the table, or another one than the command names."""

    code: ClassVar[str] = "NOT_SEATED"
    table: str
    at: str | None = None

    @property
    def sentence(self) -> str:
        return f"you do not sit at table {self.table!r}, so you can watch it but not act at it"


@dataclass(eq=True)
class NotInvited(Refusal):
    """A player who takes a seat at a table to which only others are invited."""

    code: ClassVar[str] = "NOT_INVITED"
    table: str

    @property
    def sentence(self) -> str:
        return f"table {self.table!r} is by invitation"


@dataclass(eq=True)
class SeatOccupied(Refusal):
    """A seat that somebody else has taken."""

    code: ClassVar[str] = "SEAT_OCCUPIED"
    at: ClassVar[str] = "seat"
    table: str
    seat: int

    @property
    def sentence(self) -> str:
        return f"seat {self.seat} of table {self.table!r} is taken"


@dataclass(eq=True)
class NotYourTurn(Refusal):
    """A move by a seat that is not the one to move."""

    code: ClassVar[str] = "NOT_YOUR_TURN"
    seat: int
    to_move: int | None
    """None: no seat is to move at this moment."""

    @property
    def sentence(self) -> str:
        now = "no seat is to move now" if self.to_move is None else f"it is the turn of seat {self.to_move}"
        return f"seat {self.seat} cannot play: {now}"


@dataclass(eq=True)
class TurnTaken(Refusal):
    """A move for a turn that is over: another move was made in it, by another device, the clock or an AI."""

    code: ClassVar[str] = "TURN_TAKEN"
    at: ClassVar[str] = "turn"
    hand: int
    turn: int
    what: str
    """What happened in it, in words."""

    @property
    def sentence(self) -> str:
        return f"turn {self.turn} of hand {self.hand} is over: {self.what}"


@dataclass(eq=True)
class TileNotHeld(Refusal):
    """A tile that the seat does not hold."""

    code: ClassVar[str] = "TILE_NOT_HELD"
    at: ClassVar[str] = "tile"
    seat: int
    tile: Tile

    @property
    def sentence(self) -> str:
        return f"seat {self.seat} does not hold {list(self.tile)}"


@dataclass(eq=True)
class TileDoesNotFit(Refusal):
    """A tile that does not meet the end of the chain that the move names."""

    code: ClassVar[str] = "TILE_DOES_NOT_FIT"
    at: ClassVar[str] = "end"
    tile: Tile
    end: str | None
    shows: int | None
    """What that end shows; None before the first tile."""
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason


@dataclass(eq=True)
class HandIsOver(Refusal):
    """A move in a hand that has ended."""

    code: ClassVar[str] = "HAND_OVER"
    at: ClassVar[str] = "hand"
    hand: int

    @property
    def sentence(self) -> str:
        return f"hand {self.hand} is over"


@dataclass(eq=True)
class NothingDue(Refusal):
    """A deadline that the table no longer has: it was met, or something happened before it."""

    code: ClassVar[str] = "NOTHING_DUE"
    table: str
    due_at: datetime
    next_due: datetime | None

    @property
    def sentence(self) -> str:
        now = "it has no deadline" if self.next_due is None else f"its deadline is {self.next_due.isoformat()}"
        return f"nothing is due at table {self.table!r} at {self.due_at.isoformat()}: {now}"


@dataclass(eq=True)
class TableInPlay(Refusal):
    """A change by hand of a match that a live table plays at this moment."""

    code: ClassVar[str] = "TABLE_IN_PLAY"
    table: str

    @property
    def sentence(self) -> str:
        return (
            f"match {self.table!r} is being played at the table of the same id, which records its hands; "
            "until that ends the match can be forfeited or voided"
        )


@dataclass(eq=True)
class TooTalkative(Refusal):
    """A player who speaks, mutes and unmutes too often in too short a time."""

    code: ClassVar[str] = "TOO_TALKATIVE"
    most: int
    within: int
    """Seconds."""
    retry_after: int
    """Seconds."""

    @property
    def sentence(self) -> str:
        often = f"{self.most} times in {self.within} seconds"
        return f"you may speak, mute and unmute {often}; wait {self.retry_after} seconds"


def sealed(hand: int) -> WrongState:
    """Why nothing can be done in a hand whose secret cannot be opened."""
    return WrongState(f"hand {hand}", "sealed", "its key is not there, so it is dealt again in a moment")
