"""The events of a tournament. Its stream is `tournament:<id>`; its matches have their own streams."""

from datetime import date

from msgspec import Struct

from league.tournaments.domain.drawn import PairedTable, RankedCompetitor, Relaxation, SeedCommitment, SeedContribution
from league.tournaments.domain.plan import Plan


class TournamentPlanned(Struct, frozen=True):
    """A tournament was planned."""

    plan: Plan


class PlanChanged(Struct, frozen=True):
    """The plan was replaced. The event has the whole new plan."""

    plan: Plan


class CompetitorEntered(Struct, frozen=True, omit_defaults=True):
    """A player, or a pair whose id is `a+b`, entered."""

    competitor: str
    players: tuple[str, ...]
    region: str | None = None
    fixed_table: int | None = None
    """The number of the table that they keep in every round."""
    replaces: str | None = None
    """The withdrawn competitor whose place they take."""


class CompetitorCheckedIn(Struct, frozen=True):
    """A competitor has arrived."""

    competitor: str


class CompetitorWithdrew(Struct, frozen=True, omit_defaults=True):
    """A competitor plays no further round."""

    competitor: str
    reason: str | None = None


class CompetitorReturned(Struct, frozen=True):
    """A competitor who had withdrawn plays again."""

    competitor: str


class ByeRequested(Struct, frozen=True):
    """A competitor asked for a bye of a round that is not drawn yet."""

    competitor: str
    round: int


class ByeTakenBack(Struct, frozen=True):
    """A competitor who had asked for a bye of a round plays it after all."""

    competitor: str
    round: int


class SeedCommitted(Struct, frozen=True):
    """A competitor's device made random bytes for one drawing, and promised them by their hash."""

    competitor: str
    commitment: str
    """The SHA-256 of 32 bytes, in lower-case hexadecimal."""


class SeedContributed(Struct, frozen=True):
    """A competitor's device gave the bytes that it had promised for a drawing."""

    round: int
    drawing: int
    """How many times the round was drawn."""
    competitor: str
    contribution: str
    """32 bytes in lower-case hexadecimal."""


class RoundDrawn(Struct, frozen=True, omit_defaults=True):
    """The inputs of a round were closed. The seed follows from the log up to and with this event."""

    round: int
    competitors: tuple[RankedCompetitor, ...]
    locked: tuple[tuple[str, str], ...] = ()
    """Pairs that have met as often as the series allows this month."""
    fixed: dict[str, int] = {}
    """Table numbers that competitors keep, by competitor."""
    meetings: tuple[tuple[str, str], ...] | None = None
    """Only for `fixtures`: who meets, as a person entered it; None: as in a round robin."""
    day: date | None = None
    """Only for `fixtures`: the day on which they are played."""
    until: date | None = None
    """Only for `fixtures`: the last day on which they may be played."""
    again: str | None = None
    """Why an earlier drawing was dropped, in the words of the person who dropped it."""
    again_without: tuple[str, str] | None = None
    """Two whom the series locked after an earlier drawing. That drawing was dropped for this reason."""
    requested: tuple[str, ...] = ()
    """Competitors who asked for a bye of this round, ordered by id. They are not among `competitors`."""
    left: tuple[str, ...] = ()
    """Competitors who are through in a knock-out and have withdrawn, ordered by id. They keep their places in it."""


class RoundPaired(Struct, frozen=True, omit_defaults=True):
    """The tables that follow from the drawing were computed. Nothing is announced yet."""

    round: int
    position: int
    """Position of the drawing in the log."""
    root: str
    """Root of the log up to and with the drawing, hexadecimal."""
    signed: bool
    """Whether a key has signed that root."""
    seed: str
    tables: tuple[PairedTable, ...]
    byes: tuple[str, ...] = ()
    relaxed: tuple[Relaxation, ...] = ()
    commitments: tuple[SeedCommitment, ...] = ()
    """The commitments whose bytes the drawing asked for, ordered by the ids as bytes."""
    contributions: tuple[SeedContribution, ...] = ()
    """The bytes that are in the seed, ordered by the ids as bytes."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The groups, each in the order of the pots, if this round draws them."""
    bracket: tuple[str, ...] = ()
    """Who has which place of the bracket, from place 1 on, if this round begins the knock-out."""
    third_place_bye: str | None = None
    """Who has the third place because nobody can play for it against them."""


class OpenedAt(Struct, frozen=True):
    """A match that was opened at a table."""

    table: int
    match: str


class RoundPublished(Struct, frozen=True, omit_defaults=True):
    """The tables were announced, and their matches opened. The match of a fixture opens when play begins."""

    round: int
    matches: tuple[OpenedAt, ...] = ()


class RoundWithdrawn(Struct, frozen=True):
    """A published round was withdrawn, and its matches voided. It counts for nothing and is drawn anew."""

    round: int
    reason: str


class FixtureOpened(Struct, frozen=True):
    """Play began at a table of `fixtures`, and its match was opened."""

    round: int
    table: int
    match: str


class GameOpened(Struct, frozen=True):
    """The next match of a tie was opened, because the one before has a result and the tie has none."""

    round: int
    table: int
    game: int
    """From 1."""
    match: str


class ChangedTable(Struct, frozen=True, omit_defaults=True):
    """A table that somebody paired by hand."""

    table: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side, by seat."""
    match: str | None
    """The new match; None if the table had no match yet."""
    relaxed: tuple[Relaxation, ...] = ()
    """Says that the series had locked the two sides; otherwise empty."""


class PairingsChanged(Struct, frozen=True):
    """Somebody paired tables by hand before play began there."""

    round: int
    tables: tuple[ChangedTable, ...]
    byes: tuple[str, ...]
    """All competitors who sit out now."""
    reason: str


class AbsenceClaimed(Struct, frozen=True):
    """A side said that the other one did not come. It is pending until that side or an organiser confirms it."""

    round: int
    table: int
    side: int
    """The side that is said to be absent."""


class AbsenceRecorded(Struct, frozen=True, omit_defaults=True):
    """One side, or both, did not come to a table."""

    round: int
    table: int
    sides: tuple[int, ...]
    game: int = 1
    """The first game of a tie to which they did not come. They lose all games that nobody has won at the table."""


class MatchReplaced(Struct, frozen=True, omit_defaults=True):
    """A table got another match, because its match was voided or an absent side came after all."""

    round: int
    table: int
    match: str
    reason: str
    game: int = 1
    """The game of a tie to which the match belongs."""


class RoundClosed(Struct, frozen=True):
    """The round was closed."""

    round: int


class TournamentEnded(Struct, frozen=True):
    """The tournament ended. Its standing is final, except for corrections of results."""


TournamentEvent = (
    TournamentPlanned
    | PlanChanged
    | CompetitorEntered
    | CompetitorCheckedIn
    | CompetitorWithdrew
    | CompetitorReturned
    | ByeRequested
    | ByeTakenBack
    | SeedCommitted
    | SeedContributed
    | RoundDrawn
    | RoundPaired
    | RoundPublished
    | RoundWithdrawn
    | FixtureOpened
    | GameOpened
    | PairingsChanged
    | AbsenceClaimed
    | AbsenceRecorded
    | MatchReplaced
    | RoundClosed
    | TournamentEnded
)
