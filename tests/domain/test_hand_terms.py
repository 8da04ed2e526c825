"""The terms of a hand: leftover pips, the bonuses of every family, and what is not judged for want of a fact."""

from __future__ import annotations

import pytest
from given import block, domino, hand_terms, points_of, ruleset, scored
from msgspec.structs import replace

from league.domain.rules import Bonuses

CUBAN = ruleset("cuban-150")
DOSCIENTOS = ruleset("doscientos-200")
BONUS = ruleset("caribbean-500-bonus")
PARTNERSHIP = ruleset("partnership-6")
CHIVA = ruleset("chiva-4")
DOMINICAN = ruleset("dominican-200")
ROUNDS = ruleset("dominican-500-bonus")


# ---------------------------------------------------------------- leftover


def test_opponents_counts_the_losing_sides_pips() -> None:
    """The partner's 7 pips are not scored."""
    hand = scored(domino(0, (), 20, 7, 11), CUBAN)
    assert (hand.points, hand_terms(hand), hand.leftover) == ((31, 0), [(0, "leftover", 31)], 31)


def test_all_others_counts_the_partners_pips_too() -> None:
    """Every seat but the winning one is counted."""
    assert scored(domino(0, (), 20, 7, 11), DOSCIENTOS).points == (38, 0)


def test_in_a_block_the_winning_seats_own_pips_are_not_counted() -> None:
    """Seat 0 wins with 12: the others' 15, 18 and 22 are scored under `all_others`."""
    assert scored(block(1, 12, 15, 18, 22), DOSCIENTOS).points == (55, 0)


def test_individuals_score_every_other_seat() -> None:
    """With three individuals both others lose."""
    assert scored(domino(2, 10, 11, ()), DOSCIENTOS).points == (0, 0, 21)


def test_opponents_are_everybody_else_among_individuals() -> None:
    """`opponents` and `all_others` are the same without partners."""
    rules = ruleset("doscientos-200", counted_pips="opponents")
    assert scored(domino(2, 10, 11, ()), rules).points == (0, 0, 21)


def test_tiles_and_pip_totals_score_alike() -> None:
    """It does not matter whether a leftover is known by tiles or by pips."""
    by_tiles = scored(domino(0, (), ((9, 9), (0, 1)), tile=None, both=None, equal=None, blocks=None), CUBAN)
    by_pips = scored(domino(0, (), 19, tile=None, both=None, equal=None, blocks=None), CUBAN)
    assert by_tiles == by_pips
    assert by_tiles.points == (19, 0)


def test_a_leftover_of_nothing_is_a_term_too() -> None:
    """If the only leftover is the double blank, the winner scores 0 and the hand lists the term."""
    assert hand_terms(scored(domino(0, (), ((0, 0),)), CUBAN)) == [(0, "leftover", 0)]


def test_an_unknown_leftover_scores_nothing_and_is_listed() -> None:
    """The domino has a winner, but its points are not judged."""
    hand = scored(domino(0, (), 12, 3, None), CUBAN)
    assert (hand.winner, hand.points, hand.not_judged) == (0, (0, 0), ("leftover",))


def test_an_unknown_leftover_of_the_partner_does_not_matter_to_opponents() -> None:
    """Only what is counted needs to be known."""
    hand = scored(domino(0, (), 12, None, 3), CUBAN)
    assert (hand.points, hand.not_judged) == ((15, 0), ())


# ---------------------------------------------------------------- Cuban: noted, not scored


def test_a_cuban_capicua_is_noted_and_scores_nothing() -> None:
    """It is marked on the hand and adds no term."""
    hand = scored(domino(0, (), 20, both=True), CUBAN)
    assert (hand.capicua, hand.points, hand_terms(hand)) == (True, (20, 0), [(0, "leftover", 20)])


def test_a_block_is_no_capicua() -> None:
    """A capicúa is made by going out only."""
    assert scored(block(0, 1, 20, tile=(1, 1), both=True, equal=True), CUBAN).capicua is False


def test_an_unknown_capicua_is_listed() -> None:
    """It is not known whether the last tile fitted both ends: not judged, though it would score nothing."""
    hand = scored(domino(0, (), 20, both=None), CUBAN)
    assert (hand.capicua, hand.not_judged) == (None, ("capicua",))


def test_cuban_hands_know_no_bonus() -> None:
    """Double, double blank, passes and the first hand earn nothing."""
    facts = domino(0, (), 20, 3, 4, tile=(0, 0), both=True, equal=True, opening=True, corridos=(1, 1))
    assert hand_terms(scored(facts, CUBAN, number=1)) == [(0, "leftover", 24)]


# ---------------------------------------------------------------- Caribbean 500 with bonus


def test_the_winner_of_the_first_hand_gets_100() -> None:
    """First round bonus, in hand 1 only, by a domino or by a block."""
    assert hand_terms(scored(domino(0, (), 10, drew=(0,)), BONUS, number=1)) == [
        (0, "leftover", 10),
        (0, "first_hand", 100),
    ]
    assert points_of("first_hand", scored(block(0, 9, 10), BONUS, number=1)) == 100
    assert points_of("first_hand", scored(domino(0, (), 10), BONUS, number=2)) is None


def test_going_out_with_a_double_earns_50() -> None:
    """Double out: the closing tile is a double."""
    assert points_of("double_out", scored(domino(1, 10, (), tile=(4, 4)), BONUS)) == 50
    assert points_of("double_out", scored(domino(1, 10, (), tile=(4, 5)), BONUS)) is None


def test_a_block_by_a_double_is_no_double_out() -> None:
    """In a block no seat went out."""
    assert points_of("double_out", scored(block(1, 10, 9, tile=(4, 4)), BONUS)) is None


def test_going_out_without_having_drawn_earns_25_where_there_is_a_boneyard() -> None:
    """With two or three seats, for who did not draw; others may have drawn."""
    assert points_of("domino_without_draw", scored(domino(0, (), 10, drew=(1,)), BONUS)) == 25
    assert points_of("domino_without_draw", scored(domino(0, (), 10, drew=(0,)), BONUS)) is None
    assert points_of("domino_without_draw", scored(domino(0, (), 10, 5), BONUS)) == 25


def test_with_four_seats_there_is_no_boneyard_to_stay_away_from() -> None:
    """No 25 for a domino without a draw if no seat can draw."""
    hand = scored(domino(0, (), 10, 5, 5), BONUS)
    assert points_of("domino_without_draw", hand) is None
    assert hand.not_judged == ()


def test_a_ruleset_that_passes_has_no_boneyard() -> None:
    """With `cannot_play = pass` no seat draws, so going out dry earns nothing."""
    assert points_of("domino_without_draw", scored(domino(0, (), 10), replace(BONUS, cannot_play="pass"))) is None


def test_winning_a_block_earns_25() -> None:
    """Block win, to the winner of the block."""
    assert hand_terms(scored(block(0, 30, 20), BONUS)) == [(1, "leftover", 30), (1, "block_won", 25)]


def test_unknown_facts_of_a_domino_are_listed_and_earn_nothing() -> None:
    """Not known: the closing tile, whether it fitted, and who drew."""
    hand = scored(domino(0, (), 10, tile=None, both=None, drew=None), BONUS)
    assert hand.points == (10, 0)
    assert hand.not_judged == ("double_out", "domino_without_draw", "capicua")


def test_a_block_without_a_winner_lists_what_its_winner_would_have_earned() -> None:
    """Pips, the first hand's bonus and the block's need a winner."""
    hand = scored(block(0, 10, None), BONUS, number=1)
    assert (hand.points, hand.not_judged) == ((0, 0), ("leftover", "first_hand", "block_won"))


def test_a_tie_that_nobody_wins_earns_nobody_a_bonus() -> None:
    """Under `no_score` the first hand's bonus is lost, not unknown."""
    hand = scored(block(0, 10, 10), replace(BONUS, block_tie="no_score"), number=1)
    assert (hand.points, hand.terms, hand.not_judged) == ((0, 0), (), ())


def test_a_shutout_per_hand_adds_to_each_hand_in_which_the_others_score_nothing() -> None:
    """`shutout = per_hand` reads the sentence literally."""
    hand = scored(domino(0, (), 10, drew=(0,)), replace(BONUS, shutout="per_hand"))
    assert hand_terms(hand) == [(0, "leftover", 10), (0, "shutout", 100)]


def test_a_shutout_per_hand_is_missed_when_a_loser_scores() -> None:
    """A loser's pase corrido is points in that hand."""
    rules = replace(BONUS, shutout="per_hand", bonuses=Bonuses(shutout=100, pase_corrido=25))
    assert points_of("shutout", scored(domino(0, (), 10, corridos=(1,)), rules)) is None
    assert points_of("shutout", scored(domino(0, (), 10, corridos=(0,)), rules)) == 100


@pytest.mark.parametrize("option", ["per_match", "off"])
def test_a_shutout_is_in_no_hand_otherwise(option: str) -> None:
    """`per_match` adds to the final score, `off` to nothing."""
    assert points_of("shutout", scored(domino(0, (), 10), replace(BONUS, shutout=option))) is None


# ---------------------------------------------------------------- Partnership to six


def test_a_hand_won_is_a_point() -> None:
    """A hand won by a domino or a block gives a point; the pips do not matter."""
    assert hand_terms(scored(domino(0, (), 50, 1, 1), PARTNERSHIP)) == [(0, "hand_won", 1)]
    assert hand_terms(scored(block(0, 50, 1, 40, 30), PARTNERSHIP)) == [(1, "hand_won", 1)]


def test_the_key_bone_makes_it_two_points() -> None:
    """A domino whose closing tile fitted both ends."""
    hand = scored(domino(0, (), 50, 1, 1, both=True), PARTNERSHIP)
    assert (hand.points, hand_terms(hand)) == ((2, 0), [(0, "hand_won", 1), (0, "key_bone", 1)])


def test_a_block_scores_one_even_when_its_tile_fitted_both_ends() -> None:
    """The key bone is a domino."""
    assert scored(block(0, 1, 9, 9, 9, both=True), PARTNERSHIP).points == (1, 0)


def test_the_key_bone_asks_for_both_ends_whatever_a_capicua_is() -> None:
    """With another reading of capicúa the key bone stays the same."""
    rules = replace(PARTNERSHIP, capicua="ends_equal", capicua_void_on=("double",))
    assert scored(domino(0, (), 9, 9, 9, tile=(3, 3), both=True, equal=True), rules).points == (2, 0)


def test_an_unknown_key_bone_is_listed() -> None:
    """One point is certain, the second is not judged."""
    hand = scored(domino(0, (), 9, 9, 9, both=None), PARTNERSHIP)
    assert hand.points == (1, 0)
    assert "key_bone" in hand.not_judged


def test_a_block_of_partners_without_a_winner_is_not_judged() -> None:
    """No hand point for anybody."""
    hand = scored(block(0, 9, None, 9, 9), PARTNERSHIP)
    assert (hand.points, hand.not_judged) == ((0, 0), ("hand_won",))


def test_a_side_that_is_behind_resets_the_score_and_scores_nothing() -> None:
    """`to_zero`: the one term of the hand is `reset` of 0."""
    hand = scored(domino(1, 9, (), 9, 9, both=True), PARTNERSHIP, score=(3, 2))
    assert (hand.points, hand_terms(hand)) == ((0, 0), [(1, "reset", 0)])


def test_winner_keeps_hand_resets_the_score_and_scores_the_hand() -> None:
    """The score becomes 0-0 and then the hand counts, key bone and all."""
    hand = scored(domino(1, 9, (), 9, 9, both=True), replace(PARTNERSHIP, reset="winner_keeps_hand"), score=(3, 2))
    assert (hand.points, hand_terms(hand)) == ((0, 2), [(1, "hand_won", 1), (1, "key_bone", 1), (1, "reset", 0)])


def test_no_reset_when_it_is_off() -> None:
    """The hand is a hand."""
    hand = scored(domino(1, 9, (), 9, 9), replace(PARTNERSHIP, reset="off"), score=(3, 2))
    assert hand_terms(hand) == [(1, "hand_won", 1)]


@pytest.mark.parametrize("score", [(2, 2), (2, 3)])
def test_a_side_that_is_level_or_ahead_resets_nothing(score: tuple[int, int]) -> None:
    """Behind means strictly behind."""
    assert hand_terms(scored(domino(1, 9, (), 9, 9), PARTNERSHIP, score=score)) == [(1, "hand_won", 1)]


# ---------------------------------------------------------------- Chiva


def test_a_chiva_hand_has_a_winner_and_no_points() -> None:
    """No terms at all, only who has won."""
    hand = scored(domino(1, 9, (), 9, 9, tile=(4, 4), both=True), CHIVA, number=1)
    assert (hand.winner, hand.points, hand.terms) == (1, (0, 0), ())


# ---------------------------------------------------------------- Dominican


@pytest.mark.parametrize(
    ("name", "points"),
    [("dominican-200", 10), ("dominican-250", 10), ("dominican-500", 25), ("dominican-500-bonus", 25)],
)
def test_an_opening_pass_scores_for_the_starters_side(name: str, points: int) -> None:
    """10 in games to 200 and 250, 25 to 500; also when the other side wins the hand."""
    hand = scored(domino(0, (), 10, 5, 5, starter=1, opening=True), ruleset(name), number=9)
    assert hand_terms(hand) == [(0, "leftover", 15), (1, "opening_pass", points)]
    assert hand.points == (15, points)


def test_an_opening_pass_that_did_not_happen_or_was_void_scores_nothing() -> None:
    """False says that none scores."""
    hand = scored(domino(0, (), 10, 5, 5, opening=False), DOMINICAN)
    assert (points_of("opening_pass", hand), hand.not_judged) == (None, ())


def test_an_unknown_opening_pass_is_not_judged() -> None:
    """Not known whether it happened, or known but not who started."""
    assert scored(domino(0, (), 10, 5, 5, opening=None), DOMINICAN).not_judged == ("opening_pass",)
    hand = scored(domino(0, (), 10, 5, 5, starter=None, opening=True), DOMINICAN)
    assert (hand.points, hand.not_judged) == ((15, 0), ("opening_pass",))


def test_without_a_known_starter_no_opening_pass_is_still_no_opening_pass() -> None:
    """If no opening pass scored, the starter is not needed."""
    assert scored(domino(0, (), 10, 5, 5, starter=None, opening=False), DOMINICAN).not_judged == ()


def test_each_pase_corrido_scores_25_for_its_seats_side() -> None:
    """Two by seat 1, one by seat 2, regardless of the winner of the hand."""
    hand = scored(domino(0, (), 10, 5, 5, corridos=(1, 1, 2)), DOMINICAN)
    assert hand.points == (15 + 25, 50)
    assert [term for term in hand_terms(hand) if term[1] == "pase_corrido"] == [
        (1, "pase_corrido", 25), (1, "pase_corrido", 25), (0, "pase_corrido", 25)
    ]  # fmt: skip


def test_unknown_pases_corridos_are_not_judged() -> None:
    """No list of corridos is not an empty one."""
    assert scored(domino(0, (), 10, 5, 5, corridos=None), DOMINICAN).not_judged == ("pase_corrido",)


def test_passes_score_in_a_block_that_nobody_wins() -> None:
    """They were earned in play, before anybody counted pips."""
    hand = scored(block(None, 9, 9, 9, 9, opening=True, corridos=(3,)), DOMINICAN)
    assert (hand.winner, hand.points, hand.not_judged) == (None, (10, 25), ("leftover",))


def test_a_dominican_capicua_earns_50_when_it_leaves_equal_ends() -> None:
    """The free end of the last tile matches the opposite end."""
    hand = scored(domino(0, (), 10, 5, 5, tile=(3, 4), both=True, equal=True), DOMINICAN)
    assert (hand.capicua, points_of("capicua", hand), hand.points) == (True, 50, (65, 0))


def test_fitting_both_ends_is_no_dominican_capicua() -> None:
    """Both ends showed the same number, and the tile left two different ones."""
    hand = scored(domino(0, (), 10, 5, 5, tile=(3, 4), both=True, equal=False), DOMINICAN)
    assert (hand.capicua, points_of("capicua", hand)) == (False, None)


@pytest.mark.parametrize(
    ("void_on", "tile", "counts"),
    [
        (("double", "blank_half"), (3, 3), False),
        (("double", "blank_half"), (0, 3), False),
        (("double", "blank_half"), (0, 0), False),
        (("double", "blank_half"), (2, 3), True),
        (("double",), (0, 3), True),
        (("double",), (0, 0), False),
        (("double",), (5, 5), False),
        (("blank_half",), (5, 5), True),
        (("blank_half",), (0, 0), False),
        (("double_blank",), (0, 0), False),
        (("double_blank",), (0, 3), True),
        (("double_blank",), (5, 5), True),
        ((), (0, 0), True),
    ],
)
def test_a_capicua_is_void_on_the_tiles_that_the_ruleset_names(
    void_on: tuple[str, ...], tile: tuple[int, int], counts: bool
) -> None:
    """`double`, `blank_half` and `double_blank`, alone and together."""
    rules = replace(DOMINICAN, capicua_void_on=void_on)
    hand = scored(domino(0, (), 10, 5, 5, tile=tile, both=True, equal=True), rules)
    assert hand.capicua is counts
    assert points_of("capicua", hand) == (50 if counts else None)


def test_a_capicua_by_an_unknown_tile_is_not_judged_where_tiles_void_it() -> None:
    """It may have been a double; where no tile voids it the fact alone is enough."""
    facts = domino(0, (), 10, 5, 5, tile=None, both=True, equal=True)
    assert scored(facts, DOMINICAN).not_judged == ("capicua", "chuchazo")
    assert points_of("capicua", scored(facts, replace(DOMINICAN, capicua_void_on=()))) == 50


def test_no_capicua_by_an_unknown_tile_is_no_capicua() -> None:
    """Different ends settle that there was none; the tile is not needed."""
    assert scored(domino(0, (), 10, 5, 5, tile=None, equal=False), DOMINICAN).not_judged == ("chuchazo",)


def test_a_void_tile_settles_a_capicua_that_is_otherwise_unknown() -> None:
    """A double is void as a capicúa, so nothing is left to judge."""
    hand = scored(domino(0, (), 10, 5, 5, tile=(3, 3), both=None, equal=None), DOMINICAN)
    assert (hand.capicua, hand.not_judged) == (False, ())


def test_going_out_with_the_double_blank_earns_50() -> None:
    """Chuchazo: a capicúa made by it is void, so 50 and not 100."""
    hand = scored(domino(0, (), 10, 5, 5, tile=(0, 0), both=True, equal=True), DOMINICAN)
    assert hand_terms(hand) == [(0, "leftover", 15), (0, "chuchazo", 50)]


def test_the_double_blank_earns_nothing_in_a_block() -> None:
    """It has to be the tile that empties the hand."""
    assert points_of("chuchazo", scored(block(0, 9, 10, 5, 5, tile=(0, 0)), DOMINICAN)) is None


@pytest.mark.parametrize(("number", "points"), [(1, 100), (2, 75), (3, 50), (4, 25), (5, None), (6, None)])
def test_round_bonuses_go_to_the_winners_of_the_first_four_hands(number: int, points: int | None) -> None:
    """100, 75, 50, 25 and then nothing, by the number of the hand."""
    assert points_of("round_bonus", scored(domino(1, 5, (), 5, 5), ROUNDS, number=number)) == points
    assert points_of("round_bonus", scored(block(0, 2, 7, 5, 5), ROUNDS, number=number)) == points


def test_there_are_no_round_bonuses_without_the_bonus_game() -> None:
    """Only `dominican-500-bonus` has them."""
    for name in ("dominican-200", "dominican-250", "dominican-500"):
        assert points_of("round_bonus", scored(domino(1, 5, (), 5, 5), ruleset(name), number=1)) is None


def test_a_round_that_nobody_won_keeps_its_bonus() -> None:
    """The winner is unknown, so is who earned the bonus; the next hand is the next round all the same."""
    assert scored(block(None, 9, 8, 7, 6), ROUNDS, number=1).not_judged == ("leftover", "round_bonus")


def test_all_bonuses_of_a_hand_are_added_up() -> None:
    """The round bonus comes on top of leftover, opening pass, pase corrido and capicúa."""
    facts = domino(0, (), 10, 5, 5, tile=(3, 4), both=True, equal=True, opening=True, corridos=(2,))
    hand = scored(facts, ROUNDS, number=1)
    assert hand_terms(hand) == [
        (0, "leftover", 15), (0, "capicua", 50), (0, "round_bonus", 100), (0, "opening_pass", 25),
        (0, "pase_corrido", 25),
    ]  # fmt: skip
    assert hand.points == (215, 0)


def test_a_bonus_that_is_not_played_is_never_listed_as_not_judged() -> None:
    """Unknown passes and tiles do not matter where nothing hangs on them."""
    facts = domino(0, (), 10, 5, 5, tile=None, equal=None, blocks=None, opening=None, corridos=None, drew=None)
    assert scored(facts, DOSCIENTOS).not_judged == ()
