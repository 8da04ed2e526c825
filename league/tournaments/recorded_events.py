"""The lines of the exports of tournaments, and the events that a recorded tournament's lines stand for.

`league verify-round` and the import of recorded seasons read these lines (`docs/exports.md`).
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from league.domain.rules import Competition, Mode
from league.domain.seating import competitor_of
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import (
    PairedTable,
    PlacedCompetitor,
    Relaxation,
    RoundPairings,
    SeedCommitment,
    SeedContribution,
    as_ranked,
)
from league.tournaments.domain.outcomes import TableStatus
from league.tournaments.domain.plan import Format, Plan, RulesVersion, TieBreak, Withdrawals, players_of_competitor
from league.tournaments.domain.state import RoundStatus, Status
from league.tournaments.pairing import pair

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

    named_by = ("round", "drawing", "place")
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

    @property
    def place(self) -> str | int | None:
        """The number of the table, or the competitor who sits out."""
        return "+".join(self.sides[0]) if self.table is None and self.sides else self.table

    @property
    def sits_out(self) -> bool:
        """Whether it is a bye for which nobody asked."""
        return self.table is None and self.status != "requested_bye"

    @property
    def may_lack_match(self) -> bool:
        """Whether the league may lack its match."""
        return self.status in WITHOUT_MATCH


# ---------------------------------------------------------------- from lines to events


BY_HAND = "recorded"
"""The reason of tables that were paired by hand, and of rounds that were drawn again or withdrawn: no line has it."""


class RecordedTournament(Struct, frozen=True):
    """All lines of one recorded tournament."""

    tournament: TournamentLine
    entries: Sequence[EntryLine]
    rounds: Sequence[RoundLine]
    pairings: Sequence[PairingLine]

    @property
    def entered(self) -> set[str]:
        """The ids of the competitors."""
        return {one.id for one in self.entries}

    @property
    def announced(self) -> set[tuple[int, int | None]]:
        """Rounds and drawings whose tables were announced."""
        return {(one.round, one.drawing) for one in self.rounds if one.is_announced}

    @property
    def began_at(self) -> datetime | None:
        """When the first round that counts was published."""
        times = (one.published_at for one in self.rounds if one.counts and one.published_at is not None)
        return min(times, default=None)

    @property
    def ended_at(self) -> datetime | None:
        """The latest time in the lines; None if they have no time."""
        return max(self._times(), default=None)

    def planned_at(self, now: datetime) -> datetime:
        """The earliest time in the lines, or else `now`."""
        return min(self._times(), default=now)

    def of_round(self, line: RoundLine) -> list[PairingLine]:
        """The pairings of a drawing: its tables by number, then those who sit out."""
        ours = [one for one in self.pairings if (one.round, one.drawing) == (line.round, line.drawing)]
        return sorted(ours, key=lambda one: (one.table is None, one.table or 0))

    def _times(self) -> Iterator[datetime]:
        for entry in self.entries:
            yield entry.entered_at
            if entry.withdrawn_at is not None:
                yield entry.withdrawn_at
        for of in self.rounds:
            if of.published_at is not None:
                yield of.published_at


class RecordedStep(Struct, frozen=True):
    """Events that happened together."""

    at: datetime
    events: tuple[e.TournamentEvent, ...]


def steps_of(recorded: RecordedTournament, now: datetime) -> list[RecordedStep]:
    """The events that a recorded tournament stands for, in the order of time."""
    planned_at = recorded.planned_at(now)
    last = recorded.ended_at or now
    steps = [*_entries(recorded), *_rounds(recorded, last)]
    steps.sort(key=lambda step: step.at)  # stable: at one time entries come before rounds
    ended: list[RecordedStep] = []
    if recorded.tournament.status == "ended":
        ended = [RecordedStep(last, (e.TournamentEnded(),))]
    return [RecordedStep(planned_at, (e.TournamentPlanned(recorded.tournament.plan),)), *steps, *ended]


def _entries(recorded: RecordedTournament) -> Iterator[RecordedStep]:
    there = {one.id for of in recorded.rounds for one in of.input} if recorded.tournament.plan.check_in else set()
    for line in recorded.entries:
        entered = e.CompetitorEntered(line.id, line.players, line.region, line.fixed_table, line.replaces)
        arrived = (e.CompetitorCheckedIn(line.id),) if line.checked_in or line.id in there else ()
        yield RecordedStep(line.entered_at, (entered, *arrived))
    for line in recorded.entries:
        if line.withdrawn_at is not None:
            yield RecordedStep(line.withdrawn_at, (e.CompetitorWithdrew(line.id),))


def _rounds(recorded: RecordedTournament, last: datetime) -> Iterator[RecordedStep]:
    """The events of the rounds. A drawing that was dropped happens together with the next one of its round.

    A round that is not published happens last.
    """
    earlier: list[e.TournamentEvent] = []
    for line in in_order(recorded.rounds):
        earlier += _round(recorded, line)
        if line.status != "dropped":
            yield RecordedStep(line.published_at or last, tuple(earlier))
            earlier = []
    if earlier:
        yield RecordedStep(last, tuple(earlier))


def in_order(rounds: Sequence[RoundLine]) -> list[RoundLine]:
    """The lines in the order of rounds and drawings."""
    return sorted(rounds, key=lambda one: (one.round, one.drawing or 1))


def _round(recorded: RecordedTournament, line: RoundLine) -> Iterator[e.TournamentEvent]:
    """The events of one drawing of a round."""
    ours, before = recorded.of_round(line), _before(recorded, line)
    known = before.drawing or 1 if before is not None else 0
    # A drawing without a line was dropped before its tables were computed, so nobody knows its inputs.
    yield from [e.RoundDrawn(line.round, ())] * ((line.drawing or 1) - known - 1)
    asked_before = () if before is None else _requested(recorded.of_round(before))
    yield from (e.ByeTakenBack(id_, line.round) for id_ in asked_before)
    yield from (e.ByeRequested(id_, line.round) for id_ in _requested(ours))
    drawn = _drawn(recorded, line, ours)
    is_again = (line.drawing or 1) > 1 and (before is None or before.status != "withdrawn")
    yield replace(drawn, again=BY_HAND) if is_again else drawn
    yield _paired(recorded, line, ours)
    if line.is_announced:
        yield from _published(recorded, line, ours)
    if line.status == "withdrawn":
        yield e.RoundWithdrawn(line.round, BY_HAND)
    elif line.status == "closed":
        yield e.RoundClosed(line.round)


def _before(recorded: RecordedTournament, line: RoundLine) -> RoundLine | None:
    """The line of the drawing of the same round before this one."""
    ours = [one for one in in_order(recorded.rounds) if one.round == line.round]
    at = ours.index(line)
    return ours[at - 1] if at else None


def _drawn(recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]) -> e.RoundDrawn:
    meetings = None
    if _has_meetings(recorded, ours):
        sides = [_competitors(recorded, one) for one in ours if one.table is not None]
        meetings = tuple((first[0], second[0]) for first, second in sides)
    return e.RoundDrawn(
        line.round, as_ranked(line.input), line.locked, line.fixed, meetings, line.day, line.until,
        requested=tuple(_requested(ours)),
    )  # fmt: skip


def _requested(ours: Sequence[PairingLine]) -> list[str]:
    """The competitors who asked for a bye of the round, ordered by id."""
    asked = [competitor_of(one.sides[0]) for one in ours if one.status == "requested_bye"]
    return sorted(asked, key=str.encode)


def _paired(recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]) -> e.RoundPaired:
    if line.status == "dropped":
        paired = RoundPairings(())  # nobody needs its tables
    elif line.status == "drawn":
        paired = _held_back(recorded, line, ours)
    else:
        of_tables = [one for one in ours if one.table is not None]
        byes = [one for one in ours if one.sits_out]
        relaxed = dict.fromkeys(one for bye in byes for one in bye.relaxed)
        paired = RoundPairings(
            tuple(PairedTable(one.table or 0, _competitors(recorded, one), one.relaxed) for one in of_tables),
            tuple(competitor_of(one.sides[0]) for one in byes),
            tuple(relaxed),
        )
    return e.RoundPaired(
        line.round, line.position, line.root, line.signed, line.seed, paired.tables, paired.byes, paired.relaxed,
        line.commitments, line.contributions,
    )  # fmt: skip


def _held_back(recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]) -> RoundPairings:
    """The tables of a round that is not published. No line has them, but they follow from its inputs."""
    first = next((one for one in recorded.rounds if one.round == 1 and one.counts), line)
    drawing = _drawn(recorded, line, ours)
    return pair(recorded.tournament.plan, drawing, line.seed, tuple(one.id for one in first.input))


def _published(
    recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]
) -> Iterator[e.TournamentEvent]:
    tables = [one for one in ours if one.table is not None]
    changed = [] if _has_meetings(recorded, ours) else [one for one in tables if one.by_hand]
    opened = [e.OpenedAt(one.table, one.match) for one in tables if one.match and one.table and one not in changed]
    yield e.RoundPublished(line.round, tuple(opened))
    if changed:
        new = [e.ChangedTable(one.table or 0, _competitors(recorded, one), one.match, one.relaxed) for one in changed]
        byes = tuple(competitor_of(one.sides[0]) for one in ours if one.sits_out)
        yield e.PairingsChanged(line.round, tuple(new), byes, BY_HAND)
    for one in tables:
        if one.table is not None and one.status == "walkover" and one.winner is not None:
            yield e.AbsenceRecorded(line.round, one.table, (1 - one.winner,))
        elif one.table is not None and one.status == "double_absence":
            yield e.AbsenceRecorded(line.round, one.table, (0, 1))


def _has_meetings(recorded: RecordedTournament, ours: Sequence[PairingLine]) -> bool:
    """Whether a person entered the meetings of this round of `fixtures`."""
    tables = [one for one in ours if one.table is not None]
    return recorded.tournament.plan.format == "fixtures" and bool(tables) and all(one.by_hand for one in tables)


def _competitors(recorded: RecordedTournament, line: PairingLine) -> tuple[tuple[str, ...], tuple[str, ...]]:
    first, second = line.sides
    return competitors_of(first, recorded.tournament.plan), competitors_of(second, recorded.tournament.plan)


def competitors_of(players: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """The competitors of a side: its players, or the pair in a tournament of fixed pairs."""
    return players if players_of_competitor(plan) == 1 else (competitor_of(players),)
