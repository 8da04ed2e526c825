"""States of tournaments, rounds and tables that do not allow a command."""

from typing import ClassVar

from league.domain.refusals import WrongState


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
