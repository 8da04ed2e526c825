"""The Domino Score in plain numbers: expected score, K rules, every term of M with its borders, cap, overall."""

from __future__ import annotations

from decimal import Decimal

import pytest
from given import EDITION, FORMULA, modifier
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.rating import (
    RatingFormula,
    capped,
    expected_score,
    formula_of,
    k_factor,
    overall_rating,
    rate,
    shown,
)
from league.domain.result import Achievements
from league.domain.rules import (
    CapBySign,
    CountedTerm,
    DifferentialTerm,
    Modifier,
    RecoveryStep,
    SingleTerm,
    StrengthTerm,
)

RATING = EDITION.rating
NOTHING = Achievements()


def terms(
    won: bool = True,
    achieved: Achievements = NOTHING,
    difference: int | None = 0,
    own: float = 1500.0,
    opponents: float = 1500.0,
    ruleset: str = "cuban-150",
    **other: object,
) -> dict[str, Decimal]:
    """The terms of M by name."""
    formula = formula_of(replace(RATING, modifier=replace(RATING.modifier, **other)))
    return modifier(won, achieved, difference, own, opponents, formula, ruleset)


# ---------------------------------------------------------------- E


def test_equals_expect_half() -> None:
    """Sides with equal ratings each expect a half."""
    assert expected_score(1500.0, 1500.0, 400.0) == 0.5


def test_400_points_more_are_ten_to_one() -> None:
    """The stronger side expects ten elevenths."""
    assert expected_score(1900.0, 1500.0, 400.0) == pytest.approx(10 / 11, abs=1e-15)


def test_the_scale_is_a_rule() -> None:
    """With a scale of 200, 200 points are ten to one."""
    assert expected_score(1700.0, 1500.0, 200.0) == expected_score(1900.0, 1500.0, 400.0)


@given(st.floats(-5000, 10000), st.floats(-5000, 10000))
def test_both_expectations_make_one(own: float, opponents: float) -> None:
    """The expectations of the two sides add up to 1."""
    both = expected_score(own, opponents, 400.0) + expected_score(opponents, own, 400.0)
    assert abs(both - 1.0) <= 1e-12


@given(st.floats(0, 4000), st.floats(0, 4000), st.floats(1, 500))
def test_a_stronger_side_is_expected_to_do_better(own: float, opponents: float, more: float) -> None:
    """A higher own rating never lowers E, a higher rating of the others never raises it."""
    here = expected_score(own, opponents, 400.0)
    assert expected_score(own + more, opponents, 400.0) >= here >= expected_score(own, opponents + more, 400.0)


# ---------------------------------------------------------------- K, the first that applies


@pytest.mark.parametrize(
    ("competition", "matches", "rating", "rule", "k"),
    [
        # casual comes first, for newcomers and veterans alike
        ("casual", 0, 1500.0, "casual", 10),
        ("casual", 29, 1500.0, "casual", 10),
        ("casual", 500, 2500.0, "casual", 10),
        # then provisional, in a special tournament too
        ("competitive", 0, 1500.0, "provisional", 40),
        ("competitive", 29, 2400.0, "provisional", 40),
        ("special", 29, 1500.0, "provisional", 40),
        # then special, also for veterans
        ("special", 30, 1500.0, "special", 40),
        ("special", 100, 2000.0, "special", 40),
        # then veterans, by matches and rating
        ("competitive", 100, 2000.0, "veteran", 10),
        ("competitive", 100, 1999.9999, "standard", 20),
        ("competitive", 99, 2000.0, "standard", 20),
        # and everybody else
        ("competitive", 30, 1500.0, "standard", 20),
        ("competitive", 1000, 1500.0, "standard", 20),
    ],
)
def test_the_first_k_rule_that_applies(competition: str, matches: int, rating: float, rule: str, k: int) -> None:
    """casual, provisional, special, veteran, standard, in this order, with every border."""
    assert k_factor(rating, matches, competition, FORMULA) == (rule, k)


def test_k_and_its_borders_are_rules() -> None:
    """Another edition has other values of K and other borders."""
    formula = formula_of(replace(RATING, provisional_below=5, k=replace(RATING.k, standard=Decimal("17.5"))))
    assert k_factor(1500.0, 5, "competitive", formula) == ("standard", 17.5)
    assert k_factor(1500.0, 4, "competitive", formula)[0] == "provisional"


def test_k_may_count_provisional_matches_apart() -> None:
    """K is provisional below its own count; how long a rating is shown as provisional does not matter then."""
    formula = formula_of(replace(RATING, provisional_below=30, k=replace(RATING.k, provisional_below=10)))
    assert k_factor(1500.0, 9, "competitive", formula)[0] == "provisional"
    assert k_factor(1500.0, 10, "competitive", formula)[0] == "standard"


# ---------------------------------------------------------------- M, term by term


@pytest.mark.parametrize(
    ("difference", "value"),
    [(0, None), (9, None), (10, "0.05"), (19, "0.05"), (20, "0.10"), (30, "0.15"), (150, "0.75"), (209, "1.00")],
)
def test_the_differential_counts_full_tens(difference: int, value: str | None) -> None:
    """9 points are nothing, 10 are 0.05; the loser gets the same below zero."""
    expected = None if value is None else Decimal(value)
    assert terms(difference=difference).get("differential") == expected
    assert terms(won=False, difference=difference).get("differential") == (None if value is None else -expected)


def test_there_is_no_differential_without_a_score() -> None:
    """Games without points, and results of which only the winner is known."""
    assert terms(difference=None) == {}
    assert terms(won=False, difference=None) == {}


def test_the_step_of_the_differential_may_differ_by_ruleset() -> None:
    """In a game to 500 every 25 points could count."""
    step = DifferentialTerm(value=Decimal("0.05"), points=10, points_by_ruleset={"dominican-500": 25})
    assert terms(difference=49, ruleset="dominican-500", differential=step)["differential"] == Decimal("0.05")
    assert terms(difference=50, ruleset="dominican-500", differential=step)["differential"] == Decimal("0.10")
    assert terms(difference=50, ruleset="cuban-150", differential=step)["differential"] == Decimal("0.25")


@pytest.mark.parametrize(
    ("achieved", "rule", "value"),
    [
        (Achievements(pollona=True), "pollona", "0.2"),
        (Achievements(viajeras=1), "viajera", "0.1"),
        (Achievements(capicuas=1), "capicua", "0.1"),
        (Achievements(blocks_won=1), "block_won", "0.1"),
        (Achievements(critical_block=True), "critical_block", "0.1"),
    ],
)
def test_an_achievement_is_the_winners_alone(achieved: Achievements, rule: str, value: str) -> None:
    """The loser gets nothing from it, above or below zero."""
    assert terms(achieved=achieved) == {rule: Decimal(value)}
    assert terms(won=False, achieved=achieved) == {}


def test_a_capicua_that_blocks_adds_a_further_tenth() -> None:
    """0.1 for the capicúa and 0.1 for the block, and no block won: it is a domino."""
    assert terms(achieved=Achievements(capicuas=1, capicuas_blocking=1)) == {
        "capicua": Decimal("0.1"), "capicua_blocks": Decimal("0.1")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("behind", "value"), [(0, None), (49, None), (50, "0.15"), (99, "0.15"), (100, "0.25"), (400, "0.25")]
)
def test_a_recovery_counts_its_highest_step_only(behind: int, value: str | None) -> None:
    """49 is nothing, 50 to 99 is 0.15, from 100 on 0.25 and not both."""
    expected = None if value is None else Decimal(value)
    assert terms(achieved=Achievements(trailed_by=behind)).get("recovery") == expected


def test_recovery_steps_may_stand_in_any_order() -> None:
    """The highest that was reached counts, wherever it is written."""
    steps = (RecoveryStep(behind=100, value=Decimal("0.25")), RecoveryStep(behind=50, value=Decimal("0.15")))
    assert terms(achieved=Achievements(trailed_by=120), recovery=steps)["recovery"] == Decimal("0.25")
    assert terms(achieved=Achievements(trailed_by=60), recovery=steps)["recovery"] == Decimal("0.15")
    assert "recovery" not in terms(achieved=Achievements(trailed_by=120), recovery=())


@pytest.mark.parametrize(
    ("gap", "value"), [(0.0, None), (99.99, None), (100.0, "0.05"), (199.0, "0.05"), (200.0, "0.10"), (1000.0, "0.50")]
)
def test_strength_counts_full_hundreds_for_beating_a_stronger_side(gap: float, value: str | None) -> None:
    """99 points are nothing, 100 are 0.05; the stronger side that lost gets the same below zero."""
    expected = None if value is None else Decimal(value)
    assert terms(own=1500.0, opponents=1500.0 + gap).get("strength") == expected
    assert terms(won=False, own=1500.0 + gap, opponents=1500.0).get("strength") == (
        None if value is None else -expected
    )


def test_a_forfeit_has_no_term_at_all() -> None:
    """The gap between the sides, the hands and the score give no term."""
    formula = formula_of(RATING)
    both = rate([[(1500.0, 50)], [(1800.0, 50)]], 0, "competitive", None, formula)
    assert [(one.modifier, one.terms, one.capped, one.outcome) for one in both] == [
        (0.0, (), False, 1.0),
        (0.0, (), False, 0.0),
    ]
    assert [one.after for one in both] == [one.before + one.k * (one.outcome - one.expected) for one in both]


def test_strength_is_nothing_when_the_stronger_side_won() -> None:
    """Neither the winner nor the loser has the term."""
    assert terms(own=1900.0, opponents=1500.0) == {}
    assert terms(won=False, own=1500.0, opponents=1900.0) == {}


@pytest.mark.parametrize("rule", ["viajera", "capicua", "capicua_blocks", "block_won"])
def test_a_term_counts_once_a_match_or_once_a_hand(rule: str) -> None:
    """`count`: three hands earn 0.1 by the match and 0.3 by the hand; none earn nothing either way."""
    three = Achievements(viajeras=3, capicuas=3, capicuas_blocking=3, blocks_won=3)
    by_hand = {rule: CountedTerm(value=Decimal("0.1"), count="hand")}
    assert terms(achieved=three)[rule] == Decimal("0.1")
    assert terms(achieved=three, **by_hand)[rule] == Decimal("0.3")
    assert rule not in terms(**by_hand)


def test_terms_of_a_match_add_up_exactly() -> None:
    """Decimals: 0.05 three times and 0.2 and 0.15 are 0.5, not nearly."""
    achieved = Achievements(capicuas=1, capicuas_blocking=1, trailed_by=50)
    assert sum(terms(achieved=achieved, difference=30).values()) == Decimal("0.5")


# ---------------------------------------------------------------- cap


def kept(modifier: Decimal, formula: RatingFormula = FORMULA) -> Decimal:
    """The part of M that the cap leaves."""
    units = modifier * formula.one
    assert units == int(units)
    return Decimal(capped(int(units), formula)) / formula.one


@pytest.mark.parametrize(
    ("modifier", "left"),
    [("0.95", "0.95"), ("1.0", "1.0"), ("1.05", "1"), ("-1.05", "-1"), ("-1", "-1"), ("0", "0")],
)
def test_the_modifier_is_capped(modifier: str, left: str) -> None:
    """M is limited to the range from -1 to +1."""
    assert kept(Decimal(modifier)) == Decimal(left)


def test_the_cap_may_be_off_or_another_number() -> None:
    """`cap = false` leaves M unlimited."""
    assert kept(Decimal("2.35"), formula_of(replace(RATING, cap=False))) == Decimal("2.35")
    assert kept(Decimal("2.35"), formula_of(replace(RATING, cap=Decimal("0.5")))) == Decimal("0.5")


@pytest.mark.parametrize(
    ("modifier", "left"),
    [("0.75", "0.75"), ("0.8", "0.75"), ("-0.5", "-0.5"), ("-0.55", "-0.5"), ("-0.45", "-0.45"), ("0", "0")],
)
def test_the_cap_may_differ_by_sign(modifier: str, left: str) -> None:
    """M is limited to the range from -0.5 to +0.75."""
    by_sign = CapBySign(below=Decimal("0.5"), above=Decimal("0.75"))
    assert kept(Decimal(modifier), formula_of(replace(RATING, cap=by_sign))) == Decimal(left)


# ---------------------------------------------------------------- R'


def test_the_seeds_example() -> None:
    """A 1550 beats B 1500 by 150-120, capicúa in a block, trailed by 50: 1568.57…, shown 1569."""
    achieved = Achievements(capicuas=1, capicuas_blocking=1, trailed_by=50)
    awarded = terms(achieved=achieved, difference=30, own=1550.0, opponents=1500.0)
    assert awarded == {
        "differential": Decimal("0.15"), "capicua": Decimal("0.1"), "capicua_blocks": Decimal("0.1"),
        "recovery": Decimal("0.15"),
    }  # fmt: skip
    m = kept(sum(awarded.values(), Decimal(0)))
    expected = expected_score(1550.0, 1500.0, 400.0)
    after = 1550.0 + 20.0 * ((1.0 + float(m)) - expected)
    assert m == Decimal("0.5")
    assert expected == pytest.approx(0.57146, abs=5e-6)
    assert after == 1550.0 + 20.0 * ((1.0 + 0.5) - expected)
    assert after == pytest.approx(1568.57, abs=5e-3)
    assert shown(after) == 1569


@pytest.mark.parametrize(
    ("rating", "people_see"),
    [(1568.5, 1569), (1568.4999999, 1568), (1500.0, 1500), (1569.5, 1570), (-0.5, 0), (-1.5, -1), (-0.51, -1)],
)
def test_ratings_are_shown_rounded_half_up(rating: float, people_see: int) -> None:
    """Halves are not rounded to the even number."""
    assert shown(rating) == people_see


ZERO = Decimal(0)
NO_MODIFIER = Modifier(
    differential=DifferentialTerm(value=ZERO, points=10),
    pollona=SingleTerm(value=ZERO),
    viajera=CountedTerm(value=ZERO, count="hand"),
    capicua=CountedTerm(value=ZERO, count="match"),
    capicua_blocks=CountedTerm(value=ZERO, count="match"),
    recovery=(RecoveryStep(behind=50, value=ZERO),),
    block_won=CountedTerm(value=ZERO, count="match"),
    critical_block=SingleTerm(value=ZERO),
    strength=StrengthTerm(value=ZERO, gap=100),
)


@given(st.floats(500, 3000), st.floats(500, 3000), st.integers(0, 400))
def test_without_a_modifier_what_one_gains_the_other_loses(a: float, b: float, difference: int) -> None:
    """1v1, every value of M zero and the same K: the sum of both ratings stays."""
    formula = formula_of(replace(RATING, modifier=NO_MODIFIER))
    everything = Achievements(True, 3, 2, 1, 120, 4, critical_block=True)
    winner = modifier(True, everything, difference, a, b, formula)
    loser = modifier(False, everything, difference, b, a, formula)
    assert winner == loser == {}
    after_a = a + 20.0 * (1.0 - expected_score(a, b, 400.0))
    after_b = b + 20.0 * (0.0 - expected_score(b, a, 400.0))
    assert after_a + after_b == pytest.approx(a + b, abs=1e-9)
    assert after_a > a
    assert after_b < b


# ---------------------------------------------------------------- overall


@pytest.mark.parametrize(
    ("a_matches", "b_matches", "rating"),
    [
        (10, 10, 1550.0),  # half each
        (11, 9, 1550.0),  # a share of exactly 0.55 is still balanced
        (9, 11, 1550.0),
        (111, 89, 1540.0),  # 0.555: the main mode weighs 0.6
        (89, 111, 1560.0),
        (12, 8, 1540.0),
        (1, 100, 1560.0),
    ],
)
def test_overall_weighs_the_mode_with_more_matches(a_matches: int, b_matches: int, rating: float) -> None:
    """0.6 for the main mode, half each while its share is at most 0.55; 1500 in one mode, 1600 in the other."""
    assert overall_rating(1500.0, a_matches, 1600.0, b_matches, RATING.overall) == pytest.approx(rating, abs=1e-9)


@given(st.floats(0, 3000), st.integers(1, 300), st.floats(0, 3000), st.integers(1, 300))
def test_overall_does_not_depend_on_which_mode_is_named_first(a: float, m: int, b: float, n: int) -> None:
    """1v1 and 2v2 are treated alike, and the average lies between both."""
    overall = overall_rating(a, m, b, n, RATING.overall)
    assert overall == overall_rating(b, n, a, m, RATING.overall)
    assert min(a, b) - 1e-9 <= overall <= max(a, b) + 1e-9
