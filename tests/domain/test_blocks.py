"""Who wins a blocked hand: every option of `block_winner` and `block_tie`, and what cannot be derived."""

from __future__ import annotations

import pytest
from given import block, hand_terms, points_of, ruleset, scored

from league.domain.hand import HandFacts
from league.domain.rules import Ruleset

CUBAN = ruleset("cuban-150")
LOWEST = ruleset("doscientos-200")
LOCKER = ruleset("dominican-200")
EVERY_TIE = ("previous_winner", "starting_draw", "starter", "locker", "no_score")


# ---------------------------------------------------------------- block_winner


def test_side_total_gives_a_block_to_the_side_with_the_lowest_sum() -> None:
    """20 + 20 beats 1 + 40: partners' pips are added, the single lowest hand does not matter."""
    hand = scored(block(1, 20, 1, 20, 40), CUBAN)
    assert (hand.winner, hand.points) == (0, (41, 0))


def test_side_total_names_the_winning_sides_lowest_hand() -> None:
    """The winning seat is the lowest hand of the winning side, here seat 2."""
    assert scored(block(1, 25, 1, 15, 40), CUBAN).winning_seat == 2


def test_equal_hands_of_one_side_go_to_the_first_in_turn_order_from_the_starter() -> None:
    """Seats 0 and 2 hold the same; after starter 1 seat 2 comes first, after starter 3 seat 0."""
    assert scored(block(1, 20, 1, 20, 40, starter=1), CUBAN).winning_seat == 2
    assert scored(block(1, 20, 1, 20, 40, starter=3), CUBAN).winning_seat == 0
    assert scored(block(1, 20, 1, 20, 40, starter=2), CUBAN).winning_seat == 2


def test_side_total_in_1v1_is_the_lower_hand() -> None:
    """Where a side is one player its sum is its hand."""
    hand = scored(block(0, 30, 29), CUBAN)
    assert (hand.winner, hand.winning_seat, hand.points) == (1, 1, (0, 30))


def test_lowest_hand_gives_a_block_to_the_lowest_single_hand() -> None:
    """1 beats 20, 20 and 40, though its side holds more in sum; the partner's pips count too."""
    hand = scored(block(0, 20, 1, 20, 40), LOWEST)
    assert (hand.winner, hand.winning_seat, hand.points) == (1, 1, (0, 80))


def test_two_lowest_hands_of_one_side_are_no_tie() -> None:
    """A tie is one between different sides: partners with 10 each win outright, whatever a tie would say."""
    rules = ruleset("doscientos-200", block_tie="no_score")
    hand = scored(block(0, 10, 11, 10, 12, starter=1), rules)
    assert (hand.winner, hand.winning_seat) == (0, 2)


def test_locker_vs_next_compares_two_seats_only() -> None:
    """The locker with 9 beats the next seat with 10, though others hold less."""
    hand = scored(block(3, 10, 1, 0, 9), LOCKER)
    assert (hand.winner, hand.points) == (1, (0, 10))


def test_locker_vs_next_gives_the_hand_to_the_next_seat_when_it_holds_less() -> None:
    """Locker 1 holds 12, seat 2 holds 11: side 0 wins, and scores both opponents' pips."""
    hand = scored(block(1, 30, 12, 11, 5), LOCKER)
    assert (hand.winner, hand.points) == (0, (17, 0))


def test_the_compared_seat_wins_a_duel() -> None:
    """Seat 2 won the duel and is credited, though its partner holds less."""
    assert scored(block(1, 3, 12, 11, 5), LOCKER).winning_seat == 2


@pytest.mark.parametrize("by", ["side_total", "lowest_hand", "locker_vs_next"])
def test_a_block_without_a_tie_does_not_ask_how_ties_are_settled(by: str) -> None:
    """With different numbers every option of `block_tie` gives the same winner."""
    rules = [ruleset("cuban-150", block_winner=by, block_tie=option) for option in EVERY_TIE]
    assert {scored(block(0, 10, 20, 30, 40), each).winning_seat for each in rules} == {0}


# ---------------------------------------------------------------- block_tie


def tie(option: str, **more: object) -> int | None:
    """The winning side of a 1v1 block with 20 pips on either side; seat 1 started, seat 0 locked."""
    rules = ruleset("cuban-150", block_tie=option)
    return scored(block(0, 20, 20, starter=1), rules, **more).winner


def test_previous_winner_wins_a_tie() -> None:
    """The side that won the last hand that had a winner."""
    assert tie("previous_winner", last_winner=0) == 0
    assert tie("previous_winner", last_winner=1) == 1


def test_previous_winner_without_one_falls_to_the_starting_draw() -> None:
    """In the first hand the higher tile of the starting draw decides."""
    assert tie("previous_winner", draw=((9, 9), (1, 1))) == 0
    assert tie("previous_winner", draw=((1, 2), (1, 3))) == 1


def test_previous_winner_without_one_and_without_a_draw_falls_to_the_starter() -> None:
    """Seat 1 started."""
    assert tie("previous_winner") == 1


def test_the_starting_draw_wins_a_tie_even_after_other_hands() -> None:
    """With `starting_draw` the last winner is not asked."""
    assert tie("starting_draw", last_winner=1, draw=((9, 9), (1, 1))) == 0


def test_the_starting_draw_goes_by_pips() -> None:
    """6-5 beats 9-1 and 5-5: pips count, not the highest half or a double."""
    rules = ruleset("cuban-150", block_tie="starting_draw")
    hand = scored(block(0, 20, 20, 20, 20, starter=1), rules, draw=((9, 1), (6, 5), (5, 5), (0, 0)))
    assert hand.winner == 1


def test_a_starting_draw_that_did_not_decide_is_taken_as_unknown() -> None:
    """Two seats drew the most: the recorded draw was not the deciding one, so the starter wins."""
    assert tie("starting_draw", draw=((9, 1), (5, 5))) == 1


def test_the_starter_wins_a_tie() -> None:
    """Seat 1 started."""
    assert tie("starter", last_winner=0, draw=((9, 9), (1, 1))) == 1


def test_the_locker_wins_a_tie() -> None:
    """Seat 0 locked."""
    assert tie("locker", last_winner=1) == 0


def test_nobody_wins_a_tie_under_no_score() -> None:
    """No winner, no points, and nothing lacks a judgement: the block is known to have no winner."""
    hand = scored(block(0, 20, 20), ruleset("cuban-150", block_tie="no_score"))
    assert (hand.winner, hand.winning_seat, hand.points, hand.terms, hand.not_judged) == (None, None, (0, 0), (), ())


@pytest.mark.parametrize(
    ("option", "facts"),
    [("starter", block(0, 20, 20, starter=None)), ("locker", block(None, 20, 20)),
     ("previous_winner", block(0, 20, 20, starter=None)), ("starting_draw", block(0, 20, 20, starter=None))],
)  # fmt: skip
def test_a_tie_whose_seat_is_unknown_has_no_winner(option: str, facts: HandFacts) -> None:
    """If the starter and the locker are unknown, the block has no winner and its pips are not judged."""
    hand = scored(facts, ruleset("cuban-150", block_tie=option))
    assert (hand.winner, hand.points, hand.not_judged) == (None, (0, 0), ("leftover",))


def test_the_winner_of_a_tie_scores_the_losers_pips() -> None:
    """The winner of a tie scores like any winner."""
    hand = scored(block(0, 20, 20, starter=1), ruleset("cuban-150", block_tie="starter"))
    assert hand_terms(hand) == [(1, "leftover", 20)]


def test_a_tie_of_sides_goes_to_the_lowest_hand_of_the_named_side() -> None:
    """Both sides hold 30; seat 1's side is named, and seat 3 holds less."""
    hand = scored(block(0, 10, 25, 20, 5, starter=1), ruleset("cuban-150", block_tie="starter"))
    assert (hand.winner, hand.winning_seat, hand.points) == (1, 3, (0, 30))


@pytest.mark.parametrize(
    ("locker", "starter", "held", "winning_seat"),
    [
        (0, 0, (9, 9, 0, 4), 0),
        (0, 1, (9, 9, 0, 4), 1),
        (0, 2, (9, 9, 0, 4), 0),
        (0, 3, (9, 9, 0, 4), 1),
        (3, 2, (8, 1, 2, 8), 0),
        (1, 0, (None, 8, 8, None), 2),
    ],
    ids=["the locker starts", "the next starts", "a partner starts", "the other one starts", "round the table",
         "pips of partners unknown"],
)  # fmt: skip
def test_a_tied_duel_is_won_by_one_of_the_two_that_were_compared(
    locker: int, starter: int, held: tuple[int | None, ...], winning_seat: int
) -> None:
    """The starter's side wins, by its seat of the duel, even where the partner holds less."""
    hand = scored(block(locker, *held, starter=starter), LOCKER)
    assert (hand.winner, hand.winning_seat) == (winning_seat % 2, winning_seat)


def test_a_tied_duel_leaves_all_others_to_pay() -> None:
    """With `all_others` the winning seat pays nothing, and its partner does, who holds less."""
    hand = scored(block(0, 9, 9, 0, 4, starter=0), ruleset("dominican-200", counted_pips="all_others"))
    assert hand.points == (9 + 0 + 4, 0)
    hand = scored(block(0, 9, 9, 2, 4, starter=0), ruleset("dominican-200", counted_pips="all_others"))
    assert hand.points == (9 + 2 + 4, 0)


def test_with_individuals_a_named_seat_that_is_not_tied_passes_the_hand_on() -> None:
    """Seats 0 and 1 are tied, seat 2 is named: the first tied seat in turn order after it is seat 0."""
    hand = scored(block(0, 5, 5, 9, starter=2), LOWEST)
    assert (hand.winner, hand.winning_seat, hand.points) == (0, 0, (14, 0, 0))


def test_with_individuals_the_named_seat_wins_when_it_is_tied() -> None:
    """Seats 1 and 2 are tied and seat 2 started."""
    assert scored(block(0, 9, 5, 5, starter=2), LOWEST).winning_seat == 2


def test_previous_winner_among_four_individuals() -> None:
    """Seat 3 won last and is not tied; from it the first tied seat in turn order is 1."""
    rules = ruleset("doscientos-200", block_tie="previous_winner")
    hand = scored(block(0, 9, 5, 5, 8, starter=2), rules, mode="individuals", last_winner=3)
    assert hand.winning_seat == 1


# ---------------------------------------------------------------- unknown facts


@pytest.mark.parametrize("rules", [CUBAN, LOWEST])
def test_an_unknown_hand_leaves_a_block_without_a_winner(rules: Ruleset) -> None:
    """Where every hand is compared, one unknown hand leaves nothing to derive; nothing is awarded."""
    hand = scored(block(0, 20, None), rules)
    assert (hand.winner, hand.winning_seat, hand.points, hand.terms) == (None, None, (0, 0), ())
    assert hand.not_judged == ("leftover",)


def test_a_duel_needs_only_the_two_hands_that_are_compared() -> None:
    """The others may be unknown; the pips to score then are not judged, the winner is."""
    hand = scored(block(0, 8, 9, None, None), LOCKER)
    assert (hand.winner, hand.points, hand.not_judged) == (0, (0, 0), ("leftover",))


def test_a_duel_without_a_known_locker_has_no_winner() -> None:
    """`locker_vs_next` needs to know who locked."""
    hand = scored(block(None, 8, 9, 10, 11), LOCKER)
    assert (hand.winner, hand.not_judged) == (None, ("leftover",))


def test_no_score_with_an_unknown_hand_is_not_judged() -> None:
    """Under `no_score` an unknown hand still leaves open whether anybody has won."""
    hand = scored(block(0, 20, None), ruleset("cuban-150", block_tie="no_score"))
    assert (hand.winner, hand.not_judged) == (None, ("leftover",))


def test_counted_pips_of_an_unknown_loser_are_not_judged() -> None:
    """A domino has a known winner, but its points are not known, so it scores nothing."""
    facts = block(0, 1, 9, None, 30)
    assert points_of("leftover", scored(facts, LOCKER)) == 39
    everyone = scored(facts, ruleset("dominican-200", counted_pips="all_others"))
    assert (everyone.winner, everyone.points, everyone.not_judged) == (0, (0, 0), ("leftover",))
