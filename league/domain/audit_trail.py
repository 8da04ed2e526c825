"""The trail: administrative acts, which are not events of play: tokens, replays, promotions, imports, exports.

They have no decider and no fold: each is written in the transaction that does it.
"""

from datetime import datetime

from msgspec import Struct

STREAM = "trail"

SOURCES = ("manual", "import", "live", "photo")
"""Where events come from."""


class TokenMade(Struct, frozen=True):
    """A bearer token was made. The event holds its id only, never the token."""

    token: str
    """Its `jti`."""
    sub: str
    """The actor that it is for."""
    roles: tuple[str, ...]
    expires_at: datetime


class TokenRevoked(Struct, frozen=True):
    """A bearer token is no longer accepted."""

    token: str
    """Its `jti`."""


class ReplayStarted(Struct, frozen=True):
    """A replay was requested."""

    replay: int
    """Its number, which is also that of the run that it makes."""
    candidate: str | None
    """The hash of the revised edition; None: nothing is revised."""
    start: datetime | None
    """The revision is of matches that began in this span."""
    end: datetime | None
    known_at: datetime | None
    """Fold only the events recorded by then; None: all."""


class ReplayCancelled(Struct, frozen=True):
    """A replay that waited or ran is folded no further."""

    replay: int


class RunDropped(Struct, frozen=True):
    """The run of a replay was removed."""

    run: int


class RunPromoted(Struct, frozen=True):
    """A run became the official one. The adoption of its rules is the next event in the stream of the rulebook."""

    run: int
    before: int
    """The run that was official until then."""


class RolledBack(Struct, frozen=True):
    """The rules before the last ones are in force again; their adoption is the next event in the rulebook's stream."""

    run: int
    """The run that is official now."""
    before: int
    """The run that was official until then."""


class FolderImported(Struct, frozen=True):
    """A recorded season was imported; its events precede this one.

    There is no hash of `players.jsonl`: a reader who knows its other lines could try names against the hash and find
    an erased one. The log has its contents.
    """

    folder: str
    """Its name, without its path."""
    matches_sha256: str
    """Of the bytes of `matches.jsonl`."""
    players: int
    """How many lines of `players.jsonl` were new; the next two likewise."""
    matches: int
    hands: int


class SheetImported(Struct, frozen=True):
    """A club's sheet was imported; its events precede this one. There is no hash of it: a sheet has names."""

    file: str
    """Its name, without its path."""
    players: int
    """How many players it registered."""
    matches: int
    """How many of its rows were new; the same for its hands."""
    hands: int


class RowsExported(Struct, frozen=True):
    """Rows were written out of the league."""

    what: str
    format: str
    run: int | None
    """The run they were read from; None if they belong to no run."""


class HeadRequested(Struct, frozen=True):
    """A signed head of the log was requested. The event comes before the head, which signs it too.

    The hourly heads leave no event: each event would be something new to sign. All heads are kept with the log.
    """

    key: str
    """The public key of the signature, in hex."""


Act = (
    TokenMade | TokenRevoked | ReplayStarted | ReplayCancelled | RunDropped | RunPromoted | RolledBack | FolderImported
    | SheetImported | RowsExported | HeadRequested
)  # fmt: skip
