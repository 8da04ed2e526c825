"""The rounds of groups and of a knock-out, with the drawing of groups and of the bracket (rules, Tournaments).

This module is not in the domain, because `matching` needs libraries.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain.brackets import size_of, ties_of
from league.tournaments.domain.drawn import PairedTable, PlacedCompetitor, RoundPairings, RoundToPair, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.groups import Entrant, seeded
from league.tournaments.domain.plan import Plan, games_of_tie
from league.tournaments.domain.schedule import meetings_of_groups, rounds_of_groups, sit_out
from league.tournaments.matching import Costs, CostsOf, least_assignment
from league.tournaments.table_numbers import given_lock, in_order_of_sides, numbered_meetings

Groups = tuple[tuple[str, ...], ...]


def pair_groups(plan: Plan, drawn: Sequence[PlacedCompetitor], of: RoundToPair, schedule: Schedule) -> RoundPairings:
    """A round of all groups at once. The first round draws the groups."""
    assert plan.groups is not None, "the plan was checked"
    new = () if schedule.groups else draw_groups(drawn, plan.groups, of.seed)
    groups = schedule.groups or new
    wanted = meetings_of_groups(groups, plan.legs, of.number)
    found = numbered_meetings(drawn, wanted, of, with_absent=True)
    group_of = {id_: number for number, members in enumerate(groups, 1) for id_ in members}
    tables = tuple(replace(table, group=group_of[table.sides[0][0]]) for table in found.tables)
    byes = tuple(id_ for id_ in found.byes if id_ in sit_out(groups, plan.legs, of.number))
    return RoundPairings(tables, byes, groups=new)


def pair_knockout(
    plan: Plan, drawing: RoundDrawn, drawn: Sequence[PlacedCompetitor], of: RoundToPair, schedule: Schedule
) -> RoundPairings:
    """A round of the knock-out. Its first round decides the places of the bracket."""
    new = () if schedule.bracket else _bracket(plan, drawn, of.seed, schedule)
    bracket = schedule.bracket or new
    number = drawing.round - rounds_of_groups(schedule.groups, plan.legs)
    # All who are still in share the first rank; the others play for the third place.
    third = sorted(one.id for one in drawing.competitors if number > 1 and one.rank > 1)
    here = {one.id for one in drawn} - {*third}
    ties = ties_of(bracket, number, {*here, *drawing.left})
    best_of = games_of_tie(plan, len(ties))
    pairs = [(a, b) for tie in ties for a, b in [tie.sides] if a is not None and b is not None]
    byes = [a or b or "" for tie in ties for a, b in [tie.sides] if (a is None) != (b is None) and (a or b) in here]
    tables = [_tie(number_, two, best_of, of) for number_, two in enumerate(pairs, 1)]
    if len(third) > 1:
        table = _tie(len(tables) + 1, (third[0], third[1]), games_of_tie(plan, 2), of)
        tables.append(replace(table, third_place=True))
    bye = third[0] if len(third) == 1 else None
    return RoundPairings(tuple(tables), tuple(byes) if bye is None else (*byes, bye), bracket=new, third_place_bye=bye)


def _bracket(plan: Plan, drawn: Sequence[PlacedCompetitor], seed: str, schedule: Schedule) -> tuple[str, ...]:
    """Who has which place of the bracket."""
    if plan.format == "knockout":
        return tuple(one.id for one in drawn)
    return draw_bracket(entrants_by_class(plan, drawn, seed, schedule), seed)


def entrants_by_class(
    plan: Plan, drawn: Sequence[PlacedCompetitor], seed: str, schedule: Schedule
) -> list[list[Entrant]]:
    """Who enters the knock-out after the groups: the winners of the groups, the seconds, and so on, by seed."""
    group_of = {id_: number for number, members in enumerate(schedule.groups, 1) for id_ in members}
    known = {one.id: (group_of[one.id], one.group_rank or 0, one.strength or 0) for one in drawn}
    return seeded(plan, known, seed)


def _tie(number: int, two: tuple[str, str], best_of: int, of: RoundToPair) -> PairedTable:
    sides = in_order_of_sides([(two[0],), (two[1],)], of.seed)
    return PairedTable(number, sides, given_lock(two, of), best_of=best_of)


class Assigned(Struct, frozen=True):
    """Competitors of whom each was assigned a number, so that the costs add up to least."""

    ids: tuple[str, ...]
    numbers: tuple[str, ...]
    """Groups, or places of the bracket. There are at least as many as competitors."""
    costs: CostsOf
    """What it costs that a competitor has a number."""
    chosen: Mapping[str, str]
    """The number of each competitor."""


def _assigned(ids: Iterable[str], numbers: Iterable[str], costs: CostsOf) -> Assigned:
    ones, others = tuple(ids), tuple(numbers)
    return Assigned(ones, others, costs, dict(least_assignment(ones, others, costs)))


def assigned_pots(drawn: Sequence[PlacedCompetitor], count: int, seed: str) -> list[Assigned]:
    """The groups of all pots but the first, whose seeds go to the groups in their order. `drawn`: by place."""
    there = {str(number): (one,) for number, one in enumerate(drawn[:count], 1)}
    found = []
    for first in range(count, len(drawn), count):
        pot = {one.id: one for one in drawn[first : first + count]}

        def costs(
            id_: str,
            number: str,
            pot: Mapping[str, PlacedCompetitor] = pot,
            there: Mapping[str, tuple[PlacedCompetitor, ...]] = there,
        ) -> Costs:
            return len(of_one_region(pot[id_], there[number])), _tie_value(seed, "groups", id_, number)

        found.append(_assigned(pot, there, costs))
        new = {number: (pot[id_],) for id_, number in found[-1].chosen.items()}
        there = {number: (*members, *new.get(number, ())) for number, members in there.items()}
    return found


def of_one_region(one: PlacedCompetitor, members: Iterable[PlacedCompetitor]) -> list[PlacedCompetitor]:
    """The members of a group who are of the region of `one`. A competitor without a region is of nobody's."""
    return [] if one.region is None else [each for each in members if each.region == one.region]


def draw_groups(drawn: Sequence[PlacedCompetitor], count: int, seed: str) -> Groups:
    """The groups, each in the order of the pots. `drawn`: in the order of places."""
    groups = [[one.id] for one in drawn[:count]]
    for pot in assigned_pots(drawn, count, seed):
        for id_, number in pot.chosen.items():
            groups[int(number) - 1].append(id_)
    return tuple(map(tuple, groups))


def assigned_classes(classes: Sequence[Sequence[Entrant]], seed: str) -> list[Assigned]:
    """The places of all classes but the winners of the groups, who have the places of their seeds.

    `classes`: the winners, the seconds, and so on. Each class has the places of its own seeds.
    """
    winners, *others = classes
    placed = {one.seed: one for one in winners}
    size = size_of(sum(map(len, classes)))
    found = []
    for class_ in others:
        entrants = {one.id: one for one in class_}

        def costs(
            id_: str, place: str, entrants: Mapping[str, Entrant] = entrants, placed: Mapping[int, Entrant] = placed
        ) -> Costs:
            own, opposite = entrants[id_], placed.get(size + 1 - int(place))
            meets = opposite is not None and opposite.group == own.group
            return int(meets), (own.seed - int(place)) ** 2, _tie_value(seed, "bracket", id_, place)

        found.append(_assigned(entrants, (str(one.seed) for one in class_), costs))
        placed = placed | {int(place): entrants[id_] for id_, place in found[-1].chosen.items()}
    return found


def draw_bracket(classes: Sequence[Sequence[Entrant]], seed: str) -> tuple[str, ...]:
    """Who has which place of the bracket, from place 1 on. `classes`: as in `assigned_classes`."""
    placed = {one.seed: one.id for one in classes[0]}
    for class_ in assigned_classes(classes, seed):
        placed |= {int(place): id_ for id_, place in class_.chosen.items()}
    return tuple(placed[place] for place in sorted(placed))


def _tie_value(seed: str, stage: str, id_: str, number: str) -> int:
    """A 64-bit number for an id and a number, in this order. It decides when all criteria are equal."""
    return int.from_bytes(hashlib.sha256(f"{seed},{stage},{id_},{number}".encode()).digest()[:8], "big")
