"""Whether recorded rounds of groups and of a knock-out can follow from those before them.

The lines of a round are read before anybody knows that they belong together, so each of them may be missing or wrong.
"""

from collections.abc import Iterator, Mapping, Sequence

from league.domain.refusals import InvalidInput, Refusal
from league.domain.seating import competitor_of
from league.domain.sentences import Sentence, say
from league.tournaments.domain.brackets import rounds_of_bracket
from league.tournaments.domain.drawn import Schedule, as_ranked
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import WITH_KNOCKOUT, Plan, faults_of_plan
from league.tournaments.domain.rounds import check_many
from league.tournaments.domain.schedule import is_knockout, rounds_of_groups
from league.tournaments.pairing import pair
from league.tournaments.recorded_lines import PairingLine, RoundLine


def misfit(plan: Plan, line: RoundLine, schedule: Schedule) -> Sentence | None:
    """Why a round cannot follow from those before it; None if it can, and in formats without a knock-out."""
    if plan.format not in WITH_KNOCKOUT:
        return None
    if any(True for _ in faults_of_plan(plan)):
        return say("its plan cannot be played")
    if plan.format == "groups" and (line.round == 1) == bool(schedule.groups):
        return say("its tournament, or the first round of that, has no line")
    in_knockout = is_knockout(plan, schedule.groups, line.round)
    if (line.stage == "knockout") != in_knockout:
        return say("its stage is not that of its number")
    ids = {one.id for one in line.input}
    known = {id_ for members in schedule.groups for id_ in members}
    if not in_knockout:
        return _misfit_in_groups(plan, line) if line.round == 1 else _unknown(ids, known)
    return _misfit_in_bracket(plan, line, schedule) or (_unknown(ids, known) if known else None)


def _misfit_in_bracket(plan: Plan, line: RoundLine, schedule: Schedule) -> Sentence | None:
    number = line.round - rounds_of_groups(schedule.groups, plan.legs)
    bracket = schedule.bracket or tuple(one.id for one in line.input)
    if (number == 1) == bool(schedule.bracket) or number > rounds_of_bracket(len(bracket)):
        return say("its knock-out has no such round")
    return _unknown({one.id for one in line.input}, {*bracket})


def _misfit_in_groups(plan: Plan, line: RoundLine) -> Sentence | None:
    try:
        check_many(len(line.input), plan, line.round)
    except Refusal:
        return say("its inputs do not fill the groups")
    return None


def _unknown(ids: set[str], known: set[str]) -> Sentence | None:
    for id_ in sorted(ids - known):
        return say("{competitor!r} was not drawn in the first round", competitor=id_)
    return None


def left_at_tables(line: RoundLine, ours: Sequence[PairingLine]) -> tuple[str, ...]:
    """Who is at a table of a round of a knock-out and was not drawn, because they had left, ordered by id."""
    if line.stage != "knockout":
        return ()
    here = {competitor_of(side) for one in ours if one.table is not None for side in one.sides}
    return tuple(sorted(here - {one.id for one in line.input}, key=str.encode))


def faults_of_bracket(
    plan: Plan, line: RoundLine, ours: Sequence[PairingLine], schedule: Schedule
) -> Iterator[Refusal]:
    """The faults of a round of groups or of a knock-out, whose tables and byes follow from its inputs.

    `ours`: its pairings; `schedule`: what the rounds before it decided. A round that was withdrawn may have been drawn
    under another plan, so its tables may be others.
    """
    if plan.format not in WITH_KNOCKOUT:
        return
    tables = {one.table: tuple(map(competitor_of, one.sides)) for one in ours if one.table and one.is_first_game}
    if {one.table for one in ours if one.table is not None} != set(tables):
        yield InvalidInput("(line)", say("a table has no line of its first game"))
    if not line.counts:
        return
    reason = misfit(plan, line, schedule)
    if reason is not None:
        yield InvalidInput("input", reason)
    elif line.is_announced:
        yield from _differences(plan, line, ours, tables, schedule)


def _differences(
    plan: Plan,
    line: RoundLine,
    ours: Sequence[PairingLine],
    tables: Mapping[int, tuple[str, ...]],
    schedule: Schedule,
) -> Iterator[Refusal]:
    """The faults of pairings that are not those of the inputs. In groups people may change who meets."""
    in_knockout = line.stage == "knockout"
    drawing = RoundDrawn(line.round, as_ranked(line.input), line.locked, line.fixed, left=left_at_tables(line, ours))
    decided = pair(plan, drawing, line.seed, schedule)
    wanted = {table.number: tuple(id_ for side in table.sides for id_ in side) for table in decided.tables}
    byes = [competitor_of(one.sides[0]) for one in ours if one.sits_out]
    if (tables != wanted) if in_knockout else (tables.keys() != wanted.keys()):
        yield InvalidInput("(line)", say("its pairings have other tables than its inputs give"))
    elif in_knockout and sorted(byes) != sorted(decided.byes):
        yield InvalidInput("(line)", say("in its pairings, other competitors sit out than its inputs give"))
    third = {one.table or competitor_of(one.sides[0]) for one in ours if one.third_place}
    played_for: set[int | str | None] = {table.number for table in decided.tables if table.third_place}
    if in_knockout and third != (played_for | {decided.third_place_bye}) - {None}:
        yield InvalidInput("third_place", say("its inputs give another tie for the third place, or none"))
    if in_knockout and any(one.by_hand for one in ours):
        yield InvalidInput("(line)", say("the bracket says who meets, so nobody pairs a table by hand"))
