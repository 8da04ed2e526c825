"""The refusals of tournaments, each with its code."""

from typing import ClassVar

from league.domain.refusals import Refusal, WrongState
from league.domain.result import STATUS_WORDS
from league.domain.sentences import say


class DrawnAgain(Refusal, code="DRAWN_AGAIN"):
    """A round could not be published because two met elsewhere meanwhile. It was drawn again with them apart."""

    at: ClassVar[str] = "round"
    says: ClassVar[str] = say(
        "{a} and {b} have met as often as the series allows since round {round} was drawn; "
        "it was drawn again: look at its tables and publish it"
    )
    tournament: str
    round: int
    a: str
    b: str


class RoundOutdated(Refusal, code="ROUND_OUTDATED"):
    """The inputs of the round would be different now. It is published only if the caller insists."""

    at: ClassVar[str] = "round"
    says: ClassVar[str] = say(
        "results, entries or absences have changed since round {round} was drawn: "
        "draw it again, or say that it is to be published all the same"
    )
    tournament: str
    round: int


class AlreadyCommitted(Refusal, code="ALREADY_COMMITTED"):
    """The competitor already has a commitment to the next drawing."""

    at: ClassVar[str] = "commitment"
    says: ClassVar[str] = say(
        "{competitor!r} has a commitment to the next drawing already; each has one, and a pair has one together"
    )
    competitor: str


class CommitmentUsed(Refusal, code="COMMITMENT_USED"):
    """The tournament has already seen this commitment, from any competitor. Each device makes its own random bytes."""

    says: ClassVar[str] = say(
        "this commitment was made before in the tournament; make new random bytes, and commit to those"
    )
    at: str


class NoCommitment(Refusal, code="NO_COMMITMENT"):
    """The drawing did not ask for these bytes: the competitor had no commitment before it."""

    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("{competitor!r} had no commitment when round {round} was drawn")
    competitor: str
    round: int


class OtherCommitment(Refusal, code="OTHER_COMMITMENT"):
    """The SHA-256 of the bytes is not the commitment."""

    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("these bytes do not fit the commitment of {competitor!r} to the drawing of round {round}")
    competitor: str
    round: int


class AlreadyContributed(Refusal, code="ALREADY_CONTRIBUTED"):
    """The league already has these bytes."""

    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("the bytes of {competitor!r} for the drawing of round {round} are stored already")
    competitor: str
    round: int


class DrawingClosed(Refusal, code="DRAWING_CLOSED"):
    """The bytes came after the tables were computed, or after the round was drawn again."""

    at: ClassVar[str] = "contribution"
    says: ClassVar[str] = say("the bytes of {competitor!r} came too late: the drawing of round {round} is over")
    competitor: str
    round: int


STATES = {
    **STATUS_WORDS,
    "published": say("published"),
    "drawn": say("drawn, not published"),
    "closed": say("finished"),
    "withdrawn": say("withdrawn"),
    "dropped": say("drawn again"),
}
"""Words for how far a round, or the match of a table, has come."""


# ---------------------------------------------------------------- states that do not allow a command


class TournamentHasEnded(WrongState, code="TOURNAMENT_ENDED"):
    """The tournament has ended."""


class PlanIsFixed(WrongState, code="PLAN_FIXED"):
    """Competitors or rounds depend on this part of the plan."""


class EntriesAreClosed(WrongState, code="ENTRIES_CLOSED"):
    """The plan lets nobody enter any more."""


class AlreadyCheckedIn(WrongState, code="ALREADY_CHECKED_IN"):
    """All listed competitors are checked in already."""


class AlreadyWithdrawn(WrongState, code="ALREADY_WITHDRAWN"):
    """The competitor has withdrawn."""


class NotWithdrawn(WrongState, code="NOT_WITHDRAWN"):
    """The competitor takes part."""


class StillTakesPart(WrongState, code="STILL_TAKES_PART"):
    """The competitor who is to be replaced still takes part."""


class ByeIsRequested(WrongState, code="BYE_REQUESTED"):
    """The competitor has asked for a bye of this round already."""


class ByeNotRequested(WrongState, code="BYE_NOT_REQUESTED"):
    """The competitor has not asked for a bye of this round."""


class NoRequestedByes(WrongState, code="NO_REQUESTED_BYES"):
    """In this format nobody can ask for a bye, because it says who meets."""


class PlaceIsTaken(WrongState, code="PLACE_TAKEN"):
    """Another competitor plays in their place."""


class TournamentIsFull(WrongState, code="TOURNAMENT_FULL"):
    """As many competitors take part as a tournament can have."""


class EnteredTogether(WrongState, code="ENTERED_TOGETHER"):
    """Both players entered one tournament, so they are two people."""


class TooFewCompetitors(WrongState, code="TOO_FEW_COMPETITORS"):
    """Too few competitors are available for a table."""


class GroupsNotFilled(WrongState, code="GROUPS_NOT_FILLED"):
    """Too few competitors are available for the groups of the plan."""


class BracketIsFixed(WrongState, code="BRACKET_IS_FIXED"):
    """The bracket of a knock-out says who meets."""


class TieIsOver(WrongState, code="TIE_IS_OVER"):
    """A tie of a knock-out has its winner."""


class NoFullCycle(WrongState, code="NO_FULL_CYCLE"):
    """A full cycle does not fit this number of players."""


class NoRoundLeft(WrongState, code="NO_ROUND_LEFT"):
    """All rounds of the plan are played."""


class NothingDrawn(WrongState, code="NOTHING_DRAWN"):
    """The round is not drawn yet."""


class RoundIsDrawn(WrongState, code="ROUND_DRAWN"):
    """The round is drawn already."""


class DrawItAgain(WrongState, code="DRAW_IT_AGAIN"):
    """The plan has changed or a competitor has withdrawn since the round was drawn, or who plays on in a knock-out."""


class RoundNotPaired(WrongState, code="ROUND_NOT_PAIRED"):
    """The tables of the round are being computed."""


class TablesOutdated(WrongState):
    """The round was paired or drawn again since its tables were computed, or bytes of a device have come."""


class RoundNotPublished(WrongState, code="ROUND_NOT_PUBLISHED"):
    """The round is not announced."""


class RoundIsPublished(WrongState, code="ROUND_PUBLISHED"):
    """The round is announced already."""


class RoundNotClosed(WrongState, code="ROUND_NOT_CLOSED"):
    """A round is not closed."""


class RoundIsClosed(WrongState, code="ROUND_CLOSED"):
    """The round is closed."""


class RoundIsWithdrawn(WrongState, code="ROUND_WITHDRAWN"):
    """The round was withdrawn. It counts for nothing until it is drawn anew and published."""


class RoundHasBegun(WrongState, code="ROUND_BEGUN"):
    """A table of the round has a hand, a result or a recorded absence."""


class ResultsMissing(WrongState, code="RESULTS_MISSING"):
    """Tables have no result yet."""


class FixtureIsOpen(WrongState, code="FIXTURE_OPEN"):
    """The match of the table is open already."""


class FixtureNotOpen(WrongState, code="FIXTURE_NOT_OPEN"):
    """The match of the table was never opened."""


class MatchNotVoided(WrongState, code="MATCH_NOT_VOIDED"):
    """The match of the table is not voided."""


class TableIsVoided(WrongState, code="TABLE_VOIDED"):
    """The match of the table was voided after play had begun."""


class TableHasBegun(WrongState, code="TABLE_BEGUN"):
    """Play at the table has begun."""


class AbsenceIsRecorded(WrongState, code="ABSENCE_RECORDED"):
    """An absence is recorded at the table already."""


class AbsenceIsClaimed(WrongState, code="ABSENCE_CLAIMED"):
    """The side has said already that the other one did not come."""


class AbsenceNotClaimed(WrongState, code="ABSENCE_NOT_CLAIMED"):
    """The other side has not said that this side did not come."""


class ClaimsDisagree(WrongState, code="CLAIMS_DISAGREE"):
    """Each side says that the other one did not come. An organiser decides."""


class WalkoverStays(WrongState, code="WALKOVER_STAYS"):
    """A competitor had left when the round was drawn, so the table is not played."""
