"""Checks that the inputs of a round give its tables, from exports alone, without a server, a database or a key.

With the exported log it also checks that the log has these inputs, and that the seed follows from the log's root.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from league.domain.seating import CompetitorId, players_of
from league.domain.sentences import Sentence, say
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import (
    Relaxation,
    Schedule,
    SeedCommitment,
    SeedContribution,
    SeedPromise,
    as_ranked,
    asked,
    placed,
    seed_of,
    sides_of_players,
)
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import fits
from league.tournaments.domain.plan import WITH_KNOCKOUT, Plan, but_rounds, withdrawals_of
from league.tournaments.domain.state import RoundStatus
from league.tournaments.pairing import pair
from league.tournaments.recorded_events import competitors_of, same_inputs, schedule_of
from league.tournaments.recorded_knockouts import left_at_tables, misfit
from league.tournaments.recorded_lines import PairingLine, RoundLine, TournamentLine

# ---------------------------------------------------------------- rounds in an exported log


IMPORT = "import"
"""The source of events that came with a recorded season."""


class LoggedTournamentEvent(Struct, frozen=True):
    """An event of a tournament in an exported log."""

    tournament: str
    position: int
    event: e.TournamentEvent
    root: str = ""
    """Root of the log up to and with this event if it is a drawing, hexadecimal; otherwise empty."""
    source: str = ""
    """Source of the request that stored the event."""


class TableInLog(Struct, frozen=True):
    """A table as the log has it: as it was paired, or as somebody changed it by hand later."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side."""
    relaxed: tuple[Relaxation, ...]
    by_hand: bool


class LoggedPromise(SeedPromise, frozen=True):
    """A commitment in the log that no drawing has spent, with its position."""

    position: int


class DrawnElsewhere(Struct, frozen=True):
    """Where an imported round was drawn: in the log of another league, which this log cannot prove."""

    position: int
    root: str


class RoundInLog(Struct, frozen=True):
    """One drawing of a round as the log has it."""

    position: int
    root: str
    """Root of the log up to and with the drawing, hexadecimal."""
    drawing: e.RoundDrawn
    plan: Plan | None
    """The plan in force at the drawing."""
    tables: dict[int, TableInLog] = {}
    """Tables by number."""
    byes: tuple[str, ...] = ()
    is_published: bool = False
    is_withdrawn: bool = False
    number: int = 1
    """The number of the drawing, from 1."""
    commitments: tuple[SeedCommitment, ...] = ()
    """The commitments whose bytes the drawing asks for."""
    came: tuple[SeedContribution, ...] = ()
    """The bytes that were stored after the drawing and before the tables."""
    is_paired: bool = False
    elsewhere: DrawnElsewhere | None = None
    """Where it was drawn, if it came with an import."""


LoggedRounds = Mapping[tuple[str, int], Sequence[RoundInLog]]
"""The drawings of each round in their order, by tournament and number of the round."""


def rounds_in_log(logged: Iterable[LoggedTournamentEvent]) -> LoggedRounds:
    """The rounds that these events make."""
    plans: dict[str, Plan] = {}
    promised: dict[str, dict[str, tuple[LoggedPromise, ...]]] = defaultdict(dict)
    drawings = Counter[str]()
    found: dict[tuple[str, int], list[RoundInLog]] = defaultdict(list)
    # Tournaments with an event of this league. An import brings whole tournaments, so it adds nothing to these.
    held_here = set[str]()
    for one in logged:
        id_ = one.tournament
        if one.source != IMPORT:
            held_here.add(id_)
        match one.event:
            case e.TournamentPlanned() | e.PlanChanged():
                plans[id_] = one.event.plan
            case e.SeedCommitted():
                committed = LoggedPromise(one.event.commitment, drawings[id_], one.position)
                promised[id_][one.event.competitor] = (*promised[id_].get(one.event.competitor, ()), committed)
            case e.RoundDrawn():
                before = found[id_, one.event.round]
                ids = [drawn.id for drawn in one.event.competitors]
                spent, promised[id_] = asked(promised[id_], ids, drawings[id_], again=bool(before))
                drawings[id_] += 1
                drawn_now = RoundInLog(
                    one.position,
                    one.root,
                    one.event,
                    plans.get(id_),
                    number=len(before) + 1,
                    commitments=tuple(SeedCommitment(by, its.position, its.commitment) for by, its in spent.items()),
                )
                before.append(drawn_now)
            case e.RoundPaired() | e.RoundPublished() | e.RoundWithdrawn() | e.PairingsChanged() | e.SeedContributed():
                if of := found[id_, one.event.round]:
                    of[-1] = _after(of[-1], one.event)
                    if id_ not in held_here and isinstance(one.event, e.RoundPaired):
                        of[-1] = _imported(of[-1], one.event, one.position)
    return found


def _imported(of: RoundInLog, paired: e.RoundPaired, position: int) -> RoundInLog:
    """The round with what came from the other league, if its tables stand right after its drawing, as imports do."""
    if position != of.position + 1:
        return of
    there = DrawnElsewhere(paired.position, paired.root)
    return replace(of, elsewhere=there, commitments=paired.commitments, came=paired.contributions)


def _after(
    of: RoundInLog,
    event: e.RoundPaired | e.RoundPublished | e.RoundWithdrawn | e.PairingsChanged | e.SeedContributed,
) -> RoundInLog:
    match event:
        case e.SeedContributed():
            if event.drawing != of.number or of.is_paired:
                return of
            came = (*of.came, SeedContribution(event.competitor, event.contribution))
            return replace(of, came=tuple(sorted(came, key=lambda one: one.id.encode())))
        case e.RoundPaired():
            by_hand = of.drawing.meetings is not None
            tables = {table.number: TableInLog(table.sides, table.relaxed, by_hand) for table in event.tables}
            return replace(of, tables=tables, byes=event.byes, is_paired=True)
        case e.PairingsChanged():
            changed = {table.table: TableInLog(table.sides, table.relaxed, by_hand=True) for table in event.tables}
            return replace(of, tables={**of.tables, **changed}, byes=event.byes)
        case e.RoundPublished():
            return replace(of, is_published=True)
        case e.RoundWithdrawn():
            return replace(of, is_withdrawn=True)


# ---------------------------------------------------------------- the checks


class RoundVerdict(Struct, frozen=True):
    """What the checks of a drawing of a round found."""

    tournament: str
    round: int
    drawing: int | None
    """The number of the drawing; None if its line is of an older export, which has the last drawing only."""
    status: RoundStatus
    flaws: tuple[Sentence, ...]
    """What is wrong with the round. Empty if the inputs give its tables."""
    by_hand: tuple[int, ...] = ()
    """Tables that somebody paired by hand. No inputs give these."""
    promised: int = 0
    """How many devices had promised bytes."""
    missing: tuple[str, ...] = ()
    """Competitors whose bytes were asked for and are not in the seed."""
    elsewhere: DrawnElsewhere | None = None
    """Where the round was drawn, if it came with an import."""


def read_lines(text: bytes, kind: Any) -> list[Any]:
    """The lines of an export. Raises msgspec.ValidationError or msgspec.DecodeError."""
    return msgspec.json.Decoder(kind).decode_lines(text)


def verify_rounds(
    tournaments: Sequence[TournamentLine],
    rounds: Sequence[RoundLine],
    pairings: Sequence[PairingLine],
    log: LoggedRounds | None,
) -> Iterator[RoundVerdict]:
    """Check each round that was announced, and each drawing that counts no more. `log`: None if no log was given.

    A dropped drawing has no tables in the exports. The tables of a withdrawn round are compared with its inputs only
    if a log is given, because the plan may have changed since.
    """
    plans = {line.tournament: line.plan for line in tournaments}
    counting: dict[str, list[RoundLine]] = defaultdict(list)
    for line in rounds:
        if line.counts:
            counting[line.tournament].append(line)
    for line in rounds:
        if line.status == "drawn":
            continue
        at = line.tournament, line.round, line.drawing
        ours = [one for one in pairings if (one.tournament, one.round, one.drawing) == at]
        by_hand = tuple(one.table for one in ours if one.by_hand and one.table is not None)
        plan, earlier = plans.get(line.tournament), [one for one in counting[line.tournament] if one.round < line.round]
        in_log = None if log is None else log.get((line.tournament, line.round), ())
        found = None if in_log is None else _drawing_in(in_log, line)
        if plan is None or (line.round > 1 and not any(one.round == 1 for one in earlier)):
            flaws = [say("its tournament, or the first round of that, has no line")]
        elif any(len(one.sides) != (1 if one.table is None else 2) for one in ours):
            flaws = [say("a table has two sides, and who sits out is one")]
        else:
            of_log = [] if in_log is None else _of_log(line, plan, ours, found, in_log)
            flaws = [*_of_seed(line), *of_log]
            drawn_under = plan if line.counts else None if found is None else found.plan
            if line.is_announced and drawn_under is not None:
                schedule = schedule_of(drawn_under, earlier)
                reason = misfit(drawn_under, line, schedule)
                tables = [reason] if reason is not None else _of_tables(line, drawn_under, schedule, ours)
                flaws += [*_of_seats(line, drawn_under, ours), *tables]
        given = {one.id for one in line.contributions}
        missing = tuple(one.id for one in line.commitments if one.id not in given)
        yield RoundVerdict(
            line.tournament,
            line.round,
            line.drawing,
            line.status,
            tuple(flaws),
            by_hand,
            len(line.commitments),
            missing,
            None if found is None else found.elsewhere,
        )


def _drawing_in(in_log: Sequence[RoundInLog], line: RoundLine) -> RoundInLog | None:
    """The drawing that a line is about, from all drawings of its round in the log; None if the log lacks it."""
    number = len(in_log) if line.drawing is None else line.drawing
    return in_log[number - 1] if 1 <= number <= len(in_log) else None


def _of_seed(line: RoundLine) -> Iterator[Sentence]:
    """Check that the seed follows from the root and the bytes, and that the bytes fit their commitments."""
    if line.seed != seed_of(line.root, line.tournament, line.round, [one.bytes for one in line.contributions]):
        yield say("its seed does not follow from its root and the bytes of devices")
    promised, drawn = {one.id: one for one in line.commitments}, {one.id for one in line.input}
    for listed in (line.commitments, line.contributions):
        ids = [one.id for one in listed]
        if ids != sorted(set(ids), key=str.encode):
            yield say("its commitments or bytes are not listed once each, in the order of the ids")
    for one in line.commitments:
        if one.id not in drawn:
            yield say("{competitor!r} has a commitment and was not drawn", competitor=one.id)
        if one.position is None or one.position >= line.position:
            yield say("the commitment of {competitor!r} does not precede the drawing", competitor=one.id)
    for given in line.contributions:
        if given.id not in promised:
            yield say("the bytes of {competitor!r} were promised by no commitment", competitor=given.id)
        elif not fits(given.bytes, promised[given.id].commitment):
            yield say("the bytes of {competitor!r} do not fit their commitment", competitor=given.id)


def _of_log(
    line: RoundLine, plan: Plan, ours: Sequence[PairingLine], found: RoundInLog | None, in_log: Sequence[RoundInLog]
) -> Iterator[Sentence]:
    if found is None or (line.is_announced and not found.is_published):
        yield say("the log has no publication of it") if line.is_announced else say("the log has no such drawing")
        return
    if line.counts and found is not in_log[-1]:
        yield say("its last drawing in the log is at position {position}", position=in_log[-1].position)
    if found.is_withdrawn and line.status != "withdrawn":
        yield say("the log says that it was withdrawn")
    if line.status == "withdrawn" and not found.is_withdrawn:
        yield say("the log has no withdrawal of it")
    if line.status == "dropped" and (found is in_log[-1] or found.is_published):
        yield say("the log does not say that it was drawn again before it was published")
    yield from _of_drawing_in_log(line, found)
    drawn = found.drawing
    if not same_inputs(line.input, placed(drawn.competitors, line.seed)):
        yield say("its inputs are not those that the log has")
    if drawn.locked != line.locked or drawn.fixed != line.fixed:
        yield say("its locked pairs or fixed tables are not those that the log has")
    if line.counts and (found.plan is None or but_rounds(found.plan) != but_rounds(plan)):
        yield say("its plan is not the one that the log has")
    yield from _of_bytes_in_log(line, found)
    if line.is_announced:
        yield from _of_tables_in_log(line, ours, found)


def _of_drawing_in_log(line: RoundLine, found: RoundInLog) -> Iterator[Sentence]:
    if found.elsewhere is not None:
        if found.elsewhere != DrawnElsewhere(line.position, line.root):
            yield say("its position and root are not those that came with the import")
        return
    if found.position != line.position:
        yield say("the log has its drawing at position {position}", position=found.position)
    if found.root != line.root:
        yield say("its root is not that of the log up to its drawing")


def _of_bytes_in_log(line: RoundLine, found: RoundInLog) -> Iterator[Sentence]:
    if found.commitments != line.commitments:
        yield say("its commitments are not those that the log has before its drawing")
    used = {one.id: one.bytes for one in line.contributions}
    came = {one.id: one.bytes for one in found.came}
    for id_ in sorted(came.keys() - used.keys(), key=str.encode):
        yield say("the bytes of {competitor!r} came and were left out", competitor=id_)
    for id_ in sorted(used, key=str.encode):
        if used[id_] != came.get(id_):
            yield say("the bytes of {competitor!r} are not those that the log has", competitor=id_)


def _of_tables_in_log(line: RoundLine, ours: Sequence[PairingLine], found: RoundInLog) -> Iterator[Sentence]:
    known = {
        number: (sides_of_players(table.sides, line.seed), table.relaxed, table.by_hand)
        for number, table in found.tables.items()
    }
    written = {one.table: (one.sides, one.relaxed, one.by_hand) for one in ours if one.table is not None}
    for number in sorted(known.keys() | written.keys()):
        if known.get(number) != written.get(number):
            yield say("its table {table} is not the one that the log has", table=number)
    if {one.sides[0] for one in ours if one.sits_out} != {players_of(CompetitorId(id_)) for id_ in found.byes}:
        yield say("in the log, other competitors sit out")
    asked = {players_of(CompetitorId(id_)) for id_ in found.drawing.requested}
    if {one.sides[0] for one in ours if one.status == "requested_bye"} != asked:
        yield say("in the log, other competitors asked for a bye")


def _of_seats(line: RoundLine, plan: Plan, ours: Sequence[PairingLine]) -> Iterator[Sentence]:
    """Check that everybody who was drawn is in the round once, also at tables that were paired by hand.

    Who left a round robin, a group or a knock-out is not drawn, and has tables that nobody plays.
    """
    in_round = [one for one in ours if one.status != "requested_bye" and one.is_first_game]
    seated = Counter(id_ for one in in_round for side in one.sides for id_ in competitors_of(side, plan))
    drawn = {one.id for one in line.input}
    wished = [one for one in ours if one.status == "requested_bye"]
    asked = {id_ for one in wished for side in one.sides for id_ in competitors_of(side, plan)}
    for id_ in sorted(asked & (drawn | seated.keys())):
        yield say("{competitor!r} asked for a bye, and was drawn or plays", competitor=id_)
    for id_ in sorted(seated.keys() - drawn - _at_unplayed_tables(plan, ours)):
        yield say("{competitor!r} plays and was not drawn", competitor=id_)
    for id_ in sorted(id_ for id_, times in seated.items() if times > 1):
        yield say("{competitor!r} is named twice", competitor=id_)
    # With fixtures a competitor may have a free round, and a group may be through before another one.
    for id_ in sorted(drawn - seated.keys() if plan.format not in {"fixtures", "groups"} else ()):
        yield say("{competitor!r} was drawn and neither plays nor sits out", competitor=id_)


def _at_unplayed_tables(plan: Plan, ours: Sequence[PairingLine]) -> set[str]:
    """Who may have left before the round was drawn: they are at tables that nobody plays."""
    if withdrawals_of(plan) is None and plan.format not in WITH_KNOCKOUT:
        return set()
    unplayed = [one for one in ours if one.table is not None and one.match is None and one.is_first_game]
    return {id_ for one in unplayed for side in one.sides for id_ in competitors_of(side, plan)}


def _of_tables(line: RoundLine, plan: Plan, schedule: Schedule, ours: Sequence[PairingLine]) -> Iterator[Sentence]:
    """Check the tables against those that the inputs give. Tables that were paired by hand are skipped."""
    if [one.place for one in line.input] != list(range(1, len(line.input) + 1)):
        yield say("its places do not count from 1")
        return
    if plan.format == "fixtures" and any(one.by_hand for one in ours):
        return
    drawing = RoundDrawn(line.round, as_ranked(line.input), line.locked, line.fixed, left=left_at_tables(line, ours))
    paired = pair(plan, drawing, line.seed, schedule)
    by_table = {one.table: one for one in ours if one.table is not None and one.is_first_game}
    if {table.number for table in paired.tables} != set(by_table):
        yield say("it has other tables than its inputs give")
        return
    for table in paired.tables:
        published = by_table[table.number]
        wanted = sides_of_players(table.sides, line.seed)
        of_bracket = (table.group, table.third_place) != (published.group, published.third_place)
        if not published.by_hand and ((wanted, table.relaxed) != (published.sides, published.relaxed) or of_bracket):
            said = " / ".join(" & ".join(side) for side in wanted)
            yield say("at table {table} its inputs give {sides}", table=table.number, sides=said)
    byes = {one.sides[0] for one in ours if one.sits_out}
    if not any(one.by_hand for one in ours) and byes != {players_of(CompetitorId(id_)) for id_ in paired.byes}:
        yield say("by its inputs, other competitors sit out")
