"""The trail: administrative acts, which are not events of play: tokens, replays, promotions, imports, exports.

An act has no decider and no fold. The transaction that carries it out also writes its event.
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


class ReplayStarted(Struct, frozen=True, omit_defaults=True):
    """A replay was requested."""

    replay: int
    """Its number, which is also that of the run that it makes."""
    candidate: str | None
    """The hash of the revised edition; None: nothing is revised."""
    start: datetime | None
    """The revision holds for matches that began at or after this time; None: no lower bound."""
    end: datetime | None
    """The revision holds for matches that began before this time; None: no upper bound."""
    known_at: datetime | None
    """Fold only the events recorded up to this time; None: all."""
    restores: int | None = None
    """The position of the adoption whose timeline it restores; None: it restores none."""


class ReplayShown(Struct, frozen=True):
    """A candidate was shown: everybody may read it from now on."""

    replay: int
    title: str | None
    """The name that somebody gave it; None: its title is made of what it changes."""
    reason: str


class ReplayWithdrawn(Struct, frozen=True):
    """A candidate that was shown is a draft again."""

    replay: int
    reason: str


class ReplayCancelled(Struct, frozen=True):
    """A waiting or running replay was cancelled."""

    replay: int


class RunDropped(Struct, frozen=True):
    """The run of a replay was removed."""

    run: int


class RunPromoted(Struct, frozen=True, omit_defaults=True):
    """A run became the official one. The adoption of its rules is the next event in the stream of the rulebook."""

    run: int
    before: int
    """The run that was official until then."""
    title: str | None = None
    """The name that somebody gave the replay; None: its title is made of what it changes."""
    reason: str | None = None
    """None: promoted before promotions had reasons."""
    folded_to: int | None = None
    """The position up to which both runs were folded; None: what it moved is not stored."""


class RolledBack(Struct, frozen=True, omit_defaults=True):
    """Earlier rules are in force again; their adoption is the next event in the rulebook's stream."""

    run: int
    """The run that is official now."""
    before: int
    """The run that was official until then."""
    title: str | None = None
    """The name that somebody gave the replay that brought them back; None: nobody named it, or there was none."""
    reason: str | None = None
    """None: rolled back before rollbacks had reasons."""
    restores: int | None = None
    """The position of the adoption whose rules came back; None: rolled back before this was stored."""
    folded_to: int | None = None
    """The position up to which both runs were folded; None: what it moved is not stored."""


class FolderImported(Struct, frozen=True):
    """A recorded season was imported; its events precede this one.

    There is no hash of `players.jsonl`: a reader who knows its other lines could try names against the hash and find
    an erased one. The log has its contents.
    """

    folder: str
    """Its name, without its path."""
    matches_sha256: str
    """Hash of the bytes of `matches.jsonl`."""
    players: int
    """Number of new lines of `players.jsonl`."""
    matches: int
    """Number of new matches."""
    hands: int
    """Number of new hands."""


class SheetImported(Struct, frozen=True):
    """A club's sheet was imported; its events precede this one. There is no hash of the sheet, since it has names."""

    file: str
    """Its name, without its path."""
    players: int
    """Number of players that it registered."""
    matches: int
    """Number of new matches."""
    hands: int
    """Number of new hands."""


class RowsExported(Struct, frozen=True):
    """Rows were written out of the league."""

    what: str
    format: str
    run: int | None
    """The run from which the rows were read; None if they belong to no run."""


class HeadRequested(Struct, frozen=True):
    """A signed head of the log was requested. The event comes before the head, which signs it too.

    The hourly heads leave no event, since each event would be something new to sign. All heads are stored.
    """

    key: str
    """The public key of the signature, in hex."""


Act = (
    TokenMade | TokenRevoked | ReplayStarted | ReplayShown | ReplayWithdrawn | ReplayCancelled | RunDropped
    | RunPromoted | RolledBack | FolderImported | SheetImported | RowsExported | HeadRequested
)  # fmt: skip
