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
