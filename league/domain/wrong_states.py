"""States that do not allow a command, each with a code of its own: what a client can do about it differs."""

from typing import ClassVar

from league.domain.refusals import WrongState


class NoLeagueYet(WrongState):
    """There is no league yet."""

    code: ClassVar[str] = "NO_LEAGUE"


class MatchIsVoided(WrongState):
    """The match was voided."""

    code: ClassVar[str] = "MATCH_VOIDED"


class MatchIsOpen(WrongState):
    """The match has not ended."""

    code: ClassVar[str] = "MATCH_OPEN"


class NothingToReopen(WrongState):
    """The match has not ended."""

    code: ClassVar[str] = "NOTHING_TO_REOPEN"


class MatchIsForfeited(WrongState):
    """A side has given up the match."""

    code: ClassVar[str] = "MATCH_FORFEITED"


class EndedByHand(WrongState):
    """A hand has ended the match."""

    code: ClassVar[str] = "ENDED_BY_HAND"


class HandsAreRecorded(WrongState):
    """The match has hands, from which its result follows."""

    code: ClassVar[str] = "HANDS_RECORDED"


class NoHandWon(WrongState):
    """No hand of the match has been won."""

    code: ClassVar[str] = "NO_HAND_WON"


class MatchHasBegun(WrongState):
    """The match has hands, and a live table plays a match from its first one."""

    code: ClassVar[str] = "MATCH_BEGUN"


class NothingToConfirm(WrongState):
    """The result is decided, and awaits no confirmation."""

    code: ClassVar[str] = "NOTHING_TO_CONFIRM"


class MonthNotOver(WrongState):
    """The month has not ended."""

    code: ClassVar[str] = "MONTH_NOT_OVER"


class MonthIsClosed(WrongState):
    """The month is closed."""

    code: ClassVar[str] = "MONTH_CLOSED"


class MonthIsOpen(WrongState):
    """The month is not closed."""

    code: ClassVar[str] = "MONTH_OPEN"


class MonthIsEmpty(WrongState):
    """The month has no competitive match."""

    code: ClassVar[str] = "MONTH_EMPTY"


class NothingToClose(WrongState):
    """Every month that has ended is closed."""

    code: ClassVar[str] = "NOTHING_TO_CLOSE"


class SeasonIsClosed(WrongState):
    """The season has its end."""

    code: ClassVar[str] = "SEASON_CLOSED"


class PlayerIsErased(WrongState):
    """The player was erased."""

    code: ClassVar[str] = "PLAYER_ERASED"


class AlreadyAMember(WrongState):
    """Who asked for access is a member."""

    code: ClassVar[str] = "ALREADY_MEMBER"


class AlreadyDeclined(WrongState):
    """An admin has declined the request."""

    code: ClassVar[str] = "ALREADY_DECLINED"


class NotAMember(WrongState):
    """Who asked for access has not been let in."""

    code: ClassVar[str] = "NOT_A_MEMBER"


class LastAdmin(WrongState):
    """Nobody else is an admin."""

    code: ClassVar[str] = "LAST_ADMIN"


class AlreadyInForce(WrongState):
    """These rules are in force."""

    code: ClassVar[str] = "ALREADY_IN_FORCE"


class NothingToRollBack(WrongState):
    """The league is under its first rules."""

    code: ClassVar[str] = "NOTHING_TO_ROLL_BACK"


class RunIsOfficial(WrongState):
    """The run is the official one."""

    code: ClassVar[str] = "RUN_OFFICIAL"


class RunIsKept(WrongState):
    """A rollback would need the run."""

    code: ClassVar[str] = "RUN_KEPT"


class RunIsOutdated(WrongState):
    """The rules or the program have changed since the run was folded."""

    code: ClassVar[str] = "RUN_OUTDATED"


class ReplayNotDone(WrongState):
    """The replay is waiting or running."""

    code: ClassVar[str] = "REPLAY_NOT_DONE"


class ReplayFailed(WrongState):
    """The replay has failed or was cancelled."""

    code: ClassVar[str] = "REPLAY_FAILED"


class ReplayIsOver(WrongState):
    """The replay is over."""

    code: ClassVar[str] = "REPLAY_OVER"
