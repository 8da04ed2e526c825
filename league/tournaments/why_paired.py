"""Explains why a table of a round came about: why two sit together, and what the next best round would cost.

The next best round of a single table takes as long as pairing the round. So a worker computes it (`explaining`), and
people read the stored explanation (`explained_rounds`). Groups and brackets are explained in `why_placed`.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Literal, Protocol

from msgspec import Struct

from league.domain.seating import competitor_of
from league.tournaments.domain.drawn import EarlierMeeting, PlacedCompetitor, RoundToPair, counting, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.matching import NOBODY, Costs, CostsOf, least_matching
from league.tournaments.pairing import (
    choice_of_opponents,
    in_cycle,
    partner_costs,
    round_of,
    table_costs,
    who_play,
)

Stage = Literal[
    "opponents", "partners", "tables", "sits_out", "fixed", "group", "bracket", "first_tie", "next_tie", "through",
    "semi_final", "left", "no_opponent",
]  # fmt: skip
"""A stage of pairing. `fixed`: nothing was chosen, as in a round robin. From `group` on: groups and brackets."""
Weighed = Literal["series", "byes", "meetings", "partners", "won", "region", "places", "chance"]
Sides = tuple[tuple[str, ...], tuple[str, ...]]
Two = tuple[str, str]

CRITERIA: dict[Stage, tuple[Weighed, ...]] = {
    "opponents": ("series", "byes", "meetings", "won", "region", "places", "chance"),
    "partners": ("partners", "won", "chance"),
    "tables": ("series", "meetings", "won", "region", "chance"),
    "sits_out": ("series", "byes", "meetings", "won", "region", "places", "chance"),
    "group": ("region", "chance"),
    "bracket": ("meetings", "places", "chance"),
}
"""The criteria of each stage that weighs any, in their order (rules, Tournaments)."""
MOST = 256
"""Limit on competitors for the search of the next best round. Larger rounds are explained by criteria only."""


class CriterionCost(Struct, frozen=True):
    """What a choice costs by one criterion."""

    criterion: Weighed
    value: int
    """0 if the criterion holds. For `won` and `places` it is the square of a difference."""


class NextBestRound(Struct, frozen=True):
    """The best round in which these two are not paired."""

    criterion: Weighed
    """The first criterion by which that round is worse. `chance`: no criterion differs, and tie values decided."""
    more: int
    """How much worse that round is by this criterion, summed over all tables; 0 for `chance`."""


class ExplainedChoice(Struct, frozen=True, omit_defaults=True):
    """Two competitors, or two pairs, who were put together; or one who was given a group or a place."""

    stage: Stage
    one: tuple[str, ...]
    other: tuple[str, ...] = ()
    """The opponents or partners. For one who was given a group or a place: those for whom a criterion gave way."""
    costs: tuple[CriterionCost, ...] = ()
    next_best: NextBestRound | None = None
    """None if there is no other round, or if nobody searched for it, because the round is too large."""
    again: tuple[int, ...] = ()
    """Rounds within the plan's window in which they met, or were partners."""
    before: tuple[int, ...] = ()
    """Rounds before the window in which they met, or were partners. These do not count any more."""
    by_lot: bool = False
    """Whether the lot chose them, so that matches won did not matter; of a seed: whether it was drawn."""
    seed: int | None = None
    """The seed that decides the pot, or the place of the bracket."""
    pot: int | None = None
    group: int | None = None
    """The group into which a competitor was drawn, or from which they entered the knock-out."""
    group_rank: int | None = None
    """As how many of their group they entered the knock-out, from 1."""
    place: int | None = None
    """The place of the bracket; of one who sits out, the place in the standing."""
    numbers: tuple[int, ...] = ()
    """What meets here: numbers of Berger's table, places of the bracket, or ties of the round before."""
    round: int | None = None
    """The round of Berger's table, or the earlier round of the tournament that led here."""
    leg: int | None = None
    table: int | None = None
    """The table of that earlier round."""


class TablesExplainer(Protocol):
    """Explains the tables of a round, and those who sit out."""

    def of(self, sides: Sides) -> list[ExplainedChoice]:
        """The choices that made the table of these sides."""

    def sits_out(self, id_: str) -> list[ExplainedChoice]:
        """The choices by which this competitor sits out."""


def nothing_is_chosen(plan: Plan) -> bool:
    """Whether the format says who meets in every round, so that no choice made a table."""
    return plan.format in {"round_robin", "fixtures"}


def scheduled(members: Sequence[str], number: int, one: Sequence[str], other: Sequence[str] = ()) -> ExplainedChoice:
    """What Berger's table says of a meeting, or of one who sits out. `members`: in the order of their numbers."""
    rounds = len(members) - 1 + len(members) % 2
    numbers = tuple(1 + members.index(id_) for id_ in (*one, *other))
    at, leg = (number - 1) % rounds + 1, (number - 1) // rounds + 1
    return ExplainedChoice("fixed", tuple(one), tuple(other), numbers=numbers, round=at, leg=leg)


class RoundExplainer:
    """Explains the tables of a round by the choices that made them. Caches what several tables need."""

    def __init__(
        self,
        plan: Plan,
        drawing: RoundDrawn,
        seed: str,
        first_order: Sequence[str],
        tables: Sequence[Sides],
        *,
        searches: bool = True,
    ) -> None:
        """`tables`: all tables of the round as they were drawn. With `rotating_partners` they say who are partners.

        `searches`: whether to search for the next best round, which takes the time.
        """
        self._of, self._drawn = round_of(plan, drawing, seed), placed(drawing.competitors, seed)
        self._format, self._tables = plan.format, tables
        self._is_fixed = nothing_is_chosen(plan) or in_cycle(plan, drawing, first_order)
        self._searches = searches and len(self._drawn) <= MOST
        self._known = {one.id: one for one in self._drawn}

    def of(self, sides: Sides) -> list[ExplainedChoice]:
        """The choices that made the table of these sides."""
        one, other = sides
        if self._is_fixed:
            return [ExplainedChoice("fixed", one, other)]
        if self._format == "swiss":
            return [self._opponents(one[0], other[0])]
        return [self._partners(*one), self._partners(*other), self._against(one, other)]

    def sits_out(self, id_: str) -> list[ExplainedChoice]:
        """The choice by which this competitor sits out: the fewest byes, and among equals the lowest place."""
        own, best = self._known[id_], None
        if self._format == "swiss":
            ids, costs = self._opponent_costs
            best = self._next_best("sits_out", ids, costs, (id_, NOBODY), self._all_opponents)
        return [ExplainedChoice("sits_out", (id_,), (), (CriterionCost("byes", own.byes),), best, place=own.place)]

    def _opponents(self, a: str, b: str) -> ExplainedChoice:
        ids, costs = self._opponent_costs
        again, before = _rounds(self._known[a].met, {b}, self._of, self._of.opponent_window)
        best = self._next_best("opponents", ids, costs, (a, b), self._all_opponents)
        return ExplainedChoice("opponents", (a,), (b,), shown_costs("opponents", costs(a, b)), best, again, before)

    def _partners(self, a: str, b: str) -> ExplainedChoice:
        of, costs = self._of, self._partner_costs
        ids = sorted(one.id for one in who_play(self._drawn))
        again, before = _rounds(self._known[a].partners, {b}, of, of.partner_window)
        best = self._next_best("partners", ids, costs, (a, b), self._all_partners)
        shown, by_lot = shown_costs("partners", costs(a, b)), not of.near_partners
        return ExplainedChoice("partners", (a,), (b,), shown, best, again, before, by_lot)

    def _against(self, one: tuple[str, ...], other: tuple[str, ...]) -> ExplainedChoice:
        of, costs = self._of, self._table_costs
        names = competitor_of(one), competitor_of(other)
        chosen = [(competitor_of(first), competitor_of(second)) for first, second in self._tables]
        met = tuple(each for id_ in one for each in self._known[id_].met)
        again, before = _rounds(met, set(other), of, of.opponent_window)
        best = self._next_best("tables", sorted(self._pairs), costs, names, chosen)
        return ExplainedChoice("tables", one, other, shown_costs("tables", costs(*names)), best, again, before)

    def _next_best(
        self, stage: Stage, ids: Sequence[str], costs: CostsOf, two: Two, chosen: Sequence[Two]
    ) -> NextBestRound | None:
        return _next_best(stage, ids, costs, two, chosen) if self._searches else None

    # Each search asks for the costs of all pairs, and the hashes among them take longer than the search.

    @cached_property
    def _opponent_costs(self) -> tuple[list[str], CostsOf]:
        ids, costs = choice_of_opponents(self._drawn, self._of)
        return ids, cache(costs)

    @cached_property
    def _all_opponents(self) -> list[Two]:
        chosen = [(one[0], other[0]) for one, other in self._tables]
        seated = {id_ for two in chosen for id_ in two}
        return chosen + [(id_, NOBODY) for id_ in self._opponent_costs[0] if id_ not in {*seated, NOBODY}]

    @cached_property
    def _partner_costs(self) -> CostsOf:
        return cache(lambda a, b: partner_costs(self._known[a], self._known[b], self._of))

    @cached_property
    def _table_costs(self) -> CostsOf:
        return cache(lambda a, b: table_costs(self._both(self._pairs[a]), self._both(self._pairs[b]), self._of))

    @cached_property
    def _all_partners(self) -> list[Two]:
        return [(side[0], side[1]) for sides in self._tables for side in sides]

    @cached_property
    def _pairs(self) -> dict[str, Two]:
        return {str(competitor_of(two)): two for two in self._all_partners}

    def _both(self, two: Two) -> tuple[PlacedCompetitor, PlacedCompetitor]:
        return self._known[two[0]], self._known[two[1]]


def _rounds(
    met: tuple[EarlierMeeting, ...], others: set[str], of: RoundToPair, window: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rounds with a meeting with one of `others`: those within the window, then those before it."""
    ever = {one.round for one in met if one.id in others and one.round < of.number}
    again = {number for id_ in others for number in counting(met, id_, of.number, window)}
    return tuple(sorted(again)), tuple(sorted(ever - again))


def shown_costs(stage: Stage, costs: Costs) -> tuple[CriterionCost, ...]:
    """The costs of a choice by criterion, without the lot: a number of 64 bits, which says nothing to people."""
    named = zip(CRITERIA[stage], costs, strict=True)
    return tuple(CriterionCost(criterion, int(value)) for criterion, value in named if criterion != "chance")


def _next_best(
    stage: Stage, ids: Sequence[str], costs: CostsOf, two: Two, chosen: Sequence[Two]
) -> NextBestRound | None:
    """The best round that keeps these two apart, compared with the chosen one; None if there is no such round."""
    first, second = sorted(two, key=ids.index)

    def apart(one: str, other: str) -> Costs:
        return (one == first and other == second, *costs(one, other))

    others = least_matching(ids, apart).pairs
    if set(two) in [set(pair) for pair in others]:
        return None
    return worse_by(stage, chosen, others, costs)


def worse_by(stage: Stage, chosen: Sequence[Two], others: Sequence[Two], costs: CostsOf) -> NextBestRound:
    """By how much the next best round, `others`, is worse than the chosen one."""
    for criterion, least, more in zip(CRITERIA[stage], _sum(chosen, costs), _sum(others, costs), strict=True):
        if more > least:
            return NextBestRound(criterion, 0 if criterion == "chance" else more - least)
    return NextBestRound("chance", 0)


def _sum(pairs: Sequence[Two], costs: CostsOf) -> list[int]:
    return [sum(column) for column in zip(*(costs(a, b) for a, b in pairs), strict=True)]
