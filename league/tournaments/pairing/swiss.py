"""A round of a Swiss tournament: one assignment, least by the criteria in their order (rules, Tournaments, `swiss`)."""

from collections.abc import Mapping, Sequence

from league.tournaments.domain.drawn import Drawn, Paired, Relaxed, Round, counting, tie_value
from league.tournaments.pairing.matching import Costs, CostsOf, least_matching
from league.tournaments.pairing.table_numbers import Pairing, numbered

NOBODY = ""
"""Whom the one who sits out is paired with."""


def pair_swiss(competitors: Sequence[Drawn], of: Round) -> Paired:
    """Pair a round of players in 1v1 or of fixed pairs in 2v2, whose ids are `a+b`."""
    known = {one.id: one for one in competitors}
    pairs = least_matching(*choice_of_opponents(competitors, of))
    byes = tuple(a or b for a, b in pairs if NOBODY in {a, b})
    tables = [pairing_of_two(known[a], known[b], of) for a, b in pairs if NOBODY not in {a, b}]
    return Paired(numbered(tables, of), byes, had_byes([known[each] for each in byes]))


def choice_of_opponents(competitors: Sequence[Drawn], of: Round) -> tuple[list[str], CostsOf]:
    """Who is paired, with `NOBODY` among them where their number is odd, and what each pair costs."""
    known, sits_out = {one.id: one for one in competitors}, bye_order(competitors)
    playing = len(known) - len(known) % 2

    def costs(a: str, b: str) -> Costs:
        if NOBODY in {a, b}:
            return (0, sits_out[a or b], 0, 0, 0, 0, 0)
        return swiss_costs(known[a], known[b], of, playing)

    return sorted(known) + [NOBODY] * (len(known) % 2), costs


def bye_order(competitors: Sequence[Drawn]) -> Mapping[str, int]:
    """Who sits out first: those with the fewest byes, and of these the one with the lowest place."""
    ordered = sorted(competitors, key=lambda one: (one.byes, -one.place))
    return {one.id: number for number, one in enumerate(ordered)}


def had_byes(sitting_out: Sequence[Drawn]) -> tuple[Relaxed, ...]:
    """Those who sit out again."""
    return tuple(Relaxed("byes", (one.id,)) for one in sitting_out if one.byes)


def swiss_costs(a: Drawn, b: Drawn, of: Round, playing: int) -> Costs:
    """What a table costs, by criterion. `playing`: how many do not sit out."""
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


def pairing_of_two(a: Drawn, b: Drawn, of: Round) -> Pairing:
    """A table of two competitors, with what gives way."""
    met = counting(a.met, b.id, of.number, of.opponent_window)
    again = [Relaxed("meetings", (a.id, b.id), round_) for round_ in met]
    return Pairing(((a,), (b,)), (*given_lock((a.id, b.id), of), *again))


def given_lock(names: tuple[str, str], of: Round) -> tuple[Relaxed, ...]:
    """That the series has locked two who meet, if it has."""
    return (Relaxed("series", names),) if frozenset(names) in of.locked else ()
