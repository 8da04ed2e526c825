"""The chance to win a match from a score."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_hands import RULESETS, played_hand

from league.review.decisions import decisions
from league.review.match_chance import match_chance
from league.review.options import weigh

POINTS = st.integers(min_value=0, max_value=199)


@given(POINTS, POINTS)
def test_the_chances_of_both_sides_add_up_and_grow_with_the_score(own: int, other: int) -> None:
    """Equal scores are even; more points are never worse; who has reached the target has won."""
    chances = match_chance(RULESETS["dominican-200"], "2v2")
    assert chances is not None
    assert isclose(chances.after((own, other)) + chances.after((other, own)), 1, abs_tol=1e-9)
    assert chances.after((own, own)) == pytest.approx(0.5)
    assert chances.after((own + 1, other)) >= chances.after((own, other)) - 1e-9
    assert (chances.after((200, other)), chances.after((own, 201))) == (1, 0)


def test_only_matches_of_two_sides_that_count_points_have_chances() -> None:
    """Individuals and matches that count hands have none."""
    assert match_chance(RULESETS["cuban-150"], "individuals") is None
    assert all(match_chance(rules, "2v2") is None for rules in RULESETS.values() if rules.scoring != "points")


def test_a_move_has_the_chances_after_it_and_after_the_best_one() -> None:
    """Between 0 and 1; the same where the best one was played."""
    for decision in [one for one in decisions(played_hand(3)) if len(one.seen.plays) > 1][:4]:
        weighed = weigh(decision, 1, 32)
        assert weighed.chances is not None
        played, best = weighed.chances
        assert 0 <= played <= 1
        assert 0 <= best <= 1
        assert (weighed.loss.value != 0) or played == best
