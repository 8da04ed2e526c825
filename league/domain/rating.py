"""The arithmetic of the Domino Score (CDS text): functions of plain numbers, so that it can run in bulk."""

import math
from decimal import Decimal

from league.domain.result import Achievements
from league.domain.rules import Competition, CountedBonus, Overall, Rating

ModifierTerm = tuple[str, Decimal]
"""The rule's name and what it adds to M."""


def expected_score(own: float, opponents: float, scale: float) -> float:
    """E: the share of the result that the ratings promise (CDS text 2.1)."""
    try:
        return 1.0 / (1.0 + math.pow(10.0, (opponents - own) / scale))
    except OverflowError:
        return 0.0


def k_factor(rating: float, matches: int, competition: Competition, rules: Rating) -> tuple[str, Decimal]:
    """K and the name of the first rule that applies (CDS text 4). `matches`: rated ones before, in the mode."""
    k = rules.k
    if competition == "casual":
        return "casual", k.casual
    if matches < rules.provisional_below:
        return "provisional", k.provisional
    if competition == "special":
        return "special", k.special
    if matches >= rules.veteran.matches and rating >= rules.veteran.rating:
        return "veteran", k.veteran
    return "standard", k.standard


def modifier_terms(
    won: bool,
    achievements: Achievements,
    difference: int | None,
    ruleset: str,
    own: float,
    opponents: float,
    rules: Rating,
) -> list[ModifierTerm]:
    """The terms of M for one side, those that are not zero (CDS text 3).

    `difference`: winner's minus loser's final score, None without points; `own`, `opponents`: the ratings that the
    strength term compares.
    """
    m = rules.modifier
    sign = 1 if won else -1
    terms: list[ModifierTerm] = []
    if difference is not None:
        step = m.differential.points_by_ruleset.get(ruleset, m.differential.points)
        terms.append(("differential", sign * m.differential.value * (difference // step)))
    if won:
        a = achievements
        terms.append(("pollona", m.pollona.value * a.pollona))
        terms.append(("viajera", _counted(m.viajera, a.viajeras)))
        terms.append(("capicua", _counted(m.capicua, a.capicuas)))
        terms.append(("capicua_blocks", _counted(m.capicua_blocks, a.capicuas_blocking)))
        reached = [step for step in m.recovery if a.trailed_by >= step.behind]
        if reached:
            terms.append(("recovery", max(reached, key=lambda step: step.behind).value))
        terms.append(("block_won", _counted(m.block_won, a.blocks_won)))
        terms.append(("critical_block", m.critical_block.value * a.critical_block))
    weaker, stronger = (own, opponents) if won else (opponents, own)
    if stronger > weaker:
        terms.append(("strength", sign * m.strength.value * int((stronger - weaker) // m.strength.gap)))
    return [(rule, value) for rule, value in terms if value]


BEYOND_ALL_SENSE = Decimal(1_000)
"""Without a cap M still ends here: ratings that feed on their own gaps would leave all numbers behind."""


def capped(modifier: Decimal, rules: Rating) -> Decimal:
    """M kept within the cap, where the edition has one (CDS text 3)."""
    cap = BEYOND_ALL_SENSE if isinstance(rules.cap, bool) else rules.cap
    return max(-cap, min(cap, modifier))


def rating_after(before: float, k: float, outcome: float, modifier: float, expected: float) -> float:
    """R' = R + K * ((S + M) - E), computed in this order (CDS text 2)."""
    return before + k * ((outcome + modifier) - expected)


def overall_rating(a: float, a_matches: int, b: float, b_matches: int, rules: Overall) -> float:
    """The weighted average of two modes that were both played (CDS text 1.3)."""
    main, main_matches, other = (a, a_matches, b) if a_matches >= b_matches else (b, b_matches, a)
    if Decimal(main_matches) <= rules.balanced_share * (a_matches + b_matches):
        return 0.5 * a + 0.5 * b
    weight = float(rules.main_weight)
    return weight * main + (1.0 - weight) * other


def shown(rating: float) -> int:
    """A rating as people see it: rounded half up."""
    whole = int(rating // 1)
    return whole + (2 * (rating - whole) >= 1)


def _counted(bonus: CountedBonus, times: int) -> Decimal:
    return bonus.value * (times if bonus.count == "hand" else min(times, 1))
