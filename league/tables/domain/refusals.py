"""Every way in which a live table refuses a command, and the codes. The table is unchanged."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from league.domain.refusals import Refusal, WrongState
from league.domain.sentences import say


@dataclass(eq=True)
class NotSeated(Refusal):
    """An actor who has no seat at the table, or another one than the command names."""

    code: ClassVar[str] = "NOT_SEATED"
    says: ClassVar[str] = say("you do not sit at table {table!r}, so you can watch it but not act at it")
    table: str
    at: str | None = None


@dataclass(eq=True)
class NotInvited(Refusal):
    """A player who takes a seat at a table to which only others are invited."""

    code: ClassVar[str] = "NOT_INVITED"
    says: ClassVar[str] = say("table {table!r} is by invitation")
    table: str


@dataclass(eq=True)
class SeatOccupied(Refusal):
    """A seat that somebody else has taken."""

    code: ClassVar[str] = "SEAT_OCCUPIED"
    at: ClassVar[str] = "seat"
    says: ClassVar[str] = say("seat {seat} of table {table!r} is taken")
    table: str
    seat: int


@dataclass(eq=True)
class TooManyTables(Refusal):
    """A player who opens a table, or sits down at one, and has as many others as a player may have at once."""

    code: ClassVar[str] = "TOO_MANY_TABLES"
    says: ClassVar[str] = say("you have {most} tables that are not over; close or leave some of them first")
    most: int


@dataclass(eq=True)
class NotYourTurn(Refusal):
    """A move by a seat that is not the one to move."""

    code: ClassVar[str] = "NOT_YOUR_TURN"
    seat: int
    to_move: int | None
    """None: no seat is to move at this moment."""

    @property
    def sentence(self) -> str:
        now = (
            say("no seat is to move now")
            if self.to_move is None
            else say("it is the turn of seat {to_move}", to_move=self.to_move)
        )
        return say("seat {seat} cannot play: {now}", seat=self.seat, now=now)


@dataclass(eq=True)
class TurnTaken(Refusal):
    """A move for a turn that is over: another move was made in it, by another device, the clock or an AI."""

    code: ClassVar[str] = "TURN_TAKEN"
    at: ClassVar[str] = "turn"
    says: ClassVar[str] = say("turn {turn} of hand {hand} is over: {what}")
    hand: int
    turn: int
    what: str
    """What happened in it, in words."""


@dataclass(eq=True)
class HandIsOver(Refusal):
    """A move in a hand that has ended."""

    code: ClassVar[str] = "HAND_OVER"
    at: ClassVar[str] = "hand"
    says: ClassVar[str] = say("hand {hand} is over")
    hand: int


@dataclass(eq=True)
class NothingDue(Refusal):
    """A deadline that the table no longer has: it was met, or something happened before it."""

    code: ClassVar[str] = "NOTHING_DUE"
    table: str
    due_at: datetime
    next_due: datetime | None

    @property
    def sentence(self) -> str:
        now = (
            say("it has no deadline")
            if self.next_due is None
            else say("its deadline is {next_due}", next_due=self.next_due)
        )
        return say(
            "nothing is due at table {table!r} at {due_at}: {now}",
            table=self.table,
            due_at=self.due_at,
            now=now,
        )


@dataclass(eq=True)
class ClockStands(Refusal):
    """A command of the clock at a table before it is known whether any server was alive until now."""

    code: ClassVar[str] = "CLOCK_STANDS"
    says: ClassVar[str] = say("the clock of table {table!r} stands until a standstill is noted")
    table: str


@dataclass(eq=True)
class TableInPlay(Refusal):
    """A change by hand of a match that a live table plays at this moment."""

    code: ClassVar[str] = "TABLE_IN_PLAY"
    says: ClassVar[str] = say(
        "match {table!r} is being played at the table of the same id, which records its hands; until "
        "that ends the match can be forfeited or voided"
    )
    table: str


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
        often = say("{most} times in {within} seconds", most=self.most, within=self.within)
        return say(
            "you may speak, mute and unmute {often}; wait {retry_after} seconds",
            often=often,
            retry_after=self.retry_after,
        )


def sealed(hand: int) -> WrongState:
    """Why nothing can be done in a hand whose secret cannot be opened."""
    return HandIsSealed(
        say("hand {hand}", hand=hand), say("sealed"), say("its key is not there, so it is dealt again in a moment")
    )


class LivePlayIsOff(WrongState):
    """The server has no secret for live play."""

    code: ClassVar[str] = "LIVE_PLAY_OFF"


class TableIsOpen(WrongState):
    """The table is open already."""

    code: ClassVar[str] = "TABLE_OPEN"


class TableIsClosed(WrongState):
    """Play at the table is over."""

    code: ClassVar[str] = "TABLE_CLOSED"


class TableIsPaused(WrongState):
    """The table waits for a player who is away."""

    code: ClassVar[str] = "TABLE_PAUSED"


class PlayNotBegun(WrongState):
    """Play at the table has not begun."""

    code: ClassVar[str] = "PLAY_NOT_BEGUN"


class PlayHasBegun(WrongState):
    """Play at the table has begun."""

    code: ClassVar[str] = "PLAY_BEGUN"


class AlreadySeated(WrongState):
    """You have another seat at the table."""

    code: ClassVar[str] = "ALREADY_SEATED"


class SeatsOfMatch(WrongState):
    """The seats are those of the players of an open match."""

    code: ClassVar[str] = "SEATS_OF_MATCH"


class NotDealtYet(WrongState):
    """The tiles of the hand are not dealt yet."""

    code: ClassVar[str] = "NOT_DEALT_YET"


class HandIsDealt(WrongState):
    """The tiles of the hand are dealt."""

    code: ClassVar[str] = "HAND_DEALT"


class HandIsSealed(WrongState):
    """The key of the hand is not there."""

    code: ClassVar[str] = "HAND_SEALED"


class SeedIsAnother(WrongState):
    """Your seat has added something else to the seed."""

    code: ClassVar[str] = "OTHER_SEED"


class ReshuffleIsOffered(WrongState):
    """A reshuffle is offered."""

    code: ClassVar[str] = "RESHUFFLE_OFFERED"


class NoReshuffleOffered(WrongState):
    """No reshuffle is offered to your seat."""

    code: ClassVar[str] = "NO_RESHUFFLE_OFFERED"
