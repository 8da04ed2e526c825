"""The state of a tournament, folded from its events. Results are not part of it: they come from its matches."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import (
    Relaxation,
    Schedule,
    SeedCommitment,
    SeedContribution,
    SeedPromise,
    counting_promise,
)
from league.tournaments.domain.plan import WITH_WITHDRAWALS, Plan

Status = Literal["planned", "running", "ended"]
RoundStatus = Literal["drawn", "dropped", "published", "withdrawn", "closed"]


class CompetitorEntry(Struct, frozen=True, gc=False):
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


class TableOfRound(Struct, frozen=True, gc=False):
    """A table of a round, with all matches that it has had."""

    number: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side."""
    relaxed: tuple[Relaxation, ...] = ()
    games: tuple[tuple[str, ...], ...] = ()
    """Ids of its matches by game. Only the latest one of a game counts. A tie of a knock-out may have several games.

    A game that is lost without play has no match. It is listed only if a later game has one.
    """
    absent: tuple[int, ...] = ()
    """The sides that did not come, or had left when the round was drawn. In a tie they lose the games that are left."""
    claimed: tuple[int, ...] = ()
    """The sides of which the other side says that they did not come. It decides nothing until it is confirmed."""
    by_hand: bool = False
    withdrawn: bool = False
    """Whether its round was withdrawn. Then the table counts for nothing."""
    group: int | None = None
    """The group that plays there, from 1; None outside of groups."""
    best_of: int | None = None
    """The most games of a tie of a knock-out; None outside of knock-outs."""
    third_place: bool = False
    """Whether the two play for the third place of a knock-out."""

    @property
    def matches(self) -> tuple[str, ...]:
        """Ids of all its matches, in their order."""
        return tuple(match for game in self.games for match in game)

    @property
    def by_game(self) -> dict[int, str]:
        """The match that counts of each game that has one, by the number of the game, from 1."""
        return {number: game[-1] for number, game in enumerate(self.games, 1) if game}

    @property
    def counting(self) -> tuple[str, ...]:
        """The matches that count: the latest one of each game."""
        return tuple(self.by_game.values())

    @property
    def match(self) -> str | None:
        """The latest match. None if no match was opened."""
        return self.games[-1][-1] if self.games else None

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
    left: tuple[str, ...] = ()
    """Competitors who are through in a knock-out and had withdrawn, ordered by id. They lose in this round."""
    relaxed: tuple[Relaxation, ...] = ()
    """Criteria that gave way for those who sit out."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The groups, each in the order of the pots, if this round drew them."""
    bracket: tuple[str, ...] = ()
    """Who has which place of the bracket, from place 1 on, if this round began the knock-out."""
    third_place_bye: str | None = None
    """Who has the third place because nobody could play for it against them. They are among `byes`."""
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
        return not_drawn(table.sides, self.order)

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
        """The competitors who can play the next round, ordered by id. Who asked for a bye of it cannot.

        In a round robin and in groups the first drawing decides all meetings, so nobody else can play afterwards.
        """
        asks = self.known_plan.check_in
        begun = self.published if self.known_plan.format in WITH_WITHDRAWALS else ()
        wanted = set(begun[0].order if begun else self.entries)
        return [
            entry
            for entry in self._taking_part()
            if entry.id in wanted and self.next_round not in entry.requested_byes and (entry.checked_in or not asks)
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
        return [match for _, table in self.tables() for match in table.counting]

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups, each in the order of the pots. Empty before the first round, and in formats without groups."""
        return self.published[0].groups if self.published else ()

    @property
    def knockout(self) -> tuple[RoundState, ...]:
        """The published rounds of the knock-out."""
        began = next((at for at, of in enumerate(self.published) if of.bracket), None)
        return () if began is None else self.published[began:]

    def schedule(self, before: int) -> Schedule:
        """What the rounds before this one decided for it."""
        earlier = [of for of in self.published if of.number < before]
        bracket = next((of.bracket for of in earlier if of.bracket), ())
        return Schedule(earlier[0].order, earlier[0].groups, bracket) if earlier else Schedule(())


def state_after(state: TournamentState, number: int) -> TournamentState:
    """A tournament as it was after a published round, until the next one was published.

    Who entered or left later has not done so yet.
    """
    until = next((of.published_at for of in state.published if of.number == number + 1), None)
    if until is None:
        return replace(state, rounds=state.rounds[:number])
    entries = {
        id_: replace(entry, withdrawn_at=None)
        if entry.withdrawn_at is not None and entry.withdrawn_at > until
        else entry
        for id_, entry in state.entries.items()
        if entry.entered_at <= until
    }
    return replace(state, entries=entries, rounds=state.rounds[:number], ended=False)


def not_drawn(sides: tuple[tuple[str, ...], tuple[str, ...]], order: tuple[str, ...]) -> tuple[int, ...]:
    """The sides that were not drawn: in a round robin, those who had left."""
    return tuple(side for side in (0, 1) if not set(sides[side]) <= set(order))
