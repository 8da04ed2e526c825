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
    """A wrong lock and a missed lock are explained by how often both plays gain points."""
    locks, missed = replace(mistake(), locks=True), replace(mistake(), best_locks=True)
    shares = "5-1 gains points in 80 of 100 deals, 6-2 in 31"
    assert said(locks) == f"locking with 6-2 cost 14 points; 5-1 was better: {shares}"
    assert said(missed) == f"not locking with 5-1 cost 14 points: {shares}"
    assert said(locks, "es").endswith("con el 5-1 se ganan puntos en 80 de cada 100 repartos, con el 6-2 en 31")


def test_ends_are_named_where_both_plays_are_of_one_tile() -> None:
    """If both plays are of the same tile, the sentence names their ends."""
    move = replace(mistake(), best_locks=True)
    best, played = move.weighed.options
    options = (best, replace(played, play=Play((1, 5), "right")))
    said_of_ends = said(replace(move, weighed=replace(move.weighed, options=options)))
    assert said_of_ends.endswith("5-1 on the left gains points in 80 of 100 deals, 5-1 on the right in 31")


def test_a_lock_that_wins_more_hands_is_not_explained_by_them() -> None:
    """A lock that wins more often, but costs points in other hands, is not explained by how often it wins."""
    move = replace(mistake(), locks=True)
    best, played = move.weighed.options
    weighed = replace(move.weighed, options=(replace(best, wins=0.3), played))
    assert said(replace(move, weighed=weighed)) == "locking with 6-2 cost 14 points; 5-1 was better"


def test_an_opponent_who_lacked_a_number_is_named() -> None:
    """The sentence names an opponent who certainly lacks a number that the best play would have left."""
    move = replace(mistake(), best_suits=(OutsideSuit(1, 3, (1,)),), suits=(OutsideSuit(2, 3, ()),))
    assert said(move).endswith(": Beto had no ones")
    assert said(move, "es").endswith(": Beto no llevaba unos")
    both = replace(move, best_suits=(OutsideSuit(1, 3, (1, 3)),))
    assert said(both, "es").endswith(": Beto & Diego no llevaban unos")


def test_an_opponent_who_lacks_as_much_after_the_play_is_not_named() -> None:
    """The sentence names only an opponent whom the best play stops at more ends than the actual play."""
    left, other = OutsideSuit(2, 3, (1,)), OutsideSuit(4, 3, ())
    as_much = replace(mistake(), best_suits=(OutsideSuit(1, 3, (1,)), other), suits=(left, other))
    assert said(as_much) == "playing 6-2 cost 14 points; 5-1 was better"
    diego = replace(as_much, best_suits=(OutsideSuit(1, 3, (1, 3)), other))
    assert said(diego).endswith(": Diego had no ones")
    at_both_ends = replace(mistake(), best_suits=(left,), suits=(left, other))
    assert said(at_both_ends).endswith(": Beto had no twos")


def test_a_partner_who_lacked_the_number_is_said() -> None:
    """The sentence says that the play left a number which the partner lacked."""
    move = replace(mistake(), suits=(OutsideSuit(2, 3, (2,)),), best_suits=(OutsideSuit(1, 3, ()),))
    assert said(move).endswith(": 6-2 left twos, of which the partner had none")
    both = replace(move, best_suits=(OutsideSuit(1, 3, (2,)),))
    assert said(both) == "playing 6-2 cost 14 points; 5-1 was better"


def test_few_tiles_outside_are_counted() -> None:
    """The sentence counts the tiles still out, if the best play would have left numbers with few of them."""
    move = replace(mistake(), suits=(OutsideSuit(2, 5, ()),), best_suits=(OutsideSuit(6, 1, ()), OutsideSuit(1, 2, ())))
    assert said(move).endswith(": only 1 six and 2 ones were still out")
    assert said(move, "es").endswith(": solo quedaban 1 seis y 2 unos por salir")
    one = replace(move, best_suits=(OutsideSuit(6, 1, ()),))
    assert said(one).endswith(": only 1 six was still out")
    assert said(one, "es").endswith(": solo quedaba 1 seis por salir")


def test_a_cost_is_said_in_hands_where_a_hand_counts_itself() -> None:
    """A cost of 0.3 is 15 hands of 100, because a hand lost instead of won costs 2."""
    weighed = replace(mistake().weighed, loss=WorthEstimate(0.3, 0.2, 0.4), is_in_hands=True)
    move = replace(mistake(), weighed=weighed)
    assert said(move) == "playing 6-2 cost 15 of 100 hands; 5-1 was better"
    assert "costó 15 de cada 100 manos" in said(move, "es")


def test_a_sentence_ends_with_the_cost_where_no_reason_is_known() -> None:
    """Without a known reason, the sentence ends with the cost."""
    assert said(mistake()) == "playing 6-2 cost 14 points; 5-1 was better"
