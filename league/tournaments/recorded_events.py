"""The events that a recorded tournament's lines stand for, and what its earlier rounds decided for later ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from league.domain.seating import competitor_of
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import (
    PairedTable,
    PlacedCompetitor,
    RoundPairings,
    Schedule,
    as_ranked,
)
from league.tournaments.domain.plan import (
    WITH_KNOCKOUT,
    Plan,
    players_of_competitor,
)
from league.tournaments.pairing import pair
from league.tournaments.recorded_knockouts import left_at_tables, misfit
from league.tournaments.recorded_lines import EntryLine, PairingLine, RoundLine, TournamentLine


def same_inputs(written: Sequence[PlacedCompetitor], known: Sequence[PlacedCompetitor]) -> bool:
    """Whether inputs are those of a drawing. Older exports lack ranks and ratings, so these are compared if written."""
    if all(one.rank is None for one in written):
        known = [replace(one, rank=None, rating=None) for one in known]
    return list(written) == list(known)


def schedule_of(plan: Plan, earlier: Iterable[RoundLine]) -> Schedule:
    """What these rounds, each in its last drawing, decided for a later round. Without an order if there are none."""
    schedule = Schedule(())
    for line in sorted(earlier, key=lambda one: one.round):
        if line.round > 1 and (plan.format not in WITH_KNOCKOUT or schedule.bracket):
            break
        if misfit(plan, line, schedule) is not None:
            break
        drawing = e.RoundDrawn(line.round, as_ranked(line.input), line.locked, line.fixed)
        decided = pair(plan, drawing, line.seed, schedule) if plan.format in WITH_KNOCKOUT else RoundPairings(())
        order = schedule.order or tuple(one.id for one in line.input)
        schedule = Schedule(order, schedule.groups or decided.groups, decided.bracket)
    return schedule


# ---------------------------------------------------------------- from lines to events


BY_HAND = "recorded"
"""The reason of tables that were paired by hand, and of rounds that were drawn again or withdrawn: no line has it."""


class RecordedTournament(Struct, frozen=True, dict=True):
    """All lines of one recorded tournament. What its rounds decided for later ones is computed once."""

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

    def schedule(self, before: RoundLine) -> Schedule:
        """What the rounds before this one decided for it."""
        if before.round not in self._schedules:
            earlier = [one for one in self.rounds if one.counts and one.round < before.round]
            self._schedules[before.round] = schedule_of(self.tournament.plan, earlier)
        return self._schedules[before.round]

    @cached_property
    def _schedules(self) -> dict[int, Schedule]:
        return {}

    def of_round(self, line: RoundLine) -> list[PairingLine]:
        """The pairings of a drawing: its tables by number, then those who sit out."""
        ours = [one for one in self.pairings if (one.round, one.drawing) == (line.round, line.drawing)]
        return sorted(ours, key=lambda one: (one.table is None, one.table or 0, one.game or 0))

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
    # Older exports lack drawings that were dropped before their tables were computed, so nobody knows their inputs.
    yield from [e.RoundDrawn(line.round, ())] * ((line.drawing or 1) - known - 1)
    asked_before = () if before is None else _requested(recorded, before)
    yield from (e.ByeTakenBack(id_, line.round) for id_ in asked_before)
    yield from (e.ByeRequested(id_, line.round) for id_ in _requested(recorded, line))
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
        requested=tuple(_requested(recorded, line)), left=tuple(_left(recorded, line, ours)),
    )  # fmt: skip


def _left(recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]) -> list[str]:
    """Who is through in a knock-out and was not drawn, because they had withdrawn, ordered by id.

    Most of them are at a table. Who has no opponent is at none.
    """
    if line.stage != "knockout":
        return []
    gone = _through(recorded, line, ours) - {one.id for one in line.input}
    return sorted({*left_at_tables(line, ours), *gone}, key=str.encode)


def _through(recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]) -> set[str]:
    """Who won a tie or had a bye in the round of a knock-out before this line.

    If the tie was corrected later, they are who has won it by now and had withdrawn before this round.
    """
    counting = {(one.round, one.drawing) for one in recorded.rounds if one.counts and one.stage == "knockout"}
    before = [one for one in recorded.pairings if one.round == line.round - 1 and not one.third_place]
    ties: dict[int | str | None, list[PairingLine]] = defaultdict(list)
    for one in sorted(before, key=lambda one: one.game or 1):
        if (one.round, one.drawing) in counting:
            ties[one.place].append(one)
    until = line.published_at
    times = {one.id: one.withdrawn_at for one in recorded.entries if one.withdrawn_at is not None}
    withdrawn = {id_ for id_, at in times.items() if until is None or at <= until}
    play_on = {competitor_of(side) for one in ours if not one.third_place for side in one.sides}
    found = set[str]()
    for games in ties.values():
        last, both_absent = games[-1], any(one.status == "double_absence" for one in games)
        if last.sits_out or (last.winner is not None and not both_absent):
            id_ = competitor_of(last.sides[last.winner or 0])
            if play_on.intersection(map(competitor_of, last.sides)) - {id_}:
                continue  # it was corrected between drawing and publication of this round: the other one plays on
            if id_ in withdrawn or not any(one.corrected for one in games):
                found.add(id_)
    return found


def _requested(recorded: RecordedTournament, line: RoundLine) -> list[str]:
    """The competitors who asked for a bye of the round, ordered by id.

    No line says so before the round is published. Who was not drawn may as well have withdrawn and returned.
    """
    asked = {competitor_of(one.sides[0]) for one in recorded.of_round(line) if one.status == "requested_bye"}
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
        third = next((competitor_of(one.sides[0]) for one in byes if one.third_place), None)
        # A round that was withdrawn may have been drawn under another plan, which no line has.
        is_unfit = misfit(recorded.tournament.plan, line, recorded.schedule(line)) is not None
        decided = RoundPairings(()) if line.stage is None or is_unfit else _held_back(recorded, line, ours)
        paired = RoundPairings(
            tuple(_paired_table(recorded, one, decided) for one in of_tables if one.is_first_game),
            tuple(competitor_of(one.sides[0]) for one in byes),
            tuple(relaxed),
            groups=decided.groups,
            bracket=decided.bracket,
            third_place_bye=third,
        )
    return e.RoundPaired(
        line.round, line.position, line.root, line.signed, line.seed, paired.tables, paired.byes, paired.relaxed,
        line.commitments, line.contributions, paired.groups, paired.bracket, paired.third_place_bye,
    )  # fmt: skip


def _paired_table(recorded: RecordedTournament, line: PairingLine, decided: RoundPairings) -> PairedTable:
    """A table as its line has it. How many games a tie has follows from the plan and the bracket."""
    best_of = next((one.best_of for one in decided.tables if one.number == line.table), None)
    sides = _competitors(recorded, line)
    return PairedTable(line.table or 0, sides, line.relaxed, line.group, best_of, line.third_place)


def _held_back(recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]) -> RoundPairings:
    """The tables of a round that is not published. No line has them, but they follow from its inputs."""
    drawing = _drawn(recorded, line, ours)
    return pair(recorded.tournament.plan, drawing, line.seed, recorded.schedule(line))


def _published(
    recorded: RecordedTournament, line: RoundLine, ours: Sequence[PairingLine]
) -> Iterator[e.TournamentEvent]:
    tables = [one for one in ours if one.table is not None]
    changed = [] if _has_meetings(recorded, ours) else [one for one in tables if one.by_hand]
    opened = [
        e.OpenedAt(one.table, one.match)
        for one in tables
        if one.match and one.table and one not in changed and one.is_first_game
    ]
    yield e.RoundPublished(line.round, tuple(opened))
    if changed:
        new = [e.ChangedTable(one.table or 0, _competitors(recorded, one), one.match, one.relaxed) for one in changed]
        byes = tuple(competitor_of(one.sides[0]) for one in ours if one.sits_out)
        yield e.PairingsChanged(line.round, tuple(new), byes, BY_HAND)
    for one in tables:
        if one.table is not None and one.game is not None and one.game > 1 and one.match is not None:
            yield e.GameOpened(line.round, one.table, one.game, one.match)
    absent: set[int] = set()
    for one in tables:
        if one.table is None or one.table in absent or one.status not in {"walkover", "double_absence"}:
            continue
        absent.add(one.table)
        sides = (0, 1) if one.winner is None else (1 - one.winner,)
        yield e.AbsenceRecorded(line.round, one.table, sides, one.game or 1)


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
