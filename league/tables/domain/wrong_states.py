"""States of live tables that do not allow a command."""

from typing import ClassVar

from league.domain.refusals import WrongState


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
