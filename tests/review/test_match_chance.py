"""The chance to win a match from a score."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_hands import RULESETS, played_hand

from league.domain.play import Turn
from league.domain.tiles import Tile
from league.domain.transcript import Transcript
from league.review.decisions import PlayDecision, TranscribedHand, decisions
from league.review.options import match_chance, weigh

POINTS = st.integers(min_value=0, max_value=199)


@pytest.mark.heavy
@given(POINTS, POINTS)
def test_the_chances_of_both_sides_add_up_and_grow_with_the_score(own: int, other: int) -> None:
    """Equal scores are even, more points are never worse, and a side that has reached the target has won."""
    chances = match_chance(RULESETS["dominican-200"], "2v2")
    assert chances is not None
    assert isclose(chances.after((own, other)) + chances.after((other, own)), 1, abs_tol=1e-9)
    assert chances.after((own, own)) == pytest.approx(0.5)
    assert chances.after((own + 1, other)) >= chances.after((own, other)) - 1e-9
    assert (chances.after((200, other)), chances.after((own, 201))) == (1, 0)


def test_only_matches_of_two_sides_that_count_points_have_chances() -> None:
    """Individuals, and matches that count hands, have no chances."""
    assert match_chance(RULESETS["cuban-150"], "individuals") is None
    assert all(match_chance(rules, "2v2") is None for rules in RULESETS.values() if rules.scoring != "points")


@pytest.mark.heavy
def test_a_move_has_the_chances_after_it_and_after_the_best_one() -> None:
    """The chances of a move lie between 0 and 1, and are equal if the move is the best one."""
    for decision in [one for one in decisions(played_hand(3)) if len(one.seen.plays) > 1][:4]:
        weighed = weigh(decision, 1, 32)
        assert weighed.chances is not None
        played, best = weighed.chances
        assert 0 <= played <= 1
        assert 0 <= best <= 1
        assert (weighed.loss.value != 0) or played == best


DEALT: tuple[tuple[Tile, ...], ...] = (
    ((3, 3), (2, 3), (2, 2), (2, 6), (1, 5), (0, 4), (5, 5)),
    ((1, 4), (1, 1), (5, 6), (0, 3), (0, 0), (1, 6), (4, 5)),
    ((0, 2), (0, 6), (4, 6), (3, 6), (3, 5), (1, 3), (6, 6)),
    ((1, 2), (0, 1), (3, 4), (4, 4), (2, 4), (0, 5), (2, 5)),
)
TURNS = (
    Turn(2, (0, 6), None), Turn(3, (1, 0), "left"), Turn(0, (5, 1), "left"), Turn(1, (6, 1), "right"),
    Turn(2, (1, 3), "right"), Turn(3, (2, 5), "left"), Turn(0, (6, 2), "left"), Turn(1, (5, 6), "left"),
    Turn(2, (3, 6), "right"), Turn(3, (0, 5), "left"), Turn(0, (4, 0), "left"), Turn(1, (5, 4), "left"),
    Turn(2, (6, 4), "right"), Turn(3, (4, 2), "right"), Turn(0, (5, 5), "left"), Turn(1, None, None),
    Turn(2, (2, 0), "right"), Turn(3, None, None), Turn(0, None, None), Turn(1, (0, 0), "right"),
    Turn(2, (3, 5), "left"), Turn(3, (4, 3), "left"), Turn(0, None, None), Turn(1, (1, 4), "left"),
    Turn(2, None, None), Turn(3, (2, 1), "left"), Turn(0, (2, 2), "left"), Turn(1, (0, 3), "right"),
    Turn(2, None, None), Turn(3, None, None), Turn(0, (3, 3), "right"), Turn(1, None, None),
    Turn(2, None, None), Turn(3, None, None), Turn(0, (3, 2), "right"),
)  # fmt: skip
"""Seat 0 plays 3-3, all others pass, and it goes out with 3-2 as capicúa; the opponents hold 10 pips."""


def last_decision(score: tuple[int, int]) -> PlayDecision:
    """The last move of that hand, from a score."""
    hand = TranscribedHand(Transcript(DEALT, TURNS), RULESETS["dominican-200"], "2v2", 2, score)
    *_, last = decisions(hand)
    return last


def test_the_chances_of_a_move_know_what_the_hand_has_earned() -> None:
    """From 116-195 the pase corrido gives 25, the capicúa 50, and the pips 10: the match is won, 201-195."""
    assert weigh(last_decision((116, 195)), 0).chances == (1.0, 1.0)
    played, _ = weigh(last_decision((91, 195)), 0).chances or (None, None)
    assert played == pytest.approx(0.348, abs=0.0005), "with 176-195"


def test_the_worth_of_a_move_knows_what_the_hand_has_earned() -> None:
    """The pase corrido gives 25 beside the capicúa and the pips; from 190-0 only 10 of these points are of use."""
    assert {option.worth.value for option in weigh(last_decision((190, 0)), 0).options} == {10.0}
    for option in weigh(last_decision((0, 0)), 0).options:
        assert option.worth.value >= 25 + 50 + 10, "in no deal do the opponents hold less"
