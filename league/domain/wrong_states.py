"""States that do not allow a command. Each has its own code, since a client handles them differently."""

from league.domain.refusals import WrongState


class NoLeagueYet(WrongState, code="NO_LEAGUE"):
    """There is no league yet."""


class MatchIsVoided(WrongState, code="MATCH_VOIDED"):
    """The match was voided."""


class MatchIsOpen(WrongState, code="MATCH_OPEN"):
    """The match has not ended."""


class NothingToReopen(WrongState, code="NOTHING_TO_REOPEN"):
    """The match has not ended."""


class MatchIsForfeited(WrongState, code="MATCH_FORFEITED"):
    """A side has given up the match."""


class EndedByHand(WrongState, code="ENDED_BY_HAND"):
    """A hand has ended the match."""


class HandsAreRecorded(WrongState, code="HANDS_RECORDED"):
    """The match has hands, from which its result follows."""


class NoHandWon(WrongState, code="NO_HAND_WON"):
    """No hand of the match has been won."""


class MatchHasBegun(WrongState, code="MATCH_BEGUN"):
    """The match has hands already. A live table plays a match from its first hand."""


class NothingToConfirm(WrongState, code="NOTHING_TO_CONFIRM"):
    """The result is decided and awaits no confirmation."""


class MonthNotOver(WrongState, code="MONTH_NOT_OVER"):
    """The month has not ended."""


class MonthIsClosed(WrongState, code="MONTH_CLOSED"):
    """The month is closed."""


class MonthIsOpen(WrongState, code="MONTH_OPEN"):
    """The month is not closed."""


class MonthIsEmpty(WrongState, code="MONTH_EMPTY"):
    """The month has no competitive match."""


class NothingToClose(WrongState, code="NOTHING_TO_CLOSE"):
    """Every month that has ended is closed."""


class BackupIsRunning(WrongState, code="BACKUP_RUNNING"):
    """A backup is being written, and only one is at a time."""


class SeasonIsClosed(WrongState, code="SEASON_CLOSED"):
    """The season has its end."""


class PlayerIsErased(WrongState, code="PLAYER_ERASED"):
    """The player was erased."""


class AlreadyAMember(WrongState, code="ALREADY_MEMBER"):
    """The person is a member already."""


class AlreadyDeclined(WrongState, code="ALREADY_DECLINED"):
    """An admin has declined the request."""


class NotAMember(WrongState, code="NOT_A_MEMBER"):
    """The person who asked for access is not a member yet."""


class LastAdmin(WrongState, code="LAST_ADMIN"):
    """No other member is an admin."""


class AlreadyInForce(WrongState, code="ALREADY_IN_FORCE"):
    """The rules are in force already."""


class NothingToRollBack(WrongState, code="NOTHING_TO_ROLL_BACK"):
    """No earlier rules differ from those in force."""


class RulesetIsInUse(WrongState, code="RULESET_IN_USE"):
    """A recorded match would have no ruleset."""


class RunIsOfficial(WrongState, code="RUN_OFFICIAL"):
    """The run is the official one."""


class RunIsNeeded(WrongState, code="RUN_KEPT"):
    """A rollback would need the run, so it cannot be dropped."""


class RunIsOutdated(WrongState, code="RUN_OUTDATED"):
    """The rules or the program have changed since the run was folded."""


class ReplayNotDone(WrongState, code="REPLAY_NOT_DONE"):
    """The replay is waiting or running."""


class ReplayFailed(WrongState, code="REPLAY_FAILED"):
    """The replay has failed or was cancelled."""


class PreviewIsOutdated(WrongState, code="PREVIEW_OUTDATED"):
    """What a promotion changes has changed since its preview."""


class ReplayIsOver(WrongState, code="REPLAY_OVER"):
    """The replay is over."""


class ReplayIsDropped(WrongState, code="REPLAY_DROPPED"):
    """The run of the replay was removed."""


class NotACandidate(WrongState, code="NOT_A_CANDIDATE"):
    """The replay revises no rules, or shows what was known at a moment: it is neither proposed nor promoted."""


class ReplayIsShown(WrongState, code="REPLAY_SHOWN"):
    """Everybody may read the candidate."""


class ReplayIsDraft(WrongState, code="REPLAY_DRAFT"):
    """The candidate is not shown."""
