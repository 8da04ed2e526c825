"""The state of a tournament, folded from its events. Results are not part of it: they come from its matches."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import (
    Relaxation,
    SeedCommitment,
    SeedContribution,
    SeedPromise,
    asked,
    counting_promise,
    placed,
)
from league.tournaments.domain.plan import Plan, but_rounds, plan_hash

Status = Literal["planned", "running", "ended"]
RoundStatus = Literal["drawn", "dropped", "published", "withdrawn", "closed"]


class CompetitorEntry(Struct, frozen=True):
    """A competitor who has entered: a player, or a pair whose id is `a+b`."""

    id: str
    players: tuple[str, ...]
    entered_at: datetime
    region: str | None = None
    fixed_table: int | None = None
    replaces: str | None = None
    checked_in: bool = False
    withdrawn_at: datetime | None = None
    requested_byes: tuple[int, ...] = ()
    """The rounds for which they asked for a bye, in ascending order."""


class TableOfRound(Struct, frozen=True):
    """A table of a round, with all matches that it has had."""

    number: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side."""
    relaxed: tuple[Relaxation, ...] = ()
    matches: tuple[str, ...] = ()
    """Ids of its matches. Only the latest one counts."""
    absent: tuple[int, ...] = ()
    """The sides that did not come, or had left when the round was drawn."""
    claimed: tuple[int, ...] = ()
    """The sides of which the other side says that they did not come. It decides nothing until it is confirmed."""
    by_hand: bool = False
    withdrawn: bool = False
    """Whether its round was withdrawn. Then the table counts for nothing."""

    @property
    def match(self) -> str | None:
        """The match that counts: the latest one. None if no match was opened."""
        return self.matches[-1] if self.matches else None

    @property
    def competitors(self) -> tuple[str, ...]:
        """The competitors of both sides."""
        return (*self.sides[0], *self.sides[1])

    @property
    def is_locked(self) -> bool:
        """Whether the series had locked the two sides when the table was drawn, or paired by hand."""
        return any(one.criterion == "series" for one in self.relaxed)


class RoundState(Struct, frozen=True):
    """A round as one of its drawings made it, usually the last one."""

    number: int
    drawings: int
    """How many times the round was drawn, up to and with this drawing: the number of the drawing, from 1."""
    status: RoundStatus = "drawn"
    drawing: e.RoundDrawn | None = None
    """The last drawing; None once the round is published."""
    plan_hash: str = ""
    """Hash of the plan at the drawing, without its number of rounds. The tables follow from that plan."""
    position: int | None = None
    """Position of its last drawing in the log; None until it is paired."""
    root: str | None = None
    """Root of the log up to and with that drawing, hexadecimal; None until the round is paired."""
    signed: bool = False
    seed: str = ""
    order: tuple[str, ...] = ()
    """Ids of the competitors who were available, in the order of their places."""
    tables: tuple[TableOfRound, ...] = ()
    byes: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()
    """Competitors who asked for a bye of the round, ordered by id. They are not among `byes`."""
    relaxed: tuple[Relaxation, ...] = ()
    """Criteria that gave way for those who sit out."""
    day: date | None = None
    until: date | None = None
    published_at: datetime | None = None
    commitments: tuple[SeedCommitment, ...] = ()
    """The commitments whose bytes its last drawing asks for, ordered by the ids as bytes."""
    contributions: tuple[SeedContribution, ...] = ()
    """The bytes that came, ordered by the ids as bytes."""
    asked_at: datetime | None = None
    """When the round was drawn and devices were asked for their bytes, if any; None once the round is paired."""
    reason: str | None = None
    """Why the drawing was dropped or the round withdrawn; None if a person gave no reason, or if neither happened."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Competitors whose bytes were asked for and did not come."""
        given = {one.id for one in self.contributions}
        return tuple(one.id for one in self.commitments if one.id not in given)

    def not_drawn(self, table: TableOfRound) -> tuple[int, ...]:
        """The sides of one of its tables whose competitors had left when it was drawn."""
        return _not_drawn(table.sides, self.order)

    def table(self, number: int) -> TableOfRound | None:
        """The table with this number, or None."""
        return next((table for table in self.tables if table.number == number), None)


class TournamentState(Struct, frozen=True):
    """A tournament, with everything that its commands need to know except the results of its matches."""

    id: str
    version: int = 0
    plan: Plan | None = None
    entries: dict[str, CompetitorEntry] = {}
    rounds: tuple[RoundState, ...] = ()
    """Each round as its last drawing made it, in order. Only the last round can be drawn or withdrawn."""
    former: tuple[RoundState, ...] = ()
    """Earlier drawings of rounds that were drawn again, in the order of the log: each is `dropped` or `withdrawn`."""
    ended: bool = False
    promises: dict[str, tuple[SeedPromise, ...]] = {}
    """Unspent commitments by competitor, the oldest first."""
    committed: frozenset[str] = frozenset()
    """Every commitment ever made in this tournament, including spent ones."""

    @property
    def known_plan(self) -> Plan:
        """The plan. Every tournament with events has one."""
        assert self.plan is not None, "it is planned"
        return self.plan

    @property
    def drawings(self) -> int:
        """How many drawings there were, over all rounds."""
        return sum(of.drawings for of in self.rounds)

    @property
    def published(self) -> tuple[RoundState, ...]:
        """The rounds whose tables are announced and count, including closed ones."""
        return tuple(one for one in self.rounds if one.status in {"published", "closed"})

    @property
    def status(self) -> Status:
        """How far the tournament has come."""
        if self.ended:
            return "ended"
        return "running" if self.published else "planned"

    @property
    def next_round(self) -> int:
        """The number of the round that is published next: one that is drawn or withdrawn, or else a new one."""
        return len(self.published) + 1

    def round(self, number: int) -> RoundState | None:
        """The round with this number, or None if it is not drawn yet."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def drawings_of(self, number: int) -> list[RoundState]:
        """The round with this number as each of its drawings made it, in their order."""
        return [one for one in (*self.former, *self.rounds) if one.number == number]

    def available(self) -> list[CompetitorEntry]:
        """The competitors who can play the next round, ordered by id. Those who asked for a bye of it cannot."""
        asks = self.known_plan.check_in
        return [
            entry
            for entry in self._taking_part()
            if self.next_round not in entry.requested_byes and (entry.checked_in or not asks)
        ]

    def requested(self) -> tuple[str, ...]:
        """Ids of the competitors who asked for a bye of the next round, in ascending order. Who withdrew has none."""
        return tuple(entry.id for entry in self._taking_part() if self.next_round in entry.requested_byes)

    def _taking_part(self) -> list[CompetitorEntry]:
        ordered = sorted(self.entries.values(), key=lambda entry: entry.id.encode())
        return [entry for entry in ordered if entry.withdrawn_at is None]

    def promise(self, competitor: str) -> SeedPromise | None:
        """The commitment of a competitor that counts in the next drawing, or None.

        The next drawing is one of the next round. If the last round is not published, or is withdrawn, it draws that
        again.
        """
        again = self.round(self.next_round) is not None
        return counting_promise(self.promises.get(competitor, ()), self.drawings, again=again)

    def players(self) -> set[str]:
        """All players who entered, alone or in a pair."""
        return {player for entry in self.entries.values() for player in entry.players}

    def tables(self) -> Iterator[tuple[RoundState, TableOfRound]]:
        """The tables of all published rounds, each with its round."""
        for one in self.published:
            for table in one.tables:
                yield one, table

    def matches(self) -> list[str]:
        """Ids of the matches that count at tables of published rounds."""
        return [table.match for _, table in self.tables() if table.match is not None]


def evolve(  # noqa: C901, PLR0911, PLR0912  # one return for each event
    state: TournamentState, event: Any, when: datetime
) -> TournamentState:
    """The state after an event that was recorded at `when`."""
    state = replace(state, version=state.version + 1)
    match event:
        case e.TournamentPlanned() | e.PlanChanged():
            return replace(state, plan=event.plan)
        case e.CompetitorEntered():
            entry = CompetitorEntry(
                event.competitor, event.players, when, event.region, event.fixed_table, event.replaces
            )
            return _with_entry(state, entry)
        case e.CompetitorCheckedIn():
            return _with_entry(state, replace(state.entries[event.competitor], checked_in=True))
        case e.CompetitorWithdrew():
            return _with_entry(state, replace(state.entries[event.competitor], withdrawn_at=when))
        case e.CompetitorReturned():
            return _with_entry(state, replace(state.entries[event.competitor], withdrawn_at=None))
        case e.ByeRequested():
            return _with_entry(state, _asking(state.entries[event.competitor], event.round))
        case e.ByeTakenBack():
            return _with_entry(state, _playing(state.entries[event.competitor], event.round))
        case e.SeedCommitted():
            mine = (*state.promises.get(event.competitor, ()), SeedPromise(event.commitment, state.drawings))
            promises = {**state.promises, event.competitor: mine}
            return replace(state, promises=promises, committed=state.committed | {event.commitment})
        case e.SeedContributed():
            return _with_round(state, _contributed(_round(state, event.round), event))
        case e.RoundDrawn():
            return _drawn(state, event, when)
        case e.RoundPaired():
            return _with_round(state, _paired(_round(state, event.round), event))
        case e.RoundPublished():
            return _with_round(state, _published(_round(state, event.round), event, when))
        case e.RoundWithdrawn():
            return _with_round(state, _withdrawn(_round(state, event.round), event))
        case e.FixtureOpened():
            return _with_match(state, event.round, event.table, event.match)
        case e.PairingsChanged():
            return _with_round(state, _changed(_round(state, event.round), event))
        case e.AbsenceClaimed():
            of = _round(state, event.round)
            table = _table(of, event.table)
            claimed = tuple(sorted({*table.claimed, event.side}))
            return _with_round(state, _with_table(of, replace(table, claimed=claimed)))
        case e.AbsenceRecorded():
            of = _round(state, event.round)
            table = replace(_table(of, event.table), absent=event.sides, claimed=())
            return _with_round(state, _with_table(of, table))
        case e.MatchReplaced():
            return _with_match(state, event.round, event.table, event.match)
        case e.RoundClosed():
            return _with_round(state, replace(_round(state, event.round), status="closed"))
        case e.TournamentEnded():
            return replace(state, ended=True)
    raise TypeError(event)


def _asking(entry: CompetitorEntry, number: int) -> CompetitorEntry:
    return replace(entry, requested_byes=tuple(sorted({*entry.requested_byes, number})))


def _playing(entry: CompetitorEntry, number: int) -> CompetitorEntry:
    return replace(entry, requested_byes=tuple(one for one in entry.requested_byes if one != number))


def _drawn(state: TournamentState, event: e.RoundDrawn, when: datetime) -> TournamentState:
    """The state after a drawing, which spends the commitments that count in it: it asks for their bytes."""
    before, ids = state.round(event.round), (one.id for one in event.competitors)
    found, left = asked(state.promises, ids, state.drawings, again=before is not None)
    drawn = RoundState(
        event.round,
        1 if before is None else before.drawings + 1,
        "drawn",
        event,
        plan_hash(but_rounds(state.known_plan)),
        requested=event.requested,
        day=event.day,
        until=event.until,
        commitments=tuple(SeedCommitment(id_, None, promise.commitment) for id_, promise in found.items()),
        asked_at=when,
    )
    former = state.former if before is None else (*state.former, _former(before, event))
    return _with_round(replace(state, promises=left, former=former), drawn)


def _former(before: RoundState, event: e.RoundDrawn) -> RoundState:
    """An earlier drawing of a round that is drawn again, without what nobody needs of it any more."""
    if before.status == "withdrawn":
        return replace(before, order=())
    return replace(
        before, status="dropped", drawing=None, order=(), tables=(), byes=(), relaxed=(), asked_at=None,
        reason=event.again,
    )  # fmt: skip


def _contributed(of: RoundState, event: e.SeedContributed) -> RoundState:
    given = (*of.contributions, SeedContribution(event.competitor, event.contribution))
    return replace(of, contributions=tuple(sorted(given, key=lambda one: one.id.encode())))


def _paired(of: RoundState, event: e.RoundPaired) -> RoundState:
    assert of.drawing is not None, "it is drawn"
    order = tuple(one.id for one in placed(of.drawing.competitors, event.seed))
    tables = tuple(
        TableOfRound(table.number, table.sides, table.relaxed, absent=_not_drawn(table.sides, order))
        for table in event.tables
    )
    return replace(
        of,
        position=event.position,
        root=event.root,
        signed=event.signed,
        seed=event.seed,
        order=order,
        tables=tables,
        byes=event.byes,
        relaxed=event.relaxed,
        commitments=event.commitments,
        contributions=event.contributions,
        asked_at=None,
    )


def _not_drawn(sides: tuple[tuple[str, ...], tuple[str, ...]], order: tuple[str, ...]) -> tuple[int, ...]:
    """The sides that were not drawn: in a round robin, those who had left."""
    return tuple(side for side in (0, 1) if not set(sides[side]) <= set(order))


def _published(of: RoundState, event: e.RoundPublished, when: datetime) -> RoundState:
    matches = {opened.table: opened.match for opened in event.matches}
    tables = tuple(
        replace(table, matches=(matches[table.number],)) if table.number in matches else table for table in of.tables
    )
    return replace(of, status="published", drawing=None, tables=tables, published_at=when)


def _withdrawn(of: RoundState, event: e.RoundWithdrawn) -> RoundState:
    tables = tuple(replace(table, withdrawn=True) for table in of.tables)
    return replace(of, status="withdrawn", tables=tables, reason=event.reason)


def _changed(of: RoundState, event: e.PairingsChanged) -> RoundState:
    for changed in event.tables:
        matches = _table(of, changed.table).matches
        if changed.match is not None:
            matches = (*matches, changed.match)
        of = _with_table(of, TableOfRound(changed.table, changed.sides, changed.relaxed, matches, by_hand=True))
    return replace(of, byes=event.byes)


def _round(state: TournamentState, number: int) -> RoundState:
    return state.rounds[number - 1]


def _table(of: RoundState, number: int) -> TableOfRound:
    table = of.table(number)
    assert table is not None, "the decider knew the table"
    return table


def _with_entry(state: TournamentState, entry: CompetitorEntry) -> TournamentState:
    return replace(state, entries={**state.entries, entry.id: entry})


def _with_round(state: TournamentState, changed: RoundState) -> TournamentState:
    at = changed.number - 1
    return replace(state, rounds=(*state.rounds[:at], changed, *state.rounds[at + 1 :]))


def _with_table(of: RoundState, changed: TableOfRound) -> RoundState:
    return replace(
        of, tables=tuple(changed if table.number == changed.number else table for table in of.tables)
    )  # fmt: skip


def _with_match(state: TournamentState, number: int, table: int, match: str) -> TournamentState:
    of = _round(state, number)
    now = _table(of, table)
    return _with_round(state, _with_table(of, replace(now, matches=(*now.matches, match), absent=(), claimed=())))
