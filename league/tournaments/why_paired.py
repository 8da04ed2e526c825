"""Explains why a table of a round came about, and what corrections of results would have changed, in sentences.

A published round never changes by itself. People see why two sit together, what the next best round would cost, and
which tables the round would have today. Each answer takes as long as pairing a round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.seating import competitor_of
from league.domain.sentences import joined as side_by_side
from league.domain.sentences import say, say_count
from league.tournaments.domain.drawn import EarlierMeeting, PairedTable, PlacedCompetitor, RoundToPair, counting, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import rank_of, would_differ
from league.tournaments.domain.outcomes import Outcomes
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.standing import ranks_of, won
from league.tournaments.domain.state import CompetitorEntry, RoundState
from league.tournaments.matching import NOBODY, Costs, CostsOf, least_matching
from league.tournaments.pairing import (
    choice_of_opponents,
    in_cycle,
    pair,
    partner_costs,
    round_of,
    table_costs,
    who_play,
)
from league.tournaments.tournament_queries import SeenTournament
from league.wording.matches import joined

Stage = Literal["opponents", "partners", "tables", "fixed"]
"""A stage of pairing. `fixed`: nothing was chosen, as in a round robin."""
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
"""Limit on competitors for the search of the next best round, which takes as long as the pairing itself."""


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


class ExplainedChoice(Struct, frozen=True):
    """Two competitors, or two pairs, who were put together."""

    stage: Stage
    one: tuple[str, ...]
    other: tuple[str, ...]
    costs: tuple[CriterionCost, ...] = ()
    next_best: NextBestRound | None = None
    """None if there is no other round, or if the round is too large to search for it."""
    again: tuple[int, ...] = ()
    """Rounds within the plan's window in which they met, or were partners."""
    before: tuple[int, ...] = ()
    """Rounds before the window in which they met, or were partners. These do not count any more."""
    by_lot: bool = False
    """Whether the lot chose them, so that matches won did not matter."""


class RoundExplainer:
    """Explains the tables of a round by the choices that made them. Caches what several tables need."""

    def __init__(
        self, plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str], tables: Sequence[Sides]
    ) -> None:
        """`tables`: all tables of the round. With `rotating_partners` they say who are partners."""
        self._of, self._drawn = round_of(plan, drawing, seed), placed(drawing.competitors, seed)
        self._format, self._tables = plan.format, tables
        self._is_fixed = plan.format in {"round_robin", "fixtures"} or in_cycle(plan, drawing, first_order)
        self._known = {one.id: one for one in self._drawn}
        self._made: dict[Sides, list[ExplainedChoice]] = {}

    def of(self, sides: Sides) -> list[ExplainedChoice]:
        """The choices that made the table of these sides."""
        if sides not in self._made:
            self._made[sides] = self._choices(sides)
        return self._made[sides]

    def _choices(self, sides: Sides) -> list[ExplainedChoice]:
        one, other = sides
        if self._is_fixed:
            return [ExplainedChoice("fixed", one, other)]
        if self._format == "swiss":
            return [self._opponents(one[0], other[0])]
        return [self._partners(*one), self._partners(*other), self._against(one, other)]

    def _opponents(self, a: str, b: str) -> ExplainedChoice:
        ids, costs = choice_of_opponents(self._drawn, self._of)
        chosen = [(one[0], other[0]) for one, other in self._tables]
        seated = {id_ for two in chosen for id_ in two}
        chosen += [(id_, NOBODY) for id_ in ids if id_ not in {*seated, NOBODY}]
        again, before = _rounds(self._known[a].met, {b}, self._of, self._of.opponent_window)
        best = _next_best("opponents", ids, costs, (a, b), chosen)
        return ExplainedChoice("opponents", (a,), (b,), _shown("opponents", costs(a, b)), best, again, before)

    def _partners(self, a: str, b: str) -> ExplainedChoice:
        of, known = self._of, self._known

        def costs(one: str, other: str) -> Costs:
            return partner_costs(known[one], known[other], of)

        ids = sorted(one.id for one in who_play(self._drawn))
        again, before = _rounds(known[a].partners, {b}, of, of.partner_window)
        best = _next_best("partners", ids, costs, (a, b), self._all_partners())
        shown, by_lot = _shown("partners", costs(a, b)), not of.near_partners
        return ExplainedChoice("partners", (a,), (b,), shown, best, again, before, by_lot)

    def _against(self, one: tuple[str, ...], other: tuple[str, ...]) -> ExplainedChoice:
        of, known = self._of, self._known
        pairs = {str(competitor_of(two)): two for two in self._all_partners()}

        def costs(a: str, b: str) -> Costs:
            return table_costs(self._both(pairs[a]), self._both(pairs[b]), of)

        names = competitor_of(one), competitor_of(other)
        chosen = [(competitor_of(first), competitor_of(second)) for first, second in self._tables]
        met = tuple(each for id_ in one for each in known[id_].met)
        again, before = _rounds(met, set(other), of, of.opponent_window)
        best = _next_best("tables", sorted(pairs), costs, names, chosen)
        return ExplainedChoice("tables", one, other, _shown("tables", costs(*names)), best, again, before)

    def _all_partners(self) -> list[Two]:
        return [(side[0], side[1]) for sides in self._tables for side in sides]

    def _both(self, two: Two) -> tuple[PlacedCompetitor, PlacedCompetitor]:
        return self._known[two[0]], self._known[two[1]]


def _rounds(
    met: tuple[EarlierMeeting, ...], others: set[str], of: RoundToPair, window: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rounds with a meeting with one of `others`: those within the window, then those before it."""
    ever = {one.round for one in met if one.id in others and one.round < of.number}
    again = {number for id_ in others for number in counting(met, id_, of.number, window)}
    return tuple(sorted(again)), tuple(sorted(ever - again))


def _shown(stage: Stage, costs: Costs) -> tuple[CriterionCost, ...]:
    named = zip(CRITERIA[stage], costs, strict=True)
    return tuple(CriterionCost(criterion, value) for criterion, value in named if criterion != "chance")


def _next_best(
    stage: Stage, ids: Sequence[str], costs: CostsOf, two: Two, chosen: Sequence[Two]
) -> NextBestRound | None:
    """The best round that keeps these two apart, compared with the chosen one. None if there is none, or too large."""
    if len(ids) > MOST:
        return None

    def apart(one: str, other: str) -> Costs:
        return ({one, other} == set(two), *costs(one, other))

    others = least_matching(ids, apart).pairs
    if set(two) in [set(pair) for pair in others]:
        return None
    for criterion, least, more in zip(CRITERIA[stage], _sum(chosen, costs), _sum(others, costs), strict=True):
        if more > least:
            return NextBestRound(criterion, 0 if criterion == "chance" else more - least)
    return NextBestRound("chance", 0)


def _sum(pairs: Sequence[Two], costs: CostsOf) -> list[int]:
    return [sum(column) for column in zip(*(costs(a, b) for a, b in pairs), strict=True)]


# ---------------------------------------------------------------- what corrected results would change


def would_change(
    plan: Plan,
    drawing: RoundDrawn,
    seed: str,
    first_order: Sequence[str],
    entries: Mapping[str, CompetitorEntry],
    now: Outcomes,
) -> list[PairedTable]:
    """The tables that the round does not have, but would have with the results `now` of the rounds before it."""
    if not has_other_inputs(plan, drawing, seed, entries, now):
        return []
    corrected = _as_now(plan, drawing, entries, now)
    as_drawn = pair(plan, drawing, seed, first_order)
    instead = pair(plan, corrected, seed, first_order)
    met = {_who(table) for table in as_drawn.tables}
    return [table for table in instead.tables if _who(table) not in met]


def has_other_inputs(
    plan: Plan, drawing: RoundDrawn, seed: str, entries: Mapping[str, CompetitorEntry], now: Outcomes
) -> bool:
    """Whether results of earlier rounds would give the drawing other inputs now: matches won, or places."""
    if drawing.meetings is not None or drawing.round == 1:
        return False
    # Compare places, not ranks: a recorded season has only places.
    corrected = _as_now(plan, drawing, entries, now)
    return placed(corrected.competitors, seed) != placed(drawing.competitors, seed)


def _as_now(plan: Plan, drawing: RoundDrawn, entries: Mapping[str, CompetitorEntry], now: Outcomes) -> RoundDrawn:
    """The drawing with the matches won and ranks that it would have now."""
    ranks = ranks_of(now, plan.tie_breaks)
    corrected = tuple(
        replace(one, won=won(now[one.id]), rank=rank_of(entries[one.id], ranks, now)) for one in drawing.competitors
    )
    return replace(drawing, competitors=corrected)


def _who(table: PairedTable) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(side) for side in table.sides)


# ---------------------------------------------------------------- explanations for a tournament of the read side


@dataclass(frozen=True)
class _ExplainedRound:
    """A round to explain, as the key of a cache. The seed and the tables identify it."""

    seed: str
    tables: tuple[Sides, ...]
    plan: Plan = field(compare=False)
    drawing: RoundDrawn = field(compare=False)
    first: tuple[str, ...] = field(compare=False)


@lru_cache(maxsize=8)  # few, because each entry has the whole drawing of a round
def _why_of(asked: _ExplainedRound) -> RoundExplainer:
    """The cached explainer of a round."""
    return RoundExplainer(asked.plan, asked.drawing, asked.seed, asked.first, asked.tables)


def choices_of(seen: SeenTournament, drawing: RoundDrawn, table: int) -> list[ExplainedChoice]:
    """The choices that made a table. Empty if somebody paired it by hand, or entered the meetings of the round."""
    state, of = seen.state, seen.state.rounds[drawing.round - 1]
    found = of.table(table)
    if found is None or found.by_hand or drawing.meetings is not None:
        return []
    first, tables = state.rounds[0].order, tuple(each.sides for each in of.tables)
    if any(each.by_hand for each in of.tables) and len(of.order) <= MOST:
        tables = tuple(each.sides for each in pair(state.known_plan, drawing, of.seed, first).tables)
    return _why_of(_ExplainedRound(of.seed, tables, state.known_plan, drawing, first)).of(found.sides)


def is_outdated(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> bool:
    """Whether a round would have other inputs now. For a published round only results of earlier rounds count."""
    if of.status == "drawn":
        return would_differ(seen.state, drawing, of.seed, seen.results, seen.points, seen.ratings)
    return has_other_inputs(
        seen.state.known_plan, drawing, of.seed, seen.state.entries, seen.outcomes(before=of.number)
    )


def tables_today(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> list[PairedTable]:
    """The tables that a round does not have, but would have on today's results. Empty with more than `MOST`."""
    state = seen.state
    if len(of.order) > MOST:
        return []
    first, before = state.rounds[0].order, seen.outcomes(before=of.number)
    return would_change(state.known_plan, drawing, of.seed, first, state.entries, before)


# ---------------------------------------------------------------- in sentences


def said(choice: ExplainedChoice, names: Mapping[str, str]) -> str:
    """The sentences about a choice. `names`: names of competitors by id."""
    one, other = (" & ".join(names.get(id_, id_) for id_ in ids) for ids in (choice.one, choice.other))
    if choice.stage == "fixed":
        return say("The format says who meets: nothing was chosen.")
    what = (
        say("{both} are partners", both=joined((one, other)))
        if choice.stage == "partners"
        else say("{both} meet", both=joined((one, other)))
    )
    first = say("{what}, {how}.", what=what, how=_how(choice))
    return first if choice.next_best is None else side_by_side(" ", (first, _instead(choice.next_best)))


def _how(choice: ExplainedChoice) -> str:
    """A clause that says how the two fit together."""
    costs: dict[str, int] = {cost.criterion: cost.value for cost in choice.costs}
    if costs.get("series"):
        return {
            "opponents": say(
                "though the series of this month is over for them, since no round keeps all such pairs apart"
            ),
            "tables": say(
                "though the series of this month is over for them, since with these partners no round keeps all such "
                "pairs apart"
            ),
        }[choice.stage]
    if choice.again:
        return _again(choice, _in_rounds(choice.again))
    if costs.get("won"):
        near = say("who are as near in matches won as the round allows")
    else:
        near = say("whom the lot has chosen") if choice.by_lot else say("who have won as often")
    if choice.before:
        return say("{near}; {earlier}", near=near, earlier=_earlier(choice, _in_rounds(choice.before)))
    return say("{near}, and it is new for them", near=near)


def _again(choice: ExplainedChoice, rounds: str) -> str:
    """A clause that names the earlier rounds and says why the criterion gave way."""
    return {
        "opponents": say(
            "though they met {rounds}, since otherwise others would meet again, or something that weighs more would "
            "give way",
            rounds=rounds,
        ),
        "partners": say(
            "though they were partners {rounds}, since otherwise others would have an earlier partner", rounds=rounds
        ),
        "tables": say(
            "though some of them met {rounds}, since with these partners others would meet again otherwise, or "
            "something that weighs more would give way",
            rounds=rounds,
        ),
    }[choice.stage]


def _earlier(choice: ExplainedChoice, rounds: str) -> str:
    return {
        "opponents": say("that they met {rounds} does not count any more", rounds=rounds),
        "partners": say("that they were partners {rounds} does not count any more", rounds=rounds),
        "tables": say("that some of them met {rounds} does not count any more", rounds=rounds),
    }[choice.stage]


def _in_rounds(rounds: Sequence[int]) -> str:
    return say_count("in round {rounds}", "in rounds {rounds}", len(rounds), rounds=", ".join(map(str, rounds)))


def _instead(best: NextBestRound) -> str:
    words = {
        "series": say_count(
            "Without it, {count} more pair that is locked in the series would meet.",
            "Without it, {count} more pairs that are locked in the series would meet.",
            best.more,
        ),
        "byes": say("Otherwise a competitor with more byes, or a better place, would sit out."),
        "meetings": say_count(
            "Without it, there would be {count} more repeated meeting.",
            "Without it, there would be {count} more repeated meetings.",
            best.more,
        ),
        "partners": say_count(
            "Without it, there would be {count} more repeated partnership.",
            "Without it, there would be {count} more repeated partnerships.",
            best.more,
        ),
        "won": say(
            "Without it, the differences of matches won would add up to {more} more (as squares).", more=best.more
        ),
        "region": say_count(
            "Without it, {count} more meeting would be within one region.",
            "Without it, {count} more meetings would be within one region.",
            best.more,
        ),
        "places": say(
            "Without it, the differences of places would add up to {more} more (as squares).", more=best.more
        ),
        "chance": say("Another round would have been as good, and the lot decided."),
    }
    return words[best.criterion]
