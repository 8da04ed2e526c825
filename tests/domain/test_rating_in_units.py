"""The arithmetic of ratings in whole units gives, bit for bit, what the rules say in decimals."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from rating_rules import achieved, ratings

from league.domain.rating import BEYOND_ALL_SENSE, PlayerRatingChange, earned_in, expected_score, formula_of, rate
from league.domain.result import Achievements
from league.domain.rules import CapBySign, Competition, CountedTerm, RatingRules

standings = st.tuples(st.floats(800, 3000), st.integers(0, 150))
competitions = st.sampled_from(["competitive", "casual", "special"])


@given(
    ratings(), st.lists(standings, min_size=1, max_size=2), st.data(), st.integers(0, 1), competitions, achieved,
    st.none() | st.integers(0, 400),
)  # fmt: skip
def test_units_give_what_decimals_give(
    rules: RatingRules,
    first: list[tuple[float, int]],
    data: st.DataObject,
    winner: int,
    competition: Competition,
    achievements: Achievements,
    difference: int | None,
) -> None:
    """Every term, the cap, K and the rating after, for one or two players a side and for any edition."""
    sides = (first, data.draw(st.lists(standings, min_size=len(first), max_size=len(first))))
    formula = formula_of(rules)
    rated = rate(sides, winner, competition, earned_in(achievements, difference, "cuban-150", formula), formula)
    in_order = [(number, standing) for number, side in enumerate(sides) for standing in side]
    averages = [sum(rating for rating, _ in side) / len(side) for side in sides]
    for (number, (before, matches)), found in zip(in_order, rated, strict=True):
        won, average, opponents = number == winner, averages[number], averages[1 - number]
        terms = in_decimals(won, achievements, difference, average, opponents, rules)
        total = sum((value for _, value in terms), Decimal(0))
        cap = BEYOND_ALL_SENSE if isinstance(rules.cap, bool) else rules.cap
        below, above = (cap.below, cap.above) if isinstance(cap, CapBySign) else (cap, cap)
        kept = max(-below, min(above, total))
        own = before if rules.expected == "own_vs_side_average" else average
        expected, modifier = expected_score(own, opponents, float(rules.scale)), float(kept)
        k_rule = k_rule_of(before, matches, competition, rules)
        k = float(getattr(rules.k, k_rule))
        after = before + k * ((float(won) + modifier) - expected)
        units = tuple((rule, int(value * formula.one)) for rule, value in terms)
        assert found == PlayerRatingChange(
            before, matches, after, k, k_rule, float(won), expected, modifier, units, kept != total, opponents, own
        )


def in_decimals(
    won: bool, a: Achievements, difference: int | None, own: float, opponents: float, rules: RatingRules
) -> list[tuple[str, Decimal]]:
    """The terms of M, said as the source text says them."""
    m, sign = rules.modifier, 1 if won else -1
    terms = []
    if difference is not None:
        terms.append(("differential", sign * m.differential.value * (difference // m.differential.points)))
    if won:
        reached = [step for step in m.recovery if a.trailed_by >= step.behind]
        terms += [
            ("pollona", m.pollona.value * a.pollona),
            ("viajera", counted_value(m.viajera, a.viajeras)),
            ("capicua", counted_value(m.capicua, a.capicuas)),
            ("capicua_blocks", counted_value(m.capicua_blocks, a.capicuas_blocking)),
            ("recovery", max(reached, key=lambda step: step.behind).value if reached else Decimal(0)),
            ("block_won", counted_value(m.block_won, a.blocks_won)),
            ("critical_block", m.critical_block.value * a.critical_block),
        ]
    weaker, stronger = (own, opponents) if won else (opponents, own)
    gaps = int((stronger - weaker) // m.strength.gap) if stronger > weaker else 0
    terms.append(("strength", sign * m.strength.value * gaps))
    return [(rule, value) for rule, value in terms if value]


def counted_value(bonus: CountedTerm, times: int) -> Decimal:
    """The value of a term that counts once per match, or once for every hand."""
    return bonus.value * (times if bonus.count == "hand" else min(times, 1))


def k_rule_of(rating: float, matches: int, competition: Competition, rules: RatingRules) -> str:
    """The first rule for K that applies."""
    if competition == "casual":
        return "casual"
    below = rules.k.provisional_below
    if matches < (rules.provisional_below if below is None else below):
        return "provisional"
    if competition == "special":
        return "special"
    veteran = matches >= rules.veteran.matches and rating >= rules.veteran.rating
    return "veteran" if veteran else "standard"
