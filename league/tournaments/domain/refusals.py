"""How the league refuses what a tournament does not allow, and the code of each refusal."""

from dataclasses import dataclass
from typing import ClassVar

from league.domain.refusals import Refusal, WrongState
from league.domain.sentences import say


@dataclass(eq=True)
class DrawnAgain(Refusal):
    """A round that could not be published: a pair met elsewhere meanwhile. The round was drawn again without them."""

    code: ClassVar[str] = "DRAWN_AGAIN"
    at: ClassVar[str] = "round"
    says: ClassVar[str] = say(
        "{a} and {b} have met as often as the series allows since round {round} was drawn; "
        "it was drawn again: look at its tables and publish it"
    )
    tournament: str
    round: int
    a: str
    b: str


@dataclass(eq=True)
class RoundOutdated(Refusal):
    """A round whose inputs would be different now. It is published only if the caller says so."""

    code: ClassVar[str] = "ROUND_OUTDATED"
    at: ClassVar[str] = "round"
    says: ClassVar[str] = say(
        "results, entries or absences have changed since round {round} was drawn: "
        "draw it again, or say that it is to be published all the same"
    )
    tournament: str
    round: int


@dataclass(eq=True)
class AlreadyCommitted(Refusal):
    """A commitment of a competitor who has one to the next drawing."""

    code: ClassVar[str] = "ALREADY_COMMITTED"
    at: ClassVar[str] = "commitment"
    says: ClassVar[str] = say(
        "{competitor!r} has a commitment to the next drawing already; each has one, and a pair has one together"
    )
    competitor: str


@dataclass(eq=True)
class CommitmentUsed(Refusal):
    """A commitment that the tournament has seen already, of anybody: each device has random bytes of its own."""

    code: ClassVar[str] = "COMMITMENT_USED"
    says: ClassVar[str] = say(
        "this commitment was made before in the tournament; make new random bytes, and commit to those"
    )
    at: str


@dataclass(eq=True)
class NoCommitment(Refusal):
    """Bytes that nobody asked for: the competitor had no commitment before this drawing."""

    code: ClassVar[str] = "NO_COMMITMENT"
    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("{competitor!r} had no commitment when round {round} was drawn")
    competitor: str
    round: int


@dataclass(eq=True)
class OtherCommitment(Refusal):
    """Bytes whose SHA-256 is not the commitment."""

    code: ClassVar[str] = "OTHER_COMMITMENT"
    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("these bytes do not fit the commitment of {competitor!r} to the drawing of round {round}")
    competitor: str
    round: int


@dataclass(eq=True)
class AlreadyContributed(Refusal):
    """Bytes that the league has already."""

    code: ClassVar[str] = "ALREADY_CONTRIBUTED"
    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("the bytes of {competitor!r} for the drawing of round {round} are stored already")
    competitor: str
    round: int


@dataclass(eq=True)
class DrawingClosed(Refusal):
    """Bytes that came when the tables were computed, or the round was drawn again."""

    code: ClassVar[str] = "DRAWING_CLOSED"
    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("the bytes of {competitor!r} came too late: the drawing of round {round} is over")
    competitor: str
    round: int


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


# ---------------------------------------------------------------- states that do not allow a command


class TournamentHasEnded(WrongState):
    """The tournament has ended."""

    code: ClassVar[str] = "TOURNAMENT_ENDED"


class PlanIsFixed(WrongState):
    """Competitors or rounds depend on this part of the plan."""

    code: ClassVar[str] = "PLAN_FIXED"


class EntriesAreClosed(WrongState):
    """The plan lets nobody enter any more."""

    code: ClassVar[str] = "ENTRIES_CLOSED"


class AlreadyCheckedIn(WrongState):
    """All the competitors are checked in."""

    code: ClassVar[str] = "ALREADY_CHECKED_IN"


class AlreadyWithdrawn(WrongState):
    """The competitor has withdrawn."""

    code: ClassVar[str] = "ALREADY_WITHDRAWN"


class NotWithdrawn(WrongState):
    """The competitor takes part."""

    code: ClassVar[str] = "NOT_WITHDRAWN"


class StillTakesPart(WrongState):
    """Whose place is to be taken still takes part."""

    code: ClassVar[str] = "STILL_TAKES_PART"


class PlaceIsTaken(WrongState):
    """Another competitor plays in their place."""

    code: ClassVar[str] = "PLACE_TAKEN"


class EnteredTogether(WrongState):
    """Both entered one tournament, so that they are two people."""

    code: ClassVar[str] = "ENTERED_TOGETHER"


class TooFewCompetitors(WrongState):
    """Too few are available for a table."""

    code: ClassVar[str] = "TOO_FEW_COMPETITORS"


class NoFullCycle(WrongState):
    """A full cycle does not fit this number of players."""

    code: ClassVar[str] = "NO_FULL_CYCLE"


class NoRoundLeft(WrongState):
    """All rounds of the plan are played."""

    code: ClassVar[str] = "NO_ROUND_LEFT"


class NothingDrawn(WrongState):
    """The round is not drawn yet."""

    code: ClassVar[str] = "NOTHING_DRAWN"


class RoundIsDrawn(WrongState):
    """The round is drawn."""

    code: ClassVar[str] = "ROUND_DRAWN"


class DrawItAgain(WrongState):
    """The plan has changed or a competitor has withdrawn since the round was drawn."""

    code: ClassVar[str] = "DRAW_IT_AGAIN"


class RoundNotPaired(WrongState):
    """The tables of the round are being computed."""

    code: ClassVar[str] = "ROUND_NOT_PAIRED"


class TablesOutdated(WrongState):
    """The round was paired or drawn again since its tables were computed, or bytes of a device have come."""


class RoundNotPublished(WrongState):
    """The round is not announced."""

    code: ClassVar[str] = "ROUND_NOT_PUBLISHED"


class RoundIsPublished(WrongState):
    """The round is announced already."""

    code: ClassVar[str] = "ROUND_PUBLISHED"


class RoundNotClosed(WrongState):
    """A round is not closed."""

    code: ClassVar[str] = "ROUND_NOT_CLOSED"


class RoundIsClosed(WrongState):
    """The round is closed."""

    code: ClassVar[str] = "ROUND_CLOSED"


class ResultsMissing(WrongState):
    """Tables have no result yet."""

    code: ClassVar[str] = "RESULTS_MISSING"


class FixtureIsOpen(WrongState):
    """The match of the table is open already."""

    code: ClassVar[str] = "FIXTURE_OPEN"


class FixtureNotOpen(WrongState):
    """The match of the table was never opened."""

    code: ClassVar[str] = "FIXTURE_NOT_OPEN"


class MatchNotVoided(WrongState):
    """The match of the table is not voided."""

    code: ClassVar[str] = "MATCH_NOT_VOIDED"


class TableIsVoided(WrongState):
    """The match of the table was voided after play had begun."""

    code: ClassVar[str] = "TABLE_VOIDED"


class TableHasBegun(WrongState):
    """Play at the table has begun."""

    code: ClassVar[str] = "TABLE_BEGUN"
