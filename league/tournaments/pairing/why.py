"""Why two sit together, or against each other: what each criterion costs, and what the next best choice would."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from league.domain.competitor import competitor_of
from league.tournaments.domain.drawn import Drawn, Met, Round, counting, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.pairing.matching import Costs, CostsOf, least_matching
from league.tournaments.pairing.pairing import in_cycle, round_of
from league.tournaments.pairing.rotating_partners import partner_costs, table_costs, who_play
from league.tournaments.pairing.swiss import NOBODY, choice_of_opponents

Stage = Literal["opponents", "partners", "tables", "fixed"]
"""`fixed`: nothing was chosen, as in a round robin."""
Weighed = Literal["series", "byes", "meetings", "partners", "won", "region", "places", "chance"]
Sides = tuple[tuple[str, ...], tuple[str, ...]]
Two = tuple[str, str]

CRITERIA: dict[Stage, tuple[Weighed, ...]] = {
    "opponents": ("series", "byes", "meetings", "won", "region", "places", "chance"),
    "partners": ("partners", "won", "chance"),
    "tables": ("series", "meetings", "won", "region", "chance"),
    "fixed": (),
}
"""The criteria of each stage, in their order (rules, Tournaments)."""
MOST = 64
"""Competitors. With more, the next best choice is not sought: it takes as long as the pairing itself."""


class Cost(Struct, frozen=True):
    """What a choice costs by a criterion."""

    criterion: Weighed
    value: int
    """0: the criterion holds. Of `won` and `places` the square of a difference."""


class NextBest(Struct, frozen=True):
    """The best round in which these two are not paired."""

    criterion: Weighed
    """The first one by which that round is worse. `chance`: all others are equal, and the tie values decided."""
    more: int
    """By how much, over all tables; 0 for `chance`."""


class Choice(Struct, frozen=True):
    """Two competitors, or two pairs, who were put together."""

    stage: Stage
    one: tuple[str, ...]
    other: tuple[str, ...]
    costs: tuple[Cost, ...] = ()
    next_best: NextBest | None = None
    """None where there is no other round, or where it was not sought."""
    again: tuple[int, ...] = ()
    """Rounds in which they met, or were partners, within the window of the plan."""
    before: tuple[int, ...] = ()
    """Such rounds that do not count any more."""
    by_lot: bool = False
    """Whether matches won have no part in it."""


class WhyOfRound:
    """The choices that made the tables of a round, as its drawing led to them. What several tables need is kept."""

    def __init__(
        self, plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str], tables: Sequence[Sides]
    ) -> None:
        """`tables`: all of the round; those of `rotating_partners` tell who are partners."""
        self._of, self._drawn = round_of(plan, drawing, seed), placed(drawing.competitors, seed)
        self._format, self._tables = plan.format, tables
        self._is_fixed = plan.format in {"round_robin", "fixtures"} or in_cycle(plan, drawing, first_order)
        self._known = {one.id: one for one in self._drawn}
        self._made: dict[Sides, list[Choice]] = {}

    def of(self, sides: Sides) -> list[Choice]:
        """The choices that made a table."""
        if sides not in self._made:
            self._made[sides] = self._choices(sides)
        return self._made[sides]

    def _choices(self, sides: Sides) -> list[Choice]:
        one, other = sides
        if self._is_fixed:
            return [Choice("fixed", one, other)]
        if self._format == "swiss":
            return [self._opponents(one[0], other[0])]
        return [self._partners(*one), self._partners(*other), self._against(one, other)]

    def _opponents(self, a: str, b: str) -> Choice:
        ids, costs = choice_of_opponents(self._drawn, self._of)
        chosen = [(one[0], other[0]) for one, other in self._tables]
        seated = {id_ for two in chosen for id_ in two}
        chosen += [(id_, NOBODY) for id_ in ids if id_ not in {*seated, NOBODY}]
        again, before = _rounds(self._known[a].met, {b}, self._of, self._of.opponent_window)
        best = _next_best("opponents", ids, costs, (a, b), chosen)
        return Choice("opponents", (a,), (b,), _shown("opponents", costs(a, b)), best, again, before)

    def _partners(self, a: str, b: str) -> Choice:
        of, known = self._of, self._known

        def costs(one: str, other: str) -> Costs:
            return partner_costs(known[one], known[other], of)

        ids = sorted(one.id for one in who_play(self._drawn))
        again, before = _rounds(known[a].partners, {b}, of, of.partner_window)
        best = _next_best("partners", ids, costs, (a, b), self._all_partners())
        shown, by_lot = _shown("partners", costs(a, b)), not of.near_partners
        return Choice("partners", (a,), (b,), shown, best, again, before, by_lot)

    def _against(self, one: tuple[str, ...], other: tuple[str, ...]) -> Choice:
        of, known = self._of, self._known
        pairs = {str(competitor_of(two)): two for two in self._all_partners()}

        def costs(a: str, b: str) -> Costs:
            return table_costs(self._both(pairs[a]), self._both(pairs[b]), of)

        names = competitor_of(one), competitor_of(other)
        chosen = [(competitor_of(first), competitor_of(second)) for first, second in self._tables]
        met = tuple(each for id_ in one for each in known[id_].met)
        again, before = _rounds(met, set(other), of, of.opponent_window)
        best = _next_best("tables", sorted(pairs), costs, names, chosen)
        return Choice("tables", one, other, _shown("tables", costs(*names)), best, again, before)

    def _all_partners(self) -> list[Two]:
        return [(side[0], side[1]) for sides in self._tables for side in sides]

    def _both(self, two: Two) -> tuple[Drawn, Drawn]:
        return self._known[two[0]], self._known[two[1]]


def _rounds(
    met: tuple[Met, ...], others: set[str], of: Round, window: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rounds in which somebody met one of these: those within the window, and those before it."""
    ever = {one.round for one in met if one.id in others and one.round < of.number}
    again = {number for id_ in others for number in counting(met, id_, of.number, window)}
    return tuple(sorted(again)), tuple(sorted(ever - again))


def _shown(stage: Stage, costs: Costs) -> tuple[Cost, ...]:
    named = zip(CRITERIA[stage], costs, strict=True)
    return tuple(Cost(criterion, value) for criterion, value in named if criterion != "chance")


def _next_best(stage: Stage, ids: Sequence[str], costs: CostsOf, two: Two, chosen: Sequence[Two]) -> NextBest | None:
    """What the best round costs in which two are not paired, beside the one that was chosen."""
    if len(ids) > MOST:
        return None

    def apart(one: str, other: str) -> Costs:
        return ({one, other} == set(two), *costs(one, other))

    others = least_matching(ids, apart)
    if set(two) in [set(pair) for pair in others]:
        return None
    for criterion, least, more in zip(CRITERIA[stage], _sum(chosen, costs), _sum(others, costs), strict=True):
        if more > least:
            return NextBest(criterion, 0 if criterion == "chance" else more - least)
    return NextBest("chance", 0)


def _sum(pairs: Sequence[Two], costs: CostsOf) -> list[int]:
    return [sum(column) for column in zip(*(costs(a, b) for a, b in pairs), strict=True)]
