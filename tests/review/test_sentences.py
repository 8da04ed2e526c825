"""What is said of a mistake: what it cost, and why another play was better."""

from __future__ import annotations

from msgspec.structs import replace

from league.domain.play import Play
from league.review.hand import OutsideSuit, ReviewedMove, sentence_of
from league.review.options import OptionValue, WeighedDecision, WorthEstimate
from league.wording.language import speaking, spoken

NAMES = ("Ana", "Beto", "Carla", "Diego")
LOSS = WorthEstimate(14.2, 9.0, 19.0)


def mistake() -> ReviewedMove:
    """The first seat played 6-2 where 5-1 was better."""
    options = (
        OptionValue(Play((1, 5), "left"), WorthEstimate(4.0, 2.0, 6.0), 0.8),
        OptionValue(Play((2, 6), "right"), WorthEstimate(-10.2, -12.0, -8.0), 0.31),
    )
    weighed = WeighedDecision(options, 1, 0, LOSS, is_mistake=True, deals=512, is_whole=False, chances=None)
    return ReviewedMove(3, 0, 0, "other", weighed, 0.0, locks=False, best_locks=False, suits=(), best_suits=())


def said(move: ReviewedMove, language: str = "en") -> str:
    """The sentence of a move in a language."""
    with speaking(language):
        return spoken(sentence_of(move, NAMES, "2v2"))


def test_a_lock_is_explained_by_how_often_both_plays_gain_points() -> None:
    """For a lock that was a mistake, and for one that was missed; the best play first."""
    locks, missed = replace(mistake(), locks=True), replace(mistake(), best_locks=True)
    shares = "5-1 gains points in 80 of 100 deals, 6-2 in 31"
    assert said(locks) == f"locking with 6-2 cost 14 points; 5-1 was better: {shares}"
    assert said(missed) == f"not locking with 5-1 cost 14 points: {shares}"
    assert said(locks, "es").endswith("con el 5-1 se ganan puntos en 80 de cada 100 repartos, con el 6-2 en 31")


def test_ends_are_named_where_both_plays_are_of_one_tile() -> None:
    """It locks on one end, and not on the other."""
    move = replace(mistake(), best_locks=True)
    best, played = move.weighed.options
    options = (best, replace(played, play=Play((1, 5), "right")))
    said_of_ends = said(replace(move, weighed=replace(move.weighed, options=options)))
    assert said_of_ends.endswith("5-1 on the left gains points in 80 of 100 deals, 5-1 on the right in 31")


def test_a_lock_that_wins_more_hands_is_not_explained_by_them() -> None:
    """It cost points in the others."""
    move = replace(mistake(), locks=True)
    best, played = move.weighed.options
    weighed = replace(move.weighed, options=(replace(best, wins=0.3), played))
    assert said(replace(move, weighed=weighed)) == "locking with 6-2 cost 14 points; 5-1 was better"


def test_an_opponent_who_lacked_a_number_is_named() -> None:
    """The best play would have left a number of which that opponent has none."""
    move = replace(mistake(), best_suits=(OutsideSuit(1, 3, (1,)),), suits=(OutsideSuit(2, 3, ()),))
    assert said(move).endswith(": Beto had no ones")
    assert said(move, "es").endswith(": Beto no llevaba unos")
    both = replace(move, best_suits=(OutsideSuit(1, 3, (1, 3)),))
    assert said(both, "es").endswith(": Beto & Diego no llevaban unos")


def test_an_opponent_who_lacks_as_much_after_the_play_is_not_named() -> None:
    """Only one whom the best play stops more; a number at both ends stops twice."""
    left, other = OutsideSuit(2, 3, (1,)), OutsideSuit(4, 3, ())
    as_much = replace(mistake(), best_suits=(OutsideSuit(1, 3, (1,)), other), suits=(left, other))
    assert said(as_much) == "playing 6-2 cost 14 points; 5-1 was better"
    diego = replace(as_much, best_suits=(OutsideSuit(1, 3, (1, 3)), other))
    assert said(diego).endswith(": Diego had no ones")
    at_both_ends = replace(mistake(), best_suits=(left,), suits=(left, other))
    assert said(at_both_ends).endswith(": Beto had no twos")


def test_a_partner_who_lacked_the_number_is_said() -> None:
    """The play left a number that the partner could not follow, and the best one did not."""
    move = replace(mistake(), suits=(OutsideSuit(2, 3, (2,)),), best_suits=(OutsideSuit(1, 3, ()),))
    assert said(move).endswith(": 6-2 left twos, of which the partner had none")
    both = replace(move, best_suits=(OutsideSuit(1, 3, (2,)),))
    assert said(both) == "playing 6-2 cost 14 points; 5-1 was better"


def test_few_tiles_outside_are_counted() -> None:
    """The best play would have left numbers of which few tiles were outside."""
    move = replace(mistake(), suits=(OutsideSuit(2, 5, ()),), best_suits=(OutsideSuit(6, 1, ()), OutsideSuit(1, 2, ())))
    assert said(move).endswith(": only 1 six and 2 ones were still out")
    assert said(move, "es").endswith(": solo quedaban 1 seis y 2 unos por salir")
    one = replace(move, best_suits=(OutsideSuit(6, 1, ()),))
    assert said(one).endswith(": only 1 six was still out")
    assert said(one, "es").endswith(": solo quedaba 1 seis por salir")


def test_a_cost_is_said_in_hands_where_a_hand_counts_itself() -> None:
    """Between a hand won and a hand lost lie 2, so a cost of 0.3 is 15 hands of 100."""
    weighed = replace(mistake().weighed, loss=WorthEstimate(0.3, 0.2, 0.4), is_in_hands=True)
    move = replace(mistake(), weighed=weighed)
    assert said(move) == "playing 6-2 cost 15 of 100 hands; 5-1 was better"
    assert "costó 15 de cada 100 manos" in said(move, "es")


def test_a_sentence_ends_with_the_cost_where_no_reason_is_known() -> None:
    """No reason is made up."""
    assert said(mistake()) == "playing 6-2 cost 14 points; 5-1 was better"
