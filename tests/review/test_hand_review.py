"""The review of a hand: its parts add up, and it depends on nothing but the hand."""

from __future__ import annotations

from math import isclose
from typing import Any

import pytest
from msgspec.structs import replace
from played_hands import RULESETS, played_hand, turned

from league.domain.play import Turn
from league.domain.refusals import InvalidInput
from league.domain.transcript import Transcript
from league.review import hand as hands
from league.review import options
from league.review.decisions import TranscribedHand, decisions
from league.review.hand import review_hand, value_of_deal
from league.review.rows import losses_by_kind

SHAPES: list[Any] = [
    ("dominican-200", "2v2", 4),
    ("cuban-150", "2v2", 4),
    ("dominican-200", "1v1", 2),
    ("cuban-150", "individuals", 3),
    ("caribbean-500-bonus", "2v2", 4),
]


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for what these tests ask."""
    monkeypatch.setattr(options, "FIRST_DEALS", 8)
    monkeypatch.setattr(options, "MOST_DEALS", 8)
    monkeypatch.setattr(hands, "DEALS", 8)


@pytest.mark.heavy
@pytest.mark.parametrize(("ruleset", "mode", "seats"), SHAPES)
def test_the_parts_of_a_hand_add_up(ruleset: str, mode: Any, seats: int) -> None:
    """Deal, luck, own moves and others' moves add up to the result; the results of two sides are opposite."""
    review = review_hand(played_hand(1, ruleset, mode, seats))
    for part in review.parts:
        assert isclose(part.result, part.deal + part.luck + part.own_moves + part.other_moves, abs_tol=1e-9)
    assert isclose(sum(part.result for part in review.parts), 0, abs_tol=1e-9)
    if len(review.parts) == 2:
        assert isclose(review.parts[0].own_moves, -review.parts[1].other_moves, abs_tol=1e-9)


@pytest.mark.parametrize(("ruleset", "most"), [("chiva-4", 1), ("partnership-6", 2)])
def test_a_hand_counts_itself_where_there_are_no_points(ruleset: str, most: int) -> None:
    """In rulesets without points a hand won counts 1, or the hands that the ruleset gives for it."""
    hand = played_hand(0, ruleset)
    results = [part.result for part in review_hand(hand).parts]
    assert abs(results[0]) in range(1, most + 1)
    assert results[0] == -results[1]


@pytest.mark.heavy
def test_a_move_without_a_choice_costs_nothing() -> None:
    """A move without a choice costs nothing and is no mistake."""
    for number in range(2):
        hand = played_hand(number)
        for decision, move in zip(decisions(hand), review_hand(hand).moves, strict=True):
            if len(decision.seen.plays) == 1:
                assert (move.weighed.loss.value, move.open_loss, move.weighed.is_mistake) == (0, 0, False)


@pytest.mark.heavy
@pytest.mark.parametrize(("mode", "seats", "by"), [("2v2", 4, 2), ("1v1", 2, 1), ("2v2", 4, 1)])
def test_values_do_not_depend_on_the_names_of_seats(mode: Any, seats: int, by: int) -> None:
    """Rotating the seats of a hand rotates the seats and sides of its review and changes nothing else."""
    hand = played_hand(2, "dominican-200", mode, seats)
    review, other = review_hand(hand), review_hand(turned(hand, by))
    assert [with_turned_seats(move, by, seats) for move in review.moves] == [plain(move) for move in other.moves]
    assert {(part.result, part.deal, part.luck) for part in review.parts} == {
        (part.result, part.deal, part.luck) for part in other.parts
    }


def test_the_order_in_which_tiles_were_dealt_does_not_matter() -> None:
    """The order of the tiles within a dealt hand does not change the review."""
    hand = played_hand(2)
    backwards = Transcript(tuple(tuple(reversed(held)) for held in hand.transcript.dealt), hand.transcript.plays)
    other = TranscribedHand(backwards, hand.ruleset, hand.mode, hand.number, hand.score)
    assert review_hand(other) == review_hand(hand)


def test_a_review_goes_on_where_it_was() -> None:
    """A review that continues after some moves equals one made at once."""
    hand = played_hand(1)
    whole = review_hand(hand)
    assert review_hand(hand, moves=whole.moves[:5]) == whole


def test_turns_that_break_a_rule_are_refused() -> None:
    """A hand whose turns break a rule is refused, and the refusal names the turn."""
    hand = played_hand(1)
    broken = Transcript(hand.transcript.dealt, hand.transcript.plays[1:])
    with pytest.raises(InvalidInput) as refused:
        review_hand(TranscribedHand(broken, hand.ruleset, hand.mode, hand.number, hand.score))
    assert refused.value.field is not None
    assert refused.value.field.startswith("plays.")


def plain(move: Any) -> Any:
    return (move.turn, move.seat, move.kind, move.weighed.options, move.weighed.loss, move.open_loss)


def with_turned_seats(move: Any, by: int, seats: int) -> Any:
    return (
        move.turn, (move.seat + by) % seats, move.kind, move.weighed.options, move.weighed.loss, move.open_loss,
    )  # fmt: skip


def test_the_value_of_a_deal_knows_no_other_tiles() -> None:
    """The value of a side's deal depends on its own tiles only, not on how the other tiles lie."""
    hand = played_hand(2)
    dealt = list(hand.transcript.dealt)
    for at, other in ((1, 3), (3, 1)):
        dealt[at] = hand.transcript.dealt[other]
    turned_round = TranscribedHand(
        Transcript(tuple(dealt), hand.transcript.plays), hand.ruleset, hand.mode, 2, hand.score
    )
    assert value_of_deal(turned_round, 0) == value_of_deal(hand, 0)


def test_moves_of_an_ai_are_not_the_players() -> None:
    """Moves of an AI are reviewed and part of the result, but cost the player of the seat nothing."""
    hand = played_hand(1)
    turns = len(hand.transcript.plays)
    by_ai = replace(hand, made_by=("ai",) * turns)
    moves = review_hand(by_ai).moves
    assert {move.made_by for move in moves} == {"ai"}
    assert losses_by_kind(moves) == []
    decided = [move for move in review_hand(hand).moves if len(move.weighed.options) > 1]
    assert sum(one.decisions for one in losses_by_kind(decided)) == len(decided)


def test_a_changed_input_is_another_judge() -> None:
    """Stored reviews have the hash of their hand. If this hash changes, raise `JUDGE` and change both here."""
    transcript = Transcript((((6, 6), (0, 1)), ((1, 2), (1, 3))), (Turn(0, (6, 6)),))
    hand = TranscribedHand(transcript, RULESETS["dominican-200"], "1v1", 2, (10, 20), ("player",))
    assert (hands.JUDGE, hands.input_hash(hand)) == (
        2,
        "4c76a213db071c06ad20e32f87a7a753457a96aaebd564c9083d5caa5253e351",
    )
