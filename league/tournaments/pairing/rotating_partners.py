"""A round in which each player counts alone and gets another partner: four stages, each least given the one before."""

from collections.abc import Sequence
from itertools import product

from league.domain.competitor import competitor_of
from league.domain.sentences import say
from league.tournaments.domain.drawn import Drawn, Paired, Relaxed, Round, counting, tie_value
from league.tournaments.domain.refusals import TooFewCompetitors
from league.tournaments.pairing.matching import Costs, least_matching
from league.tournaments.pairing.swiss import bye_order, given_lock, had_byes
from league.tournaments.pairing.table_numbers import Pairing, numbered

TABLE = 4
"""Players."""


def pair_partners(players: Sequence[Drawn], of: Round) -> Paired:
    """Pair a round (rules, Tournaments, `rotating_partners`). Raises WrongState for fewer than four players."""
    if len(players) < TABLE:
        raise TooFewCompetitors(
            say("the round"),
            say("without a table"),
            say("{count} players are available, and a table takes four", count=len(players)),
        )
    playing, order = who_play(players), bye_order(players)
    sitting_out = sorted((one for one in players if one not in playing), key=lambda one: order[one.id])
    known = {one.id: one for one in playing}
    partners = least_matching(sorted(known), lambda a, b: partner_costs(known[a], known[b], of))
    pairs = {str(competitor_of(two)): (known[two[0]], known[two[1]]) for two in partners}
    tables = least_matching(sorted(pairs), lambda a, b: table_costs(pairs[a], pairs[b], of))
    return Paired(
        numbered([pairing_of_pairs(pairs[a], pairs[b], of) for a, b in tables], of),
        tuple(one.id for one in sitting_out),
        had_byes(sitting_out),
    )


def who_play(players: Sequence[Drawn]) -> list[Drawn]:
    """All but those who sit out, who are `n mod 4`: those with the fewest byes, and of these the lowest places."""
    order = bye_order(players)
    return sorted(players, key=lambda one: order[one.id])[len(players) % TABLE :]


def partner_costs(a: Drawn, b: Drawn, of: Round) -> Costs:
    """What two partners cost, by criterion."""
    return (
        len(counting(a.partners, b.id, of.number, of.partner_window)),
        (a.won - b.won) ** 2 if of.near_partners else 0,
        tie_value(of.seed, "partners", a.id, b.id),
    )


def table_costs(one: tuple[Drawn, Drawn], other: tuple[Drawn, Drawn], of: Round) -> Costs:
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


def pairing_of_pairs(one: tuple[Drawn, Drawn], other: tuple[Drawn, Drawn], of: Round) -> Pairing:
    """A table of two pairs, with what gives way."""
    relaxed = [*given_lock((pair_name(one), pair_name(other)), of)]
    for a, b in product(one, other):
        met = counting(a.met, b.id, of.number, of.opponent_window)
        relaxed += [Relaxed("meetings", (a.id, b.id), round_) for round_ in met]
    for a, b in (one, other):
        had = counting(a.partners, b.id, of.number, of.partner_window)
        relaxed += [Relaxed("partners", (a.id, b.id), round_) for round_ in had]
    return Pairing((one, other), tuple(relaxed))


def pair_name(pair: tuple[Drawn, Drawn]) -> str:
    """The name of two partners."""
    return competitor_of(one.id for one in pair)
