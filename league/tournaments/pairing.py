"""Who plays whom: the tables of a round, from its drawing alone. Equal inputs always give equal tables.

Opponents in a Swiss round, and partners and tables with rotating partners, are each one matching: the one that costs
least by the criteria in their order (rules, Tournaments). This module is not in the domain, because `matching` needs
libraries.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from league.domain.seating import competitor_of
from league.domain.sentences import say
from league.infra.processes import process_pool
from league.tournaments.bracket_pairing import pair_groups, pair_knockout
from league.tournaments.domain.drawn import (
    WHIST_SIZES,
    PlacedCompetitor,
    Relaxation,
    RoundPairings,
    RoundToPair,
    Schedule,
    berger_round,
    counting,
    placed,
    tie_value,
    whist_round,
)
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan, opponent_window, withdrawals_of
from league.tournaments.domain.refusals import TooFewCompetitors
from league.tournaments.domain.rounds import named_round
from league.tournaments.domain.schedule import is_knockout
from league.tournaments.matching import NOBODY, Costs, CostsOf, Solver, is_fast, least_matching
from league.tournaments.table_numbers import Pairing, given_lock, numbered, numbered_meetings


def pair(plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule) -> RoundPairings:
    """The tables that follow from a drawing.

    `schedule`: what earlier rounds decided for it; without an order if this is the first round. Raises WrongState if
    too few players are available.
    """
    of, drawn = round_of(plan, drawing, seed), placed(drawing.competitors, seed)
    if is_knockout(plan, schedule.groups, drawing.round):
        return pair_knockout(plan, drawing, drawn, of, schedule)
    first_order = schedule.order or tuple(one.id for one in drawn)
    match plan.format:
        case "groups":
            return pair_groups(plan, drawn, of, schedule)
        case "fixtures":
            # A competitor without a fixture has a free round, not a bye.
            wanted = drawing.meetings or berger_round(drawing.round, first_order)
            return RoundPairings(numbered_meetings(drawn, wanted, of).tables)
        case "round_robin":
            wanted = berger_round(drawing.round, first_order)
            return numbered_meetings(drawn, wanted, of, with_absent=withdrawals_of(plan) is not None)
        case "swiss":
            return pair_swiss(drawn, of)
        case "rotating_partners":
            return _whist(drawn, of, first_order) if in_cycle(plan, drawing, first_order) else pair_partners(drawn, of)
    raise TypeError(plan.format)


def round_of(plan: Plan, drawing: RoundDrawn, seed: str) -> RoundToPair:
    """The inputs of pairing a round, apart from its competitors."""
    return RoundToPair(
        seed,
        drawing.round,
        opponent_window(plan),
        None if plan.partner_window == "all" else plan.partner_window,
        plan.region_rounds,
        plan.first_round == "rating",
        plan.partners == "near",
        frozenset(frozenset(two) for two in drawing.locked),
        drawing.fixed,
    )


def in_cycle(plan: Plan, drawing: RoundDrawn, first_order: Sequence[str]) -> bool:
    """Whether a round belongs to a full cycle: the plan has one, and exactly those who began it play."""
    playing = {one.id for one in drawing.competitors}
    return plan.full_cycle and len(first_order) in WHIST_SIZES and playing == set(first_order)


def _whist(drawn: Sequence[PlacedCompetitor], of: RoundToPair, order: Sequence[str]) -> RoundPairings:
    known = {one.id: one for one in drawn}
    at = [known[id_] for id_ in order]
    pairs = [((at[a], at[b]), (at[c], at[d])) for (a, b), (c, d) in whist_round(len(order), of.number)]
    tables = [Pairing((one, other), given_lock((pair_name(one), pair_name(other)), of)) for one, other in pairs]
    return RoundPairings(numbered(tables, of))


MOST_IN_THREAD = 60
"""Limit on competitors of a round that is paired in the calling thread. It takes less time than starting a process."""


MOST_PREVIEWED = 256
"""Limit on competitors of a round that is previewed while a request waits."""


def is_large(plan: Plan, competitors: int) -> bool:
    """Whether pairing a round of this many takes so long that no request waits for it."""
    return plan.format in {"swiss", "rotating_partners"} and competitors > MOST_IN_THREAD


def usual_seconds(competitors: int) -> int:
    """How many seconds the tables of a large round usually take, and the start of their process. It is an estimate."""
    of_a_thousand = 20 if is_fast() else 600
    return 2 + round(of_a_thousand * (competitors / 1_000) ** 3)


def pair_apart(plan: Plan, drawing: RoundDrawn, seed: str, schedule: Schedule) -> RoundPairings:
    """The tables that follow from a drawing, as `pair` gives them. Blocks.

    Another process pairs a large field, because that takes seconds and would starve the other threads of a server.
    """
    if len(drawing.competitors) <= MOST_IN_THREAD:
        return pair(plan, drawing, seed, schedule)
    with process_pool(1) as process:
        return process.submit(pair, plan, drawing, seed, schedule).result()


# ---------------------------------------------------------------- a Swiss tournament


def pair_swiss(competitors: Sequence[PlacedCompetitor], of: RoundToPair, solver: Solver | None = None) -> RoundPairings:
    """Pair a round of players in 1v1 or of fixed pairs in 2v2, whose ids are `a+b`. `solver`: see `least_matching`."""
    known = {one.id: one for one in competitors}
    found = least_matching(*choice_of_opponents(competitors, of), solver)
    byes = tuple(a or b for a, b in found.pairs if NOBODY in {a, b})
    tables = [pairing_of_two(known[a], known[b], of) for a, b in found.pairs if NOBODY not in {a, b}]
    return RoundPairings(numbered(tables, of), byes, had_byes([known[each] for each in byes]), (found.solver,))


def choice_of_opponents(competitors: Sequence[PlacedCompetitor], of: RoundToPair) -> tuple[list[str], CostsOf]:
    """The ids to pair, with `NOBODY` among them if their number is odd, and what each pair costs."""
    known, sits_out = {one.id: one for one in competitors}, bye_order(competitors)
    playing = len(known) - len(known) % 2

    def costs(a: str, b: str) -> Costs:
        if NOBODY in {a, b}:
            return (0, sits_out[a or b], 0, 0, 0, 0, 0)
        return swiss_costs(known[a], known[b], of, playing)

    return sorted(known) + [NOBODY] * (len(known) % 2), costs


def bye_order(competitors: Sequence[PlacedCompetitor]) -> Mapping[str, int]:
    """The order of sitting out, by id from 0: fewest byes first, and among equals the lowest place first."""
    ordered = sorted(competitors, key=lambda one: (one.byes, -one.place))
    return {one.id: number for number, one in enumerate(ordered)}


def had_byes(sitting_out: Sequence[PlacedCompetitor]) -> tuple[Relaxation, ...]:
    """The criterion that gave way for each competitor who sits out again."""
    return tuple(Relaxation("byes", (one.id,)) for one in sitting_out if one.byes)


def swiss_costs(a: PlacedCompetitor, b: PlacedCompetitor, of: RoundToPair, playing: int) -> Costs:
    """What a Swiss table costs, by criterion. `playing`: number of competitors who do not sit out."""
    gap = abs(a.place - b.place)
    if of.by_rating and of.number == 1:
        gap -= playing // 2
    return (
        frozenset({a.id, b.id}) in of.locked,
        0,
        len(counting(a.met, b.id, of.number, of.opponent_window)),
        (a.won - b.won) ** 2,
        of.number <= of.region_rounds and a.region is not None and a.region == b.region,
        gap**2,
        tie_value(of.seed, "opponents", a.id, b.id),
    )


def pairing_of_two(a: PlacedCompetitor, b: PlacedCompetitor, of: RoundToPair) -> Pairing:
    """A meeting of two competitors, with the criteria that give way."""
    met = counting(a.met, b.id, of.number, of.opponent_window)
    again = [Relaxation("meetings", (a.id, b.id), round_) for round_ in met]
    return Pairing(((a,), (b,)), (*given_lock((a.id, b.id), of), *again))


# ---------------------------------------------------------------- rotating partners


TABLE = 4
"""Number of players at a table."""


def pair_partners(players: Sequence[PlacedCompetitor], of: RoundToPair, solver: Solver | None = None) -> RoundPairings:
    """Pair a round in which each player counts alone and gets a new partner.

    The stages are: who sits out, partners, tables, table numbers. Each stage costs least given the stages before it.
    `solver`: see `least_matching`. Raises TooFewCompetitors for fewer than four players.
    """
    if len(players) < TABLE:
        raise TooFewCompetitors(
            named_round(of.number),
            say("short of competitors"),
            say("{count} players are available, and a table takes four", count=len(players)),
        )
    playing, order = who_play(players), bye_order(players)
    sitting_out = sorted((one for one in players if one not in playing), key=lambda one: order[one.id])
    known = {one.id: one for one in playing}
    partners = least_matching(sorted(known), lambda a, b: partner_costs(known[a], known[b], of), solver)
    pairs = {str(competitor_of(two)): (known[two[0]], known[two[1]]) for two in partners.pairs}
    tables = least_matching(sorted(pairs), lambda a, b: table_costs(pairs[a], pairs[b], of), solver)
    return RoundPairings(
        numbered([pairing_of_pairs(pairs[a], pairs[b], of) for a, b in tables.pairs], of),
        tuple(one.id for one in sitting_out),
        had_byes(sitting_out),
        (partners.solver, tables.solver),
    )


def who_play(players: Sequence[PlacedCompetitor]) -> list[PlacedCompetitor]:
    """The players who do not sit out. The first `n mod 4` in `bye_order` sit out."""
    order = bye_order(players)
    return sorted(players, key=lambda one: order[one.id])[len(players) % TABLE :]


def partner_costs(a: PlacedCompetitor, b: PlacedCompetitor, of: RoundToPair) -> Costs:
    """What two partners cost, by criterion."""
    return (
        len(counting(a.partners, b.id, of.number, of.partner_window)),
        (a.won - b.won) ** 2 if of.near_partners else 0,
        tie_value(of.seed, "partners", a.id, b.id),
    )


def table_costs(
    one: tuple[PlacedCompetitor, PlacedCompetitor], other: tuple[PlacedCompetitor, PlacedCompetitor], of: RoundToPair
) -> Costs:
    """What two pairs at a table cost, by criterion."""
    across = list(product(one, other))
    names = [pair_name(pair) for pair in (one, other)]
    regional = [a.region is not None and a.region == b.region for a, b in across]
    return (
        frozenset(names) in of.locked,
        sum(len(counting(a.met, b.id, of.number, of.opponent_window)) for a, b in across),
        (sum(each.won for each in one) - sum(each.won for each in other)) ** 2,
        sum(regional) if of.number <= of.region_rounds else 0,
        tie_value(of.seed, "tables", *names),
    )


def pairing_of_pairs(
    one: tuple[PlacedCompetitor, PlacedCompetitor], other: tuple[PlacedCompetitor, PlacedCompetitor], of: RoundToPair
) -> Pairing:
    """A meeting of two pairs, with the criteria that give way."""
    relaxed = [*given_lock((pair_name(one), pair_name(other)), of)]
    for a, b in product(one, other):
        met = counting(a.met, b.id, of.number, of.opponent_window)
        relaxed += [Relaxation("meetings", (a.id, b.id), round_) for round_ in met]
    for a, b in (one, other):
        had = counting(a.partners, b.id, of.number, of.partner_window)
        relaxed += [Relaxation("partners", (a.id, b.id), round_) for round_ in had]
    return Pairing((one, other), tuple(relaxed))


def pair_name(pair: tuple[PlacedCompetitor, PlacedCompetitor]) -> str:
    """The id `a+b` of two partners."""
    return competitor_of(one.id for one in pair)
