"""The refusals of commands on live tables, with their codes. A refused command does not change the table."""

from datetime import datetime
from typing import ClassVar

from league.domain.refusals import Refusal, WrongState
from league.domain.sentences import Sentence, say


class NotSeated(Refusal, code="NOT_SEATED"):
    """The actor has no seat at the table."""

    says: ClassVar[str] = say("you do not sit at table {table!r}, so you can watch it but not act at it")
    table: str
    at: str | None = None


class NotInvited(Refusal, code="NOT_INVITED"):
    """The player is not invited to the table."""

    says: ClassVar[str] = say("table {table!r} is by invitation")
    table: str


class SeatOccupied(Refusal, code="SEAT_OCCUPIED"):
    """Somebody else has taken the seat."""

    at: ClassVar[str] = "seat"
    says: ClassVar[str] = say("seat {seat} of table {table!r} is taken")
    table: str
    seat: int


class TooManyTables(Refusal, code="TOO_MANY_TABLES"):
    """The player already has as many live tables as a player may have at once."""

    says: ClassVar[str] = say("you have {most} tables that are not over; close or leave some of them first")
    most: int


class NotYourTurn(Refusal, code="NOT_YOUR_TURN"):
    """It is not the turn of the seat."""

    seat: int
    to_move: int | None
    """The seat whose turn it is; None if no seat is to move now."""

    @property
    def sentence(self) -> str:
        now = (
            say("no seat is to move now")
            if self.to_move is None
            else say("it is the turn of seat {to_move}", to_move=self.to_move)
        )
        return say("seat {seat} cannot play: {now}", seat=self.seat, now=now)


class TurnTaken(Refusal, code="TURN_TAKEN"):
    """The turn of the move is over: another move was made in it, by another device, the clock or an AI."""

    at: ClassVar[str] = "turn"
    says: ClassVar[str] = say("turn {turn} of hand {hand} is over: {what}")
    hand: int
    turn: int
    what: str
    """A clause that says what happened in the turn."""


class HandIsOver(Refusal, code="HAND_OVER"):
    """The hand has ended."""

    at: ClassVar[str] = "hand"
    says: ClassVar[str] = say("hand {hand} is over")
    hand: int


class NothingDue(Refusal, code="NOTHING_DUE"):
    """The table no longer has this deadline: it was met, or something happened before it."""

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


class ClockStands(Refusal, code="CLOCK_STANDS"):
    """The clock stands: it is not known whether a server was alive, or the table has a standstill to note."""

    says: ClassVar[str] = say("the clock of table {table!r} stands until a standstill is noted")
    table: str


class TableInPlay(Refusal, code="TABLE_IN_PLAY"):
    """The match cannot be changed by hand, because a live table is playing it."""

    says: ClassVar[str] = say(
        "match {table!r} is being played at the table of the same id, which records its hands; until "
        "that ends the match can be forfeited or voided"
    )
    table: str


class TooTalkative(Refusal, code="TOO_TALKATIVE"):
    """The player speaks, mutes or unmutes too often."""

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


def named(table: str) -> Sentence:
    """The name of a table in sentences."""
    return say("table {table!r}", table=table)


def sealed(hand: int) -> WrongState:
    """The refusal of commands on a hand whose secret cannot be opened."""
    return HandIsSealed(
        say("hand {hand}", hand=hand), say("sealed"), say("its key is not there, so it is dealt again in a moment")
    )


class LivePlayIsOff(WrongState, code="LIVE_PLAY_OFF"):
    """The server has no secret for live play."""


class TableIsOpen(WrongState, code="TABLE_OPEN"):
    """The table is open already."""


class TableIsClosed(WrongState, code="TABLE_CLOSED"):
    """Play at the table is over."""


class TableIsPaused(WrongState, code="TABLE_PAUSED"):
    """The table waits for a player who is away."""


class PlayNotBegun(WrongState, code="PLAY_NOT_BEGUN"):
    """Play at the table has not begun."""


class PlayHasBegun(WrongState, code="PLAY_BEGUN"):
    """Play at the table has begun."""


class AlreadySeated(WrongState, code="ALREADY_SEATED"):
    """You have another seat at the table."""


class SeatsOfMatch(WrongState, code="SEATS_OF_MATCH"):
    """The seats are those of the players of an open match."""


class NotDealtYet(WrongState, code="NOT_DEALT_YET"):
    """The tiles of the hand are not dealt yet."""


class HandIsDealt(WrongState, code="HAND_DEALT"):
    """The tiles of the hand are dealt."""


class HandIsSealed(WrongState, code="HAND_SEALED"):
    """The key of the hand is missing."""


class SeedIsAnother(WrongState, code="OTHER_SEED"):
    """Your seat has added something else to the seed."""


class ReshuffleIsOffered(WrongState, code="RESHUFFLE_OFFERED"):
    """A reshuffle is offered."""


class NoReshuffleOffered(WrongState, code="NO_RESHUFFLE_OFFERED"):
    """No reshuffle is offered to your seat."""
