"""Why two sit together, or against each other: what each criterion costs, and what the next best choice would."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from league.tournaments.domain.drawn import Drawn, Round, Table, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.pairing.matching import Costs, least_matching
from league.tournaments.pairing.pairing import in_cycle, round_of
from league.tournaments.pairing.rotating_partners import partner_costs, table_costs, who_play
from league.tournaments.pairing.swiss import NOBODY, bye_order, swiss_costs

Stage = Literal["opponents", "partners", "tables", "fixed"]
"""`fixed`: nothing was chosen, as in a round robin."""
Weighed = Literal["series", "byes", "meetings", "partners", "won", "region", "places", "chance"]

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
    costs: tuple[Cost, ...]
    next_best: NextBest | None = None
    """None where there is no other round, or where it was not sought."""


def why(plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str], table: Table) -> list[Choice]:
    """The choices that made a table of a round, as the drawing led to it; one that was made by hand has none."""
    of, drawn = round_of(plan, drawing, seed), placed(drawing.competitors, seed)
    one, other = table.sides
    if plan.format == "swiss":
        return [_opponents(drawn, of, one[0], other[0])]
    if plan.format != "rotating_partners" or in_cycle(plan, drawing, first_order):
        return [Choice("fixed", one, other, ())]
    return _rotating(drawn, of, one, other)


def _opponents(drawn: Sequence[Drawn], of: Round, a: str, b: str) -> Choice:
    known, order = {one.id: one for one in drawn}, bye_order(drawn)
    playing = len(known) - len(known) % 2

    def costs(one: str, other: str) -> Costs:
        if NOBODY in {one, other}:
            return (0, order[one or other], 0, 0, 0, 0, 0)
        return swiss_costs(known[one], known[other], of, playing)

    ids = sorted(known) + [NOBODY] * (len(known) % 2)
    return _choice("opponents", (a,), (b,), costs(a, b), _next_best("opponents", ids, costs, a, b))


def _rotating(drawn: Sequence[Drawn], of: Round, one: tuple[str, ...], other: tuple[str, ...]) -> list[Choice]:
    known = {each.id: each for each in who_play(drawn)}

    def of_partners(a: str, b: str) -> Costs:
        return partner_costs(known[a], known[b], of)

    ids = sorted(known)
    partners = {"+".join(sorted(two, key=str.encode)): two for two in least_matching(ids, of_partners)}

    def of_tables(a: str, b: str) -> Costs:
        return table_costs(_both(known, partners[a]), _both(known, partners[b]), of)

    names = ["+".join(sorted(side, key=str.encode)) for side in (one, other)]
    choices = [
        _choice("partners", (a,), (b,), of_partners(a, b), _next_best("partners", ids, of_partners, a, b))
        for a, b in (one, other)
    ]
    against = _next_best("tables", sorted(partners), of_tables, *names)
    return [*choices, _choice("tables", one, other, of_tables(*names), against)]


def _both(known: dict[str, Drawn], two: tuple[str, str]) -> tuple[Drawn, Drawn]:
    return known[two[0]], known[two[1]]


def _choice(
    stage: Stage, one: tuple[str, ...], other: tuple[str, ...], costs: Costs, next_best: NextBest | None
) -> Choice:
    shown = tuple(
        Cost(criterion, value) for criterion, value in zip(CRITERIA[stage], costs, strict=True) if criterion != "chance"
    )
    return Choice(stage, one, other, shown, next_best)


def _next_best(stage: Stage, ids: Sequence[str], costs: Callable[[str, str], Costs], a: str, b: str) -> NextBest | None:
    """What the best round costs in which `a` and `b` are not paired, beside the one in which they are."""
    if len(ids) > MOST:
        return None

    def apart(one: str, other: str) -> Costs:
        return ({one, other} == {a, b}, *costs(one, other))

    others = least_matching(ids, apart)
    if {a, b} in [set(pair) for pair in others]:
        return None
    chosen, instead = (_sum(pairs, costs) for pairs in (least_matching(ids, costs), others))
    for criterion, least, more in zip(CRITERIA[stage], chosen, instead, strict=True):
        if more > least:
            return NextBest(criterion, 0 if criterion == "chance" else more - least)
    return NextBest("chance", 0)


def _sum(pairs: Sequence[tuple[str, str]], costs: Callable[[str, str], Costs]) -> list[int]:
    return [sum(column) for column in zip(*(costs(a, b) for a, b in pairs), strict=True)]
