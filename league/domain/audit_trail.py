"""The trail: what was done with the league and is no event of play: tokens, replays, promotions, imports, exports.

Nobody decides these and no fold needs them: they are written down as they are done.
"""

from datetime import datetime

from msgspec import Struct

STREAM = "trail"

SOURCES = ("manual", "import", "live", "photo")
"""The doors by which events come."""


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
    """A replay was asked for. What it becomes is a run, which has a number of its own."""

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
    replay: int | None
    """The first replay that became this run; None: nobody had asked for it."""


class RunPromoted(Struct, frozen=True):
    """A run became the official one. The adoption of its rules is the next event in the stream of the rulebook."""

    run: int
    replay: int | None
    """The first replay that became this run."""
    before: int
    """The run that was official until then."""


class RolledBack(Struct, frozen=True):
    """The rules hold again that held before. Their adoption is the next event in the stream of the rulebook."""

    run: int
    """The run that is official now."""
    before: int
    """The run that was official until then."""


class FolderImported(Struct, frozen=True):
    """A recorded season was imported; its events stand before this one.

    There is no hash of `players.jsonl`: whoever knows the other lines of it could try names against the hash, and so
    find one that was erased. What it says stands in the log.
    """

    folder: str
    """Its name, without the folders that it lies in."""
    matches_sha256: str
    """Of the bytes of `matches.jsonl`."""
    players: int
    """So many lines of `players.jsonl` were new; and so on."""
    matches: int
    hands: int


class RowsExported(Struct, frozen=True):
    """Rows were written out of the league."""

    what: str
    format: str
    run: int | None
    """The run they were read from; None: they are of no run."""


class HeadRequested(Struct, frozen=True):
    """Somebody asked for a signed head of the log, out of turn. It stands before the head, which signs it, too.

    What is signed every hour leaves no event: each would be something new to sign. All heads are kept with the log.
    """

    key: str
    """The public key of the signature, in hex."""


Act = (
    TokenMade | TokenRevoked | ReplayStarted | ReplayCancelled | RunDropped | RunPromoted | RolledBack | FolderImported
    | RowsExported | HeadRequested
)  # fmt: skip
