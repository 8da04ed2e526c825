"""Explains why a table of groups or of a knock-out came about: pots, places of the bracket, and who came through.

The groups and the places of the bracket are assignments. The next best one is searched as for other rounds
(`why_paired`); everything else follows from the schedule and the published tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property

from league.tournaments.bracket_pairing import (
    Assigned,
    assigned_classes,
    assigned_pots,
    draw_groups,
    entrants_by_class,
    of_one_region,
)
from league.tournaments.domain.brackets import BracketTie, size_of, ties_of
from league.tournaments.domain.drawn import PlacedCompetitor, Schedule, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.groups import Entrant
from league.tournaments.domain.knockout import entered
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.schedule import rounds_of_groups
from league.tournaments.domain.state import RoundState
from league.tournaments.matching import Costs, least_assignment
from league.tournaments.why_paired import (
    MOST,
    CriterionCost,
    ExplainedChoice,
    NextBestRound,
    Sides,
    Stage,
    scheduled,
    shown_costs,
    worse_by,
)


class GroupExplainer:
    """Explains a round of groups: in the first one how the groups were drawn, in each one what Berger's table says."""

    def __init__(
        self, plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule, *, searches: bool = True
    ) -> None:
        """`schedule`: what earlier rounds decided; without groups if this round draws them."""
        self._drawn, self._seed, self._round = placed(drawing.competitors, seed), seed, drawing.round
        self._count, self._is_drawn_here = plan.groups or 0, not schedule.groups
        self._groups = schedule.groups or draw_groups(self._drawn, self._count, seed)
        self._by_lot = plan.first_round != "rating"
        self._searches = searches and len(self._drawn) <= MOST

    def of(self, sides: Sides) -> list[ExplainedChoice]:
        """The choices that made the table of these sides."""
        return [*self._drawn_into(sides[0][0]), *self._drawn_into(sides[1][0]), self._scheduled(*sides)]

    def sits_out(self, id_: str) -> list[ExplainedChoice]:
        """The choices by which this competitor sits out: their group has an odd number of members."""
        return [*self._drawn_into(id_), self._scheduled((id_,))]

    def _scheduled(self, one: tuple[str, ...], other: tuple[str, ...] = ()) -> ExplainedChoice:
        return scheduled(self._groups[self._group_of[one[0]] - 1], self._round, one, other)

    def _drawn_into(self, id_: str) -> Iterator[ExplainedChoice]:
        """Why a competitor is in their group, if this round drew the groups."""
        if not self._is_drawn_here:
            return
        own, group = self._known[id_], self._group_of[id_]
        pot = (own.place - 1) // self._count
        before = [self._known[member] for member in self._groups[group - 1] if self._known[member].place < own.place]
        costs, best = _weighed("group", self._pots[pot - 1], id_, searches=self._searches) if pot else ((), None)
        same = tuple(each.id for each in of_one_region(own, before))
        yield ExplainedChoice(
            "group", (id_,), same, costs, best, by_lot=self._by_lot, seed=own.place, pot=pot + 1, group=group
        )

    @cached_property
    def _pots(self) -> list[Assigned]:
        return assigned_pots(self._drawn, self._count, self._seed)

    @cached_property
    def _known(self) -> Mapping[str, PlacedCompetitor]:
        return {one.id: one for one in self._drawn}

    @cached_property
    def _group_of(self) -> Mapping[str, int]:
        return {id_: number for number, members in enumerate(self._groups, 1) for id_ in members}


class BracketExplainer:
    """Explains the first round of a knock-out: the seeds, their places, and which places meet."""

    def __init__(
        self, plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule, *, searches: bool = True
    ) -> None:
        """`schedule`: with the groups, if there were any."""
        drawn = placed(drawing.competitors, seed)
        self._by_lot = plan.first_round != "rating"
        self._size, self._searches = size_of(len(drawn)), searches and len(drawn) <= MOST
        if plan.format == "groups":
            self._classes = entrants_by_class(plan, drawn, seed, schedule)
            self._assigned = assigned_classes(self._classes, seed)
        else:
            self._classes, self._assigned = [[Entrant(one.id, 0, one.place) for one in drawn]], []

    def of(self, sides: Sides) -> list[ExplainedChoice]:
        """The choices that made the table of these sides."""
        one, other = sides
        numbers = self._place_of[one[0]], self._place_of[other[0]]
        meet = ExplainedChoice("first_tie", one, other, numbers=numbers)
        return [self._given_place(one[0]), self._given_place(other[0]), meet]

    def sits_out(self, id_: str) -> list[ExplainedChoice]:
        """The choices by which this competitor has a bye: the opposite place is free."""
        place = self._place_of[id_]
        numbers = place, self._size + 1 - place
        return [self._given_place(id_), ExplainedChoice("first_tie", (id_,), numbers=numbers)]

    def _given_place(self, id_: str) -> ExplainedChoice:
        class_, own = self._entrants[id_]
        place = self._place_of[id_]
        assigned = self._assigned[class_ - 1] if class_ else None
        costs, best = _weighed("bracket", assigned, id_, searches=self._searches) if assigned else ((), None)
        meets = any(cost.criterion == "meetings" and cost.value for cost in costs)
        others = (self._id_at[self._size + 1 - place],) if meets else ()
        return ExplainedChoice(
            "bracket",
            (id_,),
            others,
            costs,
            best,
            by_lot=self._by_lot and not own.group,
            seed=own.seed,
            group=own.group or None,
            group_rank=class_ + 1 if own.group else None,
            place=place,
        )

    @cached_property
    def _entrants(self) -> Mapping[str, tuple[int, Entrant]]:
        return {one.id: (number, one) for number, class_ in enumerate(self._classes) for one in class_}

    @cached_property
    def _place_of(self) -> Mapping[str, int]:
        chosen = {id_: int(place) for class_ in self._assigned for id_, place in class_.chosen.items()}
        return {one.id: one.seed for one in self._classes[0]} | chosen

    @cached_property
    def _id_at(self) -> Mapping[int, str]:
        return {place: id_ for id_, place in self._place_of.items()}


class TieExplainer:
    """Explains a later round of a knock-out: from which tie of the round before each one came."""

    def __init__(self, plan: Plan, drawing: RoundDrawn, schedule: Schedule, before: RoundState) -> None:
        """`before`: the round of the knock-out before this one."""
        self._left, self._before, self._bracket = drawing.left, before, schedule.bracket
        self._number = drawing.round - rounds_of_groups(schedule.groups, plan.legs)
        self._here = {one.id for one in drawing.competitors if one.rank == 1} | {*drawing.left}

    def of(self, sides: Sides) -> list[ExplainedChoice]:
        """The choices that made the table of these sides."""
        (a, *_), (b, *_) = sides
        if a not in self._tie_of:
            return [self._came_from("semi_final", a), self._came_from("semi_final", b)]
        place = self._tie_of[a].place
        meet = ExplainedChoice("next_tie", *sides, numbers=(2 * place + 1, 2 * place + 2), round=self._before.number)
        left = [ExplainedChoice("left", (id_,)) for id_ in (a, b) if id_ in self._left]
        return [self._came_from("through", a), self._came_from("through", b), meet, *left]

    def sits_out(self, id_: str) -> list[ExplainedChoice]:
        """The choices by which this competitor has no opponent: nobody came through the tie beside theirs."""
        if id_ not in self._tie_of:
            others = {two for two in self._ties_before if id_ not in two}
            return [self._came_from("semi_final", id_), self._no_opponent(id_, next(iter(others), ()))]
        tie = self._tie_of[id_]
        beside = self._ties_before[2 * tie.place + 1 - tie.sides.index(id_)]
        return [self._came_from("through", id_), self._no_opponent(id_, beside)]

    def _came_from(self, stage: Stage, id_: str) -> ExplainedChoice:
        """The table of the round before from which a competitor came. Without one if they had no opponent there."""
        number = self._before.number
        table = next((one for one in self._before.tables if id_ in one.competitors and not one.third_place), None)
        if table is None:
            return ExplainedChoice(stage, (id_,), round=number)
        other = tuple(each for each in table.competitors if each != id_)
        return ExplainedChoice(stage, (id_,), other, round=number, table=table.number)

    def _no_opponent(self, id_: str, beside: tuple[str, ...]) -> ExplainedChoice:
        """That nobody came from a tie of the round before. `beside`: who had a row there."""
        table = next((one for one in self._before.tables if beside and set(beside) <= {*one.competitors}), None)
        return ExplainedChoice(
            "no_opponent", (id_,), beside, round=self._before.number, table=None if table is None else table.number
        )

    @cached_property
    def _tie_of(self) -> Mapping[str, BracketTie]:
        ties = ties_of(self._bracket, self._number, self._here)
        return {id_: tie for tie in ties for id_ in tie.sides if id_ is not None}

    @cached_property
    def _ties_before(self) -> Sequence[tuple[str, ...]]:
        """Who had a row of the bracket in each tie of the round before, from the top."""
        ties = ties_of(self._bracket, self._number - 1, entered(self._before))
        return [tuple(id_ for id_ in tie.sides if id_ is not None) for tie in ties]


def _weighed(
    stage: Stage, of: Assigned, id_: str, *, searches: bool
) -> tuple[tuple[CriterionCost, ...], NextBestRound | None]:
    """What the number of a competitor costs, and the next best assignment."""
    costs = shown_costs(stage, of.costs(id_, of.chosen[id_]))
    return costs, _next_best(stage, of, id_) if searches else None


def _next_best(stage: Stage, of: Assigned, id_: str) -> NextBestRound | None:
    """The best assignment in which a competitor has another number; None if there is no other number."""
    costs, own = cache(of.costs), of.chosen[id_]

    def apart(one: str, number: str) -> Costs:
        return (one == id_ and number == own, *costs(one, number))

    others = least_assignment(of.ids, of.numbers, apart)
    if (id_, own) in others:
        return None
    return worse_by(stage, list(of.chosen.items()), others, costs)
