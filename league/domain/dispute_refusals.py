"""How the league refuses confirmations and disputes of results."""

from dataclasses import dataclass
from typing import ClassVar

from league.domain.refusals import Refusal
from league.domain.sentences import say


@dataclass(eq=True)
class DidNotPlay(Refusal):
    """Only a player of a match confirms or disputes its result."""

    code: ClassVar[str] = "DID_NOT_PLAY"
    at: ClassVar[str] = "player"
    match: str
    player: str

    @property
    def sentence(self) -> str:
        return say("{player!r} did not play in match {match!r}", player=self.player, match=self.match)


@dataclass(eq=True)
class AlreadyConfirmed(Refusal):
    """A player confirms a result once."""

    code: ClassVar[str] = "ALREADY_CONFIRMED"
    match: str
    player: str

    @property
    def sentence(self) -> str:
        return say(
            "{player!r} has already confirmed the result of match {match!r}", player=self.player, match=self.match
        )


@dataclass(eq=True)
class DisputeIsOpen(Refusal):
    """A match with an open dispute: it has no second one, and what takes its result back must settle the first."""

    code: ClassVar[str] = "DISPUTE_IS_OPEN"
    match: str
    dispute: int
    player: str
    """Who opened it."""

    @property
    def sentence(self) -> str:
        return say(
            "dispute {dispute} of match {match!r} is open, by {player!r}: settle it by a correction, a void or a"
            " reopening that names it, or reject it",
            dispute=self.dispute,
            match=self.match,
            player=self.player,
        )


@dataclass(eq=True)
class NoSuchDispute(Refusal):
    """A dispute that is not there, or that is closed."""

    code: ClassVar[str] = "NO_SUCH_DISPUTE"
    match: str
    dispute: int
    open_dispute: int | None
    """The number of the dispute that is open."""
    at: str = "dispute"

    @property
    def sentence(self) -> str:
        if self.open_dispute is None:
            return say(
                "match {match!r} has no open dispute, so none of number {dispute}",
                match=self.match,
                dispute=self.dispute,
            )
        return say(
            "dispute {dispute} of match {match!r} is not open: the open one is number {open}",
            dispute=self.dispute,
            match=self.match,
            open=self.open_dispute,
        )


@dataclass(eq=True)
class NotYourDispute(Refusal):
    """A player withdraws only a dispute of their own."""

    code: ClassVar[str] = "NOT_YOUR_DISPUTE"
    match: str
    dispute: int
    player: str
    """Who opened it."""

    @property
    def sentence(self) -> str:
        return say(
            "{player!r} opened dispute {dispute} of match {match!r}, and only they or an admin can withdraw it",
            player=self.player,
            dispute=self.dispute,
            match=self.match,
        )
