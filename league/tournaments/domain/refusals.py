"""How the league refuses what a tournament does not allow."""

from dataclasses import dataclass
from typing import ClassVar

from league.domain.refusals import Refusal
from league.domain.sentences import say


@dataclass(eq=True)
class DrawnAgain(Refusal):
    """A round that could not be published: a pair met elsewhere meanwhile. The round was drawn again without them."""

    code: ClassVar[str] = "DRAWN_AGAIN"
    at: ClassVar[str] = "round"
    tournament: str
    round: int
    a: str
    b: str

    @property
    def sentence(self) -> str:
        return say(
            "{a} and {b} have met as often as the series allows since round {round} was drawn; "
            "it was drawn again: look at its tables and publish it",
            a=self.a, b=self.b, round=self.round,
        )  # fmt: skip


@dataclass(eq=True)
class RoundOutdated(Refusal):
    """A round whose inputs would be different now. It is published only if the caller says so."""

    code: ClassVar[str] = "ROUND_OUTDATED"
    at: ClassVar[str] = "round"
    tournament: str
    round: int

    @property
    def sentence(self) -> str:
        return say(
            "results, entries or absences have changed since round {round} was drawn: "
            "draw it again, or say that it is to be published all the same",
            round=self.round,
        )


@dataclass(eq=True)
class AlreadyCommitted(Refusal):
    """A commitment of a competitor who has one to the next drawing."""

    code: ClassVar[str] = "ALREADY_COMMITTED"
    at: ClassVar[str] = "commitment"
    competitor: str

    @property
    def sentence(self) -> str:
        return say(
            "{competitor!r} has a commitment to the next drawing already; each has one, and a pair has one together",
            competitor=self.competitor,
        )


@dataclass(eq=True)
class CommitmentUsed(Refusal):
    """A commitment that the tournament has seen already, of anybody: each device has random bytes of its own."""

    code: ClassVar[str] = "COMMITMENT_USED"
    at: str

    @property
    def sentence(self) -> str:
        return say("this commitment was made before in the tournament; make new random bytes, and commit to those")


@dataclass(eq=True)
class NoCommitment(Refusal):
    """Bytes that nobody asked for: the competitor had no commitment before this drawing."""

    code: ClassVar[str] = "NO_COMMITMENT"
    at: ClassVar[str] = "contribution"
    competitor: str
    round: int

    @property
    def sentence(self) -> str:
        return say(
            "{competitor!r} had no commitment when round {round} was drawn", competitor=self.competitor,
            round=self.round,
        )  # fmt: skip


@dataclass(eq=True)
class OtherCommitment(Refusal):
    """Bytes whose SHA-256 is not the commitment."""

    code: ClassVar[str] = "OTHER_COMMITMENT"
    at: ClassVar[str] = "contribution"
    competitor: str
    round: int

    @property
    def sentence(self) -> str:
        return say(
            "these bytes do not fit the commitment of {competitor!r} to the drawing of round {round}",
            competitor=self.competitor, round=self.round,
        )  # fmt: skip


@dataclass(eq=True)
class AlreadyContributed(Refusal):
    """Bytes that the league has already."""

    code: ClassVar[str] = "ALREADY_CONTRIBUTED"
    at: ClassVar[str] = "contribution"
    competitor: str
    round: int

    @property
    def sentence(self) -> str:
        return say(
            "the bytes of {competitor!r} for the drawing of round {round} are stored already",
            competitor=self.competitor, round=self.round,
        )  # fmt: skip


@dataclass(eq=True)
class DrawingClosed(Refusal):
    """Bytes that came when the tables were computed, or the round was drawn again."""

    code: ClassVar[str] = "DRAWING_CLOSED"
    at: ClassVar[str] = "contribution"
    competitor: str
    round: int

    @property
    def sentence(self) -> str:
        return say(
            "the bytes of {competitor!r} came too late: the drawing of round {round} is over",
            competitor=self.competitor, round=self.round,
        )  # fmt: skip


STATES = {
    "drawn": say("drawn, not published"),
    "published": say("published"),
    "closed": say("finished"),
    "open": say("open"),
    "pending": say("awaits confirmation"),
    "completed": say("completed"),
    "cut_short": say("cut short"),
    "announced": say("result only"),
    "forfeited": say("forfeited"),
}
"""How far a round or the match of a table has come, in sentences."""
