"""The lines of a recorded tournament: one for each row of the exports, with the columns of `docs/exports.md`."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

from league.domain.rules import Competition, Mode
from league.tournaments.domain.drawn import (
    PlacedCompetitor,
    Relaxation,
    SeedCommitment,
    SeedContribution,
)
from league.tournaments.domain.plan import (
    Format,
    Plan,
    RulesVersion,
    TieBreak,
    Withdrawals,
)
from league.tournaments.domain.results import TableStatus
from league.tournaments.domain.state import RoundStatus, Status

Moment = Annotated[datetime, Meta(tz=True)]
WITHOUT_MATCH: frozenset[str] = frozenset({"voided", "walkover", "double_absence"})
"""Statuses of tables whose match may be unknown. It was voided, and recorded seasons lack voided matches."""


class _ExportLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all lines. An unknown column is an error. Columns that follow from others may be missing."""

    tournament: str
    named_by: ClassVar[tuple[str, ...]] = ()
    """The fields that distinguish the line from other lines of its tournament in the same file."""

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that is unique among the lines of one file."""
        return (self.tournament, *(getattr(self, name) for name in self.named_by))


class RecordedAward(Struct, frozen=True, forbid_unknown_fields=True):
    """What a bye or a walkover gives."""

    won: bool
    for_: int = field(name="for")
    against: int


class TournamentLine(_ExportLine, frozen=True):
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
    bye: RecordedAward | None = None
    walkover: RecordedAward | None = None
    rounds: int | None = None
    requested_bye: RecordedAward | None = None
    difference_cap: int | None = None
    rules: RulesVersion | None = None
    withdrawals: Withdrawals | None = None
    settings: dict[str, Any] | None = None


class EntryLine(_ExportLine, frozen=True):
    """A line of `entries`."""

    named_by = ("id",)
    id: str
    entered_at: Moment
    withdrawn_at: Moment | None = None
    region: str | None = None
    checked_in: bool = False
    fixed_table: int | None = None
    replaces: str | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The player, or both players of a pair."""
        return tuple(self.id.split("+"))


class RoundLine(_ExportLine, frozen=True):
    """A line of `rounds`: one drawing of a round."""

    named_by = ("round", "drawing")
    round: int
    position: int
    root: str
    signed: bool
    seed: str
    input: tuple[PlacedCompetitor, ...]
    status: RoundStatus
    published_at: Moment | None = None
    drawing: int | None = None
    """The number of the drawing. Older exports lack it: they have the last drawing of each round only."""
    locked: tuple[tuple[str, str], ...] = ()
    fixed: dict[str, int] = {}
    day: date | None = None
    until: date | None = None
    stage: Literal["group", "knockout"] | None = None
    commitments: tuple[SeedCommitment, ...] = ()
    contributions: tuple[SeedContribution, ...] = ()

    @property
    def is_announced(self) -> bool:
        """Whether its tables were announced. They may have been withdrawn since."""
        return self.status not in {"drawn", "dropped"}

    @property
    def counts(self) -> bool:
        """Whether it is not dropped or withdrawn: then it is the last drawing of its round."""
        return self.status not in {"dropped", "withdrawn"}


class PairingLine(_ExportLine, frozen=True):
    """A line of `pairings`."""

    named_by = ("round", "drawing", "place", "game")
    round: int
    sides: tuple[tuple[str, ...], ...]
    table: int | None = None
    """Number of the table; None if the line is about a competitor who sits out."""
    match: str | None = None
    status: TableStatus | Literal["bye", "requested_bye"] = "scheduled"
    winner: int | None = None
    score: tuple[int, ...] | None = None
    relaxed: tuple[Relaxation, ...] = ()
    by_hand: bool = False
    counts: tuple[int, int] | None = None
    drawing: int | None = None
    """As in `RoundLine`."""
    annulled: bool | None = None
    group: int | None = None
    game: int | None = None
    third_place: bool = False
    corrected: bool = False

    @property
    def place(self) -> str | int | None:
        """The number of the table, or the competitor who sits out."""
        return "+".join(self.sides[0]) if self.table is None and self.sides else self.table

    @property
    def is_first_game(self) -> bool:
        """Whether it is the only line of its table, or the first one of a tie of several games."""
        return self.game in {None, 1}

    @property
    def sits_out(self) -> bool:
        """Whether it is a bye for which nobody asked."""
        return self.table is None and self.status != "requested_bye"

    @property
    def may_lack_match(self) -> bool:
        """Whether the league may lack its match."""
        return self.status in WITHOUT_MATCH
