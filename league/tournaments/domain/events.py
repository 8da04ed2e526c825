"""What happens in a tournament. Its stream is `tournament:<id>`; its matches have streams of their own."""

from datetime import date

from msgspec import Struct

from league.tournaments.domain.drawn import PairedTable, RankedCompetitor, Relaxation, SeedCommitment, SeedContribution
from league.tournaments.domain.plan import Plan


class TournamentPlanned(Struct, frozen=True):
    """A tournament is to be held."""

    plan: Plan


class PlanChanged(Struct, frozen=True):
    """The whole plan as it holds from now on."""

    plan: Plan


class CompetitorEntered(Struct, frozen=True, omit_defaults=True):
    """A player, or a pair whose id is `a+b`, takes part."""

    competitor: str
    players: tuple[str, ...]
    region: str | None = None
    fixed_table: int | None = None
    """The table that they keep."""
    replaces: str | None = None
    """The competitor who withdrew, and whose place they take."""


class CompetitorCheckedIn(Struct, frozen=True):
    """They are there."""

    competitor: str


class CompetitorWithdrew(Struct, frozen=True, omit_defaults=True):
    """They play no further round."""

    competitor: str
    reason: str | None = None


class CompetitorReturned(Struct, frozen=True):
    """They play again after they had withdrawn."""

    competitor: str


class SeedCommitted(Struct, frozen=True):
    """A competitor's device has made random bytes for one drawing, and promises them by their hash."""

    competitor: str
    commitment: str
    """The SHA-256 of 32 bytes, in lower-case hexadecimal."""


class SeedContributed(Struct, frozen=True):
    """A competitor's device gives the bytes that it promised for a drawing."""

    round: int
    drawing: int
    """How many times the round was drawn."""
    competitor: str
    contribution: str
    """32 bytes in lower-case hexadecimal."""


class RoundDrawn(Struct, frozen=True, omit_defaults=True):
    """The inputs of a round are closed. The seed follows from the log up to and with this event."""

    round: int
    competitors: tuple[RankedCompetitor, ...]
    locked: tuple[tuple[str, str], ...] = ()
    """Who has met as often in the series of this month as it allows."""
    fixed: dict[str, int] = {}
    """The tables that competitors keep."""
    meetings: tuple[tuple[str, str], ...] | None = None
    """Of `fixtures`: who meets, as a person has entered it; None: as the format has it."""
    day: date | None = None
    """Of `fixtures`: when they meet."""
    until: date | None = None
    """Of `fixtures`: the last day on which they may meet."""
    again: str | None = None
    """Why an earlier drawing is dropped, in the words of who drops it."""
    again_without: tuple[str, str] | None = None
    """Two whom the series has locked since an earlier drawing, which was dropped for that."""


class RoundPaired(Struct, frozen=True, omit_defaults=True):
    """Who plays whom, as it follows from the drawing. Nothing is announced yet."""

    round: int
    position: int
    """Of the drawing in the log."""
    root: str
    """Of the log up to and with the drawing, hexadecimal."""
    signed: bool
    """Whether a key has signed that root."""
    seed: str
    tables: tuple[PairedTable, ...]
    byes: tuple[str, ...] = ()
    relaxed: tuple[Relaxation, ...] = ()
    commitments: tuple[SeedCommitment, ...] = ()
    """Those whose bytes were asked for, in the order of the ids as bytes."""
    contributions: tuple[SeedContribution, ...] = ()
    """The bytes that are in the seed, in the order of the ids as bytes."""


class OpenedAt(Struct, frozen=True):
    """The match that is played at a table."""

    table: int
    match: str


class RoundPublished(Struct, frozen=True, omit_defaults=True):
    """The pairings are announced, and their matches are open; those of `fixtures` are opened when play begins."""

    round: int
    matches: tuple[OpenedAt, ...] = ()


class FixtureOpened(Struct, frozen=True):
    """Play begins at a table of `fixtures`."""

    round: int
    table: int
    match: str


class ChangedTable(Struct, frozen=True, omit_defaults=True):
    """A table that somebody has paired by hand."""

    table: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side, by seat."""
    match: str | None
    """None where no match is open yet."""
    relaxed: tuple[Relaxation, ...] = ()
    """That the series has locked the two."""


class PairingsChanged(Struct, frozen=True):
    """Somebody has paired tables by hand before play began at them."""

    round: int
    tables: tuple[ChangedTable, ...]
    byes: tuple[str, ...]
    """All who sit out now."""
    reason: str


class AbsenceRecorded(Struct, frozen=True, omit_defaults=True):
    """A side, or both, did not come to a table."""

    round: int
    table: int
    sides: tuple[int, ...]


class MatchReplaced(Struct, frozen=True):
    """Another match is played at a table: its match was voided, or a side came after all."""

    round: int
    table: int
    match: str
    reason: str


class RoundClosed(Struct, frozen=True):
    """The round is over."""

    round: int


class TournamentEnded(Struct, frozen=True):
    """The standing is final, but for corrections of results."""


TournamentEvent = (
    TournamentPlanned
    | PlanChanged
    | CompetitorEntered
    | CompetitorCheckedIn
    | CompetitorWithdrew
    | CompetitorReturned
    | SeedCommitted
    | SeedContributed
    | RoundDrawn
    | RoundPaired
    | RoundPublished
    | FixtureOpened
    | PairingsChanged
    | AbsenceRecorded
    | MatchReplaced
    | RoundClosed
    | TournamentEnded
)
