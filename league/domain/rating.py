"""The arithmetic of the Domino Score (CDS text), on plain numbers, so that it can run in bulk."""

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import partial

from msgspec import Struct

from league.domain.result import Achievements
from league.domain.rules import CapBySign, Competition, CountedTerm, OverallRules, RatingRules

Standing = tuple[float, int]
"""A rating, and the number of rated matches behind it."""

Term = tuple[str, int]
"""A rule's name, and the amount that it adds to M, in units of the formula."""

Earned = tuple[tuple[tuple[Term, ...], int], tuple[tuple[Term, ...], int]]
"""The terms of M and their sum, for the winning side and for the losing side."""

_NO_TERMS: Earned = ((), 0), ((), 0)

BEYOND_ALL_SENSE = Decimal(1_000)
"""Bound on M in rules without a cap. Otherwise ratings that grow with their own gaps would grow without limit."""


class RatingFormula(Struct, frozen=True):
    """The rating section of an edition, prepared for bulk: nothing is looked up or converted twice.

    M is a sum of exact decimals. It is counted in whole units, of which `one` make 1, and divided once at the end.
    The quotient is the float that is nearest to the decimal sum.
    """

    one: int
    start: float
    scale: float
    by_own_rating: bool
    """Whether E reads the rating of the player instead of the average of the side."""
    provisional_below: int
    """Rated matches below which K is provisional."""
    veteran_matches: int
    veteran_rating: float
    casual: tuple[str, float]
    provisional: tuple[str, float]
    special: tuple[str, float]
    veteran: tuple[str, float]
    standard: tuple[str, float]
    lowest: int
    """Lower bound of M, in units."""
    highest: int
    """Upper bound of M, in units."""
    differential: int
    points: int
    points_by_ruleset: dict[str, int]
    pollona: int
    viajera: int
    viajera_per_hand: bool
    capicua: int
    capicua_per_hand: bool
    capicua_blocks: int
    capicua_blocks_per_hand: bool
    recovery: tuple[tuple[int, int], ...]
    """Steps as (hand points behind, units), the highest step first."""
    recovers_from: float
    """Hand points behind that the lowest step needs."""
    block_won: int
    block_won_per_hand: bool
    critical_block: int
    strength: int
    gap: int


class PlayerRatingChange(Struct, frozen=True, gc=False):
    """One rating change with all its terms: `after` is `before + k * ((outcome + modifier) - expected)`."""

    before: float
    matches_before: int
    after: float
    k: float
    k_rule: str
    outcome: float
    expected: float
    modifier: float
    terms: tuple[Term, ...]
    """The terms of M, before the cap."""
    capped: bool
    opponents: float
    """The opponents' rating from which `expected` was computed."""
    own: float
    """The rating of the player's side from which `expected` was computed."""


def formula_of(rules: RatingRules) -> RatingFormula:
    """Prepare the rating section of an edition."""
    m, k = rules.modifier, rules.k
    below, above = _bounds(rules.cap)
    counted: list[CountedTerm] = [m.viajera, m.capicua, m.capicua_blocks, m.block_won]
    once = [m.differential.value, m.pollona.value, m.critical_block.value, m.strength.value]
    values = [below, above, *once, *(bonus.value for bonus in counted), *(step.value for step in m.recovery)]
    one = math.lcm(*(value.as_integer_ratio()[1] for value in values))
    units = partial(_units, one=one)
    return RatingFormula(
        one=one,
        start=float(rules.start),
        scale=float(rules.scale),
        by_own_rating=rules.expected == "own_vs_side_average",
        provisional_below=rules.k_provisional_below,
        veteran_matches=rules.veteran.matches,
        veteran_rating=_float_from(rules.veteran.rating),
        casual=("casual", float(k.casual)),
        provisional=("provisional", float(k.provisional)),
        special=("special", float(k.special)),
        veteran=("veteran", float(k.veteran)),
        standard=("standard", float(k.standard)),
        lowest=-units(below),
        highest=units(above),
        differential=units(m.differential.value),
        points=m.differential.points,
        points_by_ruleset=m.differential.points_by_ruleset,
        pollona=units(m.pollona.value),
        viajera=units(m.viajera.value),
        viajera_per_hand=m.viajera.count == "hand",
        capicua=units(m.capicua.value),
        capicua_per_hand=m.capicua.count == "hand",
        capicua_blocks=units(m.capicua_blocks.value),
        capicua_blocks_per_hand=m.capicua_blocks.count == "hand",
        recovery=tuple((s.behind, units(s.value)) for s in sorted(m.recovery, key=lambda s: -s.behind)),
        recovers_from=min((step.behind for step in m.recovery), default=math.inf),
        block_won=units(m.block_won.value),
        block_won_per_hand=m.block_won.count == "hand",
        critical_block=units(m.critical_block.value),
        strength=units(m.strength.value),
        gap=m.strength.gap,
    )


def rate(
    sides: Sequence[Sequence[Standing]],
    winner: int,
    competition: Competition,
    earned: Earned | None,
    formula: RatingFormula,
) -> list[PlayerRatingChange]:
    """The rating changes of a match of two sides, in the order of the sides (CDS text, whole).

    A side is its players, or one team. `earned` is the result of `earned_in`; None if the match was forfeited: M is
    then 0 and has no terms.
    """
    first, second = sides
    averages = (first[0][0], second[0][0]) if len(first) == 1 else (_average(first), _average(second))
    # The winner gains for beating a stronger side as much as the loser loses (CDS text 3.5).
    gap = averages[1 - winner] - averages[winner]
    strength = formula.strength * int(gap // formula.gap) if gap >= formula.gap and earned is not None else 0
    of_winner, of_loser = _NO_TERMS if earned is None else earned
    scale, by_own_rating, lowest, highest = formula.scale, formula.by_own_rating, formula.lowest, formula.highest
    rated = []
    for number, side in enumerate(sides):
        average, opponents = averages[number], averages[1 - number]
        if number == winner:
            outcome, (terms, total), more = 1.0, of_winner, strength
        else:
            outcome, (terms, total), more = 0.0, of_loser, -strength
        if more:
            terms, total = (*terms, ("strength", more)), total + more
        limited = total if lowest <= total <= highest else capped(total, formula)
        modifier, own, expected = limited / formula.one, average, expected_score(average, opponents, scale)
        result = outcome + modifier
        for before, matches in side:
            if by_own_rating:
                own, expected = before, expected_score(before, opponents, scale)
            k_rule, k = k_factor(before, matches, competition, formula)
            after = before + k * (result - expected)
            rated.append(
                PlayerRatingChange(
                    before,
                    matches,
                    after,
                    k,
                    k_rule,
                    outcome,
                    expected,
                    modifier,
                    terms,
                    limited != total,
                    opponents,
                    own,
                )
            )
    return rated


def expected_score(own: float, opponents: float, scale: float) -> float:
    """E: the share of the result that the ratings promise (CDS text 2.1)."""
    try:
        odds: float = 10.0 ** ((opponents - own) / scale)
        return 1.0 / (1.0 + odds)
    except OverflowError:
        return 0.0


def k_factor(rating: float, matches: int, competition: Competition, formula: RatingFormula) -> tuple[str, float]:
    """The first rule for K that applies, and K (CDS text 4). `matches`: earlier rated matches in the mode."""
    if competition == "casual":
        return formula.casual
    if matches < formula.provisional_below:
        return formula.provisional
    if competition == "special":
        return formula.special
    if matches >= formula.veteran_matches and rating >= formula.veteran_rating:
        return formula.veteran
    return formula.standard


def earned_in(achievements: Achievements, difference: int | None, ruleset: str, formula: RatingFormula) -> Earned:
    """The terms of M that do not depend on the players of a match: all except the strength of the sides (CDS text 3).

    `difference`: the winner's final score minus the loser's; None if the ruleset has no points.
    """
    a, f = achievements, formula
    units, won, lost = 0, [], []
    if difference is not None:
        units = f.differential * (difference // f.points_by_ruleset.get(ruleset, f.points))
    if units:
        won.append(("differential", units))
        lost.append(("differential", -units))
    if a.pollona and f.pollona:
        won.append(("pollona", f.pollona))
    if a.viajeras and f.viajera:
        won.append(("viajera", f.viajera * (a.viajeras if f.viajera_per_hand else 1)))
    if a.capicuas and f.capicua:
        won.append(("capicua", f.capicua * (a.capicuas if f.capicua_per_hand else 1)))
    if a.capicuas_blocking and f.capicua_blocks:
        won.append(("capicua_blocks", f.capicua_blocks * (a.capicuas_blocking if f.capicua_blocks_per_hand else 1)))
    if a.trailed_by >= f.recovers_from and (recovery := _recovery(a.trailed_by, f)):
        won.append(("recovery", recovery))
    if a.blocks_won and f.block_won:
        won.append(("block_won", f.block_won * (a.blocks_won if f.block_won_per_hand else 1)))
    if a.critical_block and f.critical_block:
        won.append(("critical_block", f.critical_block))
    return (tuple(won), _total(won)), (tuple(lost), -units)


def capped(total: int, formula: RatingFormula) -> int:
    """M in units, limited to the cap (CDS text 3)."""
    if total > formula.highest:
        return formula.highest
    if total < formula.lowest:
        return formula.lowest
    return total


def overall_rating(a: float, a_matches: int, b: float, b_matches: int, rules: OverallRules) -> float:
    """The weighted average of the ratings in two modes, both of which were played (CDS text 1.3)."""
    of_a, of_b = overall_weights(a_matches, b_matches, rules)
    return of_a * a + of_b * b


def overall_weights(a_matches: int, b_matches: int, rules: OverallRules) -> tuple[float, float]:
    """The weights of two modes in the overall rating, by the matches played in each (CDS text 1.3)."""
    if Decimal(max(a_matches, b_matches)) <= rules.balanced_share * (a_matches + b_matches):
        return 0.5, 0.5
    weight = float(rules.main_weight)
    return (weight, 1.0 - weight) if a_matches >= b_matches else (1.0 - weight, weight)


def shown(rating: float) -> int:
    """A rating as people see it: rounded half up."""
    whole = int(rating // 1)
    return whole + (2 * (rating - whole) >= 1)


def _average(side: Sequence[Standing]) -> float:
    if len(side) == 1:
        return side[0][0]
    total = 0.0
    for rating, _ in side:
        total += rating
    return total / len(side)


def _total(terms: Sequence[Term]) -> int:
    total = 0
    for _, units in terms:
        total += units
    return total


def _recovery(trailed_by: int, formula: RatingFormula) -> int:
    """The units of the highest step that was reached; 0 if none was."""
    for behind, units in formula.recovery:
        if trailed_by >= behind:
            return units
    return 0


def _bounds(cap: Decimal | bool | CapBySign) -> tuple[Decimal, Decimal]:
    """The bounds of M below and above 0, both as positive numbers."""
    match cap:
        case bool():
            return BEYOND_ALL_SENSE, BEYOND_ALL_SENSE
        case CapBySign():
            return cap.below, cap.above
    return cap, cap


def _units(value: Decimal, one: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator * (one // denominator)


def _float_from(least: Decimal) -> float:
    """The lowest float that is not below a decimal. Ratings compare with it exactly as with the decimal."""
    nearest = float(least)
    return nearest if Decimal(nearest) >= least else math.nextafter(nearest, math.inf)
