"""Why rules cannot be tried now."""

from typing import ClassVar

from league.domain.refusals import WrongState


class NoMatches(WrongState):
    """The league has no rated match to try rules on."""

    code: ClassVar[str] = "NO_MATCHES"


class LabIsBusy(WrongState):
    """Others try rules at this moment."""

    code: ClassVar[str] = "LAB_BUSY"


class LeagueTooLarge(WrongState):
    """The league has too many matches for this server."""

    code: ClassVar[str] = "LEAGUE_TOO_LARGE"
