"""Facts of a hand that cannot be true together, or not under the ruleset, are refused by name."""

from __future__ import annotations

import pytest
from given import block, domino, mode_for, ruleset
from msgspec.structs import replace

from league.domain import hand_faults
from league.domain.collected_refusals import Faults
from league.domain.hand import Closing, HandFacts
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset

CUBAN = ruleset("cuban-150")
DOSCIENTOS = ruleset("doscientos-200")
DOMINICAN = ruleset("dominican-200")


def check_facts(facts: HandFacts, rules: Ruleset, seats: int) -> None:
    hand_faults.check_facts(facts, rules, mode_for(seats, None), seats)


def refused(facts: HandFacts, rules: Ruleset, seats: int, at: str, saying: str) -> None:
    with pytest.raises((InvalidInput, Faults)) as caught:
        check_facts(facts, rules, seats)
    first = Faults.of(caught.value)[0]
    assert first.field == at
    assert saying in first.message


def test_facts_of_which_nothing_is_known_but_the_end_are_accepted() -> None:
    """A block of which nothing else was written down is a hand."""
    check_facts(HandFacts(None, "block", None, (None, None)), CUBAN, 2)


def test_a_hand_known_by_tiles_is_accepted() -> None:
    """A domino with every tile known is a hand."""
    check_facts(domino(0, (), ((3, 8), (9, 9)), ((1, 6),), ((2, 9),), tile=(0, 4)), CUBAN, 4)


def test_a_hand_known_by_pips_is_accepted() -> None:
    """A domino with pip totals alone is a hand."""
    check_facts(domino(2, 40, 12, 0, 33), CUBAN, 4)


def test_a_seat_that_is_not_there_is_refused() -> None:
    """A starter, a domino, a locker, a pase corrido or a draw of seat 2 is refused where two play."""
    refused(domino(0, (), 10, starter=2), CUBAN, 2, "starter", "the seats are 0 to 1")
    refused(domino(2, 3, 10), CUBAN, 2, "ended.seat", "there is no seat 2")
    refused(block(-1, 3, 10), CUBAN, 2, "ended.locker", "there is no seat -1")
    refused(domino(0, (), 10, corridos=(0, 5)), CUBAN, 2, "passes.corridos.1", "there is no seat 5")
    refused(domino(0, (), 10, drew=(2,)), DOSCIENTOS, 2, "passes.drew.0", "there is no seat 2")


def test_a_domino_names_who_went_out() -> None:
    """A domino of an unknown seat is refused; a block of an unknown locker is not."""
    refused(replace(domino(0, (), 10), seat=None), CUBAN, 2, "ended.seat", "needs the seat that went out")
    check_facts(block(None, 3, 10), CUBAN, 2)


def test_a_boneyard_draw_in_a_match_of_four_is_refused() -> None:
    """With four seats no seat draws, regardless of the rule for two."""
    refused(domino(0, (), 1, 2, 3, drew=(1,)), DOSCIENTOS, 4, "passes.drew", "no seat draws from a boneyard")
    check_facts(domino(0, (), 1, drew=(1,)), DOSCIENTOS, 2)
    refused(domino(0, (), 1, drew=(1,)), CUBAN, 2, "passes.drew", "no seat draws from a boneyard")


def test_a_seat_that_drew_is_named_once() -> None:
    """A seat that is named twice among those that drew is refused."""
    refused(domino(0, (), 1, drew=(1, 1)), DOSCIENTOS, 2, "passes.drew", "twice")


def test_a_leftover_for_each_seat() -> None:
    """Leftovers of three seats in a match of two are refused."""
    refused(domino(0, (), 1, 2), CUBAN, 2, "leftover", "2 entries, one for each seat, not 3")
    refused(domino(0, ()), CUBAN, 2, "leftover", "2 entries, one for each seat, not 1")


def test_leftovers_at_the_seat_that_went_out_are_refused() -> None:
    """The seat that went out holds no tile: no tiles, 0 pips and unknown all agree with that."""
    refused(domino(0, ((1, 1),), 9), CUBAN, 2, "leftover.0", "the player at this seat went out and cannot hold tiles")
    refused(domino(0, 2, 9), CUBAN, 2, "leftover.0", "cannot hold tiles")
    for nothing in ((), 0, None):
        check_facts(domino(0, nothing, 9), CUBAN, 2)


def test_two_dominoes_are_refused() -> None:
    """Two seats without a tile cannot be: the hand was over with the first."""
    refused(domino(0, (), (), 4, 4), CUBAN, 4, "leftover.1", "seat 1 holds no tile although seat 0 went out")


def test_two_dominoes_are_refused_in_pips_too() -> None:
    """One other seat may hold 0 pips, the double blank; two others cannot."""
    check_facts(domino(0, 0, 0, 4, 4), CUBAN, 4)
    refused(domino(0, 0, 0, 0, 4), CUBAN, 4, "leftover.2", "0 pips")


def test_no_pips_where_the_double_blank_was_played_is_refused() -> None:
    """A seat that holds tiles of 0 pips holds the double blank, which here went out."""
    refused(domino(0, 0, 0, 4, 4, tile=(0, 0)), CUBAN, 4, "leftover.1", "0 pips")


def test_a_block_with_an_empty_hand_is_refused() -> None:
    """In a block every seat still holds a tile: who has played the last one has gone out."""
    refused(block(0, (), 5), CUBAN, 2, "leftover.0", "holds no tile although the hand was blocked")


def test_more_tiles_than_were_dealt_are_refused() -> None:
    """Eleven tiles at a seat that was dealt ten are refused; with a boneyard a seat may hold more."""
    eleven = (*((0, half) for half in range(10)), (1, 1))
    refused(domino(0, (), eleven), CUBAN, 2, "leftover.1", "dealt 10 tiles and cannot hold 11")
    eight = (*((0, half) for half in range(7)), (1, 1))
    refused(domino(0, (), eight, 1, 1, tile=None), DOSCIENTOS, 4, "leftover.1", "cannot hold 8")
    check_facts(domino(0, (), eight, tile=None, drew=(1,)), DOSCIENTOS, 2)


def test_more_tiles_than_were_dealt_to_a_seat_that_did_not_draw_are_refused() -> None:
    """With a boneyard, a seat that is known not to have drawn holds no more than it was dealt."""
    eight = (*((0, half) for half in range(7)), (1, 1))
    refused(domino(0, (), eight, tile=None, drew=(0,)), DOSCIENTOS, 2, "leftover.1", "cannot hold 8")


def test_more_corridos_than_tiles_are_refused() -> None:
    """Each pase corrido is a tile played."""
    refused(domino(0, (), 4, corridos=(0,) * 56), CUBAN, 2, "passes.corridos", "more than the set has tiles")


def test_at_a_full_table_nobody_can_have_drawn() -> None:
    """Seven tiles of a double-six hold at most 63 pips beside the double six that went out."""
    refused(domino(0, (), 150, 4, 4, tile=(6, 6)), DOSCIENTOS, 4, "leftover.1", "150 pips")


def test_a_tile_that_the_set_does_not_have_is_refused() -> None:
    """A double-nine tile in a double-six match is refused by its place, and so is one that no set has."""
    refused(domino(0, (), ((6, 6), (6, 7)), tile=None), DOSCIENTOS, 2, "leftover.1.1", "no tile [6, 7] in a double-six")
    refused(domino(0, (), 3, tile=(9, 9)), DOSCIENTOS, 2, "ended.tile", "no tile [9, 9] in a double-six set")
    refused(domino(0, (), ((3, 10),)), CUBAN, 2, "leftover.1.0", "no tile [3, 10] in a double-nine set")
    refused(domino(0, (), ((-1, 3),)), CUBAN, 2, "leftover.1.0", "no tile [-1, 3]")


def test_a_tile_twice_is_refused() -> None:
    """A tile at two seats is refused, even if its halves are written in another order."""
    refused(domino(0, (), ((1, 2),), ((2, 1),), 4, tile=None), CUBAN, 4, "leftover.2.0", "here and at leftover.1.0")


def test_a_locker_who_holds_the_tile_back_is_refused() -> None:
    """The tile that blocked the hand lies on the table; no seat holds it."""
    refused(
        block(0, ((4, 4),), ((1, 1),), tile=(4, 4)),
        CUBAN,
        2,
        "leftover.0.0",
        "named twice, here and at ended",
    )
    refused(domino(0, (), ((4, 3),), tile=(3, 4)), CUBAN, 2, "leftover.1.0", "is named twice")


def test_more_pips_than_a_seat_can_hold_are_refused() -> None:
    """Seven tiles of a double-six set hold at most 64 pips; with a boneyard a seat may hold more."""
    refused(domino(0, (), 5, 5, 300), DOMINICAN, 4, "leftover.3", "300 pips")
    check_facts(domino(0, (), 100, drew=(1,)), DOSCIENTOS, 2)
    refused(domino(0, (), -1), CUBAN, 2, "leftover.1", "-1 pips")


def test_more_pips_than_the_set_holds_are_refused() -> None:
    """All seats together cannot hold more than the set less the tiles that are known."""
    refused(domino(0, (), 60, 60, 60, tile=(6, 6)), DOMINICAN, 4, "leftover", "180 pips are more than the rest")


def test_a_block_whose_last_tile_did_not_block_is_refused() -> None:
    """In a block `blocks_too` cannot be false."""
    facts = replace(block(0, 3, 10), closing=Closing(None, None, None, blocks_too=False))
    refused(facts, CUBAN, 2, "ended.blocks_too", "was blocked by its last tile")


def test_equal_ends_by_a_tile_that_did_not_fit_both_are_refused() -> None:
    """A tile that leaves equal ends fitted both of them before."""
    refused(domino(0, (), 9, both=False, equal=True), CUBAN, 2, "ended.ends_equal", "either end")


def test_a_block_by_the_first_tile_leaves_equal_ends_and_fitted_nothing() -> None:
    """A hand that its first double blocked has equal ends though there was no end to fit."""
    check_facts(block(0, 3, 10, tile=(4, 4), both=False, equal=True), CUBAN, 2)


def test_a_double_that_fitted_both_ends_and_leaves_unequal_ones_is_refused() -> None:
    """Both ends showed the double's number, and still do."""
    refused(domino(0, (), 9, tile=(3, 3), both=True, equal=False), CUBAN, 2, "ended.ends_equal", "a double that fitted")


def test_a_block_in_which_somebody_holds_a_playable_tile_is_refused() -> None:
    """One half of the last tile is an open end; when both its halves are still held somebody could have moved."""
    refused(block(0, ((2, 2),), ((5, 5),), tile=(2, 5)), CUBAN, 2, "leftover", "could")
