"""The trail: what was done with the league and is no event of play: tokens, replays, exports.

Nobody decides these and no fold needs them: they are written down as they are done.
"""

from datetime import datetime

from msgspec import Struct

STREAM = "trail"


class TokenMade(Struct, frozen=True):
    """A bearer token was made. It cannot be told from this: only its id stands here."""

    token: str
    """Its `jti`."""
    sub: str
    """Whom it is for."""
    roles: tuple[str, ...]
    expires_at: datetime


class TokenRevoked(Struct, frozen=True):
    """A bearer token is not taken any more."""

    token: str
    """Its `jti`."""


class ReplayStarted(Struct, frozen=True):
    """A replay was asked for. Its promotion is an adoption of its rules, in the stream of the rulebook."""

    replay: int
    candidate: str | None
    """The hash of the revised edition; None: nothing is revised."""
    start: datetime | None
    """The revision is of matches that began in this span."""
    end: datetime | None
    known_at: datetime | None
    """What had been recorded then is folded; None: everything."""


class ReplayCancelled(Struct, frozen=True):
    """A replay that waited or ran is folded no further."""

    replay: int


class RunDropped(Struct, frozen=True):
    """The run of a replay was removed."""

    run: int


class RowsExported(Struct, frozen=True):
    """Rows were written out of the league."""

    what: str
    format: str
    run: int | None
    """The run they were read from; None: they are of no run."""


Act = TokenMade | TokenRevoked | ReplayStarted | ReplayCancelled | RunDropped | RowsExported
