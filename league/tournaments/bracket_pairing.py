"""The rounds of groups and of a knock-out, with the drawing of groups and of the bracket (rules, Tournaments).

This module is not in the domain, because `matching` needs libraries.
"""

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from league.tournaments.domain.brackets import size_of, ties_of
from league.tournaments.domain.drawn import PairedTable, PlacedCompetitor, RoundPairings, RoundToPair, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.groups import Entrant, seeded
from league.tournaments.domain.plan import Plan, games_of_tie
from league.tournaments.domain.schedule import meetings_of_groups, rounds_of_groups, sit_out
from league.tournaments.matching import Costs, least_assignment
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
    group_of = {id_: number for number, members in enumerate(schedule.groups, 1) for id_ in members}
    known = {one.id: (group_of[one.id], one.group_rank or 0, one.strength or 0) for one in drawn}
    return draw_bracket(seeded(plan, known, seed), seed)


def _tie(number: int, two: tuple[str, str], best_of: int, of: RoundToPair) -> PairedTable:
    sides = in_order_of_sides([(two[0],), (two[1],)], of.seed)
    return PairedTable(number, sides, given_lock(two, of), best_of=best_of)


def draw_groups(drawn: Sequence[PlacedCompetitor], count: int, seed: str) -> Groups:
    """The groups, each in the order of the pots. `drawn`: in the order of places."""
    groups = [[one] for one in drawn[:count]]
    numbers = {str(number): group for number, group in enumerate(groups, 1)}
    for first in range(count, len(drawn), count):
        pot = {one.id: one for one in drawn[first : first + count]}

        def costs(id_: str, number: str, pot: dict[str, PlacedCompetitor] = pot) -> Costs:
            region = pot[id_].region
            regional = 0 if region is None else sum(one.region == region for one in numbers[number])
            return regional, _tie_value(seed, "groups", id_, number)

        for id_, number in least_assignment(list(pot), list(numbers), costs):
            numbers[number].append(pot[id_])
    return tuple(tuple(one.id for one in group) for group in groups)


def draw_bracket(classes: Sequence[Sequence[Entrant]], seed: str) -> tuple[str, ...]:
    """Who has which place of the bracket, from place 1 on.

    `classes`: the winners of the groups, the seconds, and so on. Each class has the places of its own seeds.
    """
    winners, *others = classes
    placed = {one.seed: one for one in winners}
    size = size_of(sum(map(len, classes)))
    for class_ in others:
        entrants = {one.id: one for one in class_}

        def costs(
            id_: str, place: str, entrants: dict[str, Entrant] = entrants, placed: dict[int, Entrant] = placed
        ) -> Costs:
            own, opposite = entrants[id_], placed.get(size + 1 - int(place))
            meets = opposite is not None and opposite.group == own.group
            return int(meets), (own.seed - int(place)) ** 2, _tie_value(seed, "bracket", id_, place)

        chosen = least_assignment(list(entrants), [str(one.seed) for one in class_], costs)
        placed = placed | {int(place): entrants[id_] for id_, place in chosen}
    return tuple(placed[place].id for place in sorted(placed))


def _tie_value(seed: str, stage: str, id_: str, number: str) -> int:
    """A 64-bit number for an id and a number, in this order. It decides when all criteria are equal."""
    return int.from_bytes(hashlib.sha256(f"{seed},{stage},{id_},{number}".encode()).digest()[:8], "big")
