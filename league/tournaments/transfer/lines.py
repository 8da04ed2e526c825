"""The lines of the exports of tournaments, as `verify-round` and recorded seasons read them (`docs/exports.md`)."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from league.domain.rules import Competition, Mode
from league.tournaments.domain.drawn import Commitment, Contribution, Drawn, Relaxed
from league.tournaments.domain.plan import Format, Plan, TieBreak
from league.tournaments.domain.standing import TableStatus
from league.tournaments.domain.state import RoundStatus, Status

Moment = Annotated[datetime, Meta(tz=True)]
WITHOUT_MATCH: frozenset[str] = frozenset({"voided", "walkover", "double_absence"})
"""Tables whose match may be unknown: it was voided, so that no recorded season has it."""


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all lines: an unknown column is an error, never ignored. Columns that follow from others may lack."""

    tournament: str


class Awarded(Struct, frozen=True, forbid_unknown_fields=True):
    """What a bye or a walkover gives."""

    won: bool
    for_: int = field(name="for")
    against: int


class TournamentLine(_Line, frozen=True):
    """A line of `tournaments`."""

    plan: Plan
    status: Status = "planned"
    name: str | None = None
    ruleset: str | None = None
    mode: Mode | None = None
    competition: Competition | None = None
    format: Format | None = None
    plan_hash: str | None = None
    tie_breaks: tuple[TieBreak, ...] | None = None
    score_cap: int | None = None
    bye: Awarded | None = None
    walkover: Awarded | None = None
    rounds: int | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What no other line has."""
        return (self.tournament,)


class EntryLine(_Line, frozen=True):
    """A line of `entries`."""

    id: str
    entered_at: Moment
    withdrawn_at: Moment | None = None
    region: str | None = None
    checked_in: bool = False
    fixed_table: int | None = None
    replaces: str | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What no other line has."""
        return (self.tournament, self.id)

    @property
    def players(self) -> tuple[str, ...]:
        """The player, or both players of a pair."""
        return tuple(self.id.split("+"))


class RoundLine(_Line, frozen=True):
    """A line of `rounds`."""

    round: int
    position: int
    root: str
    signed: bool
    seed: str
    input: tuple[Drawn, ...]
    status: RoundStatus
    published_at: Moment | None = None
    locked: tuple[tuple[str, str], ...] = ()
    fixed: dict[str, int] = {}
    day: date | None = None
    until: date | None = None
    commitments: tuple[Commitment, ...] = ()
    contributions: tuple[Contribution, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """What no other line has."""
        return (self.tournament, self.round)


class PairingLine(_Line, frozen=True):
    """A line of `pairings`."""

    round: int
    sides: tuple[tuple[str, ...], ...]
    table: int | None = None
    """None: they sit out."""
    match: str | None = None
    status: TableStatus | Literal["bye"] = "scheduled"
    winner: int | None = None
    score: tuple[int, int] | None = None
    relaxed: tuple[Relaxed, ...] = ()
    by_hand: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What no other line has."""
        place = "+".join(self.sides[0]) if self.table is None and self.sides else self.table
        return (self.tournament, self.round, place)

    @property
    def may_lack_match(self) -> bool:
        """Whether its match may be unknown."""
        return self.status in WITHOUT_MATCH
