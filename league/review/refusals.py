"""Why there is nothing to review."""

from typing import ClassVar

from league.domain.refusals import WrongState


class MatchWithoutHands(WrongState):
    """No hand of the match is recorded."""

    code: ClassVar[str] = "NO_HANDS"


class HandWithoutTurns(WrongState):
    """The turns of the hand are not known."""

    code: ClassVar[str] = "NO_TURNS"
