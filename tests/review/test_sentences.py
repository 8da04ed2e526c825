"""What is said of a mistake: what it cost, and why another play was better."""

from __future__ import annotations

from msgspec.structs import replace

from league.domain.play.engine import Play
from league.review.moves import OutsideSuit, ReviewedMove
from league.review.options import Estimate, OptionValue, Weighed
from league.review.sentences import sentence_of
from league.wording.language import speaking, spoken

NAMES = ("Ana", "Beto", "Carla", "Diego")
LOSS = Estimate(14.2, 9.0, 19.0)


def mistake() -> ReviewedMove:
    """The first seat played 6-2 where 5-1 was better."""
    options = (
        OptionValue(Play((1, 5), "left"), Estimate(4.0, 2.0, 6.0), 0.8),
        OptionValue(Play((2, 6), "right"), Estimate(-10.2, -12.0, -8.0), 0.31),
    )
    weighed = Weighed(options, 1, 0, LOSS, is_mistake=True, deals=512, is_whole=False, chances=None)
    return ReviewedMove(3, 0, 0, "other", weighed, 0.0, locks=False, best_locks=False, suits=(), best_suits=())


def said(move: ReviewedMove, language: str = "en") -> str:
    """The sentence of a move in a language."""
    with speaking(language):
        return spoken(sentence_of(move, NAMES, "2v2"))


def test_a_lock_is_explained_by_how_often_it_wins() -> None:
    """For a lock that was a mistake, and for one that was missed."""
    locks, missed = replace(mistake(), locks=True), replace(mistake(), best_locks=True)
    assert (
        said(locks) == "locking with 6-2 cost 14 points; 5-1 was better: such a lock wins the hand in 31 of 100 deals"
    )
    assert said(missed) == "not locking with 5-1 cost 14 points: such a lock wins the hand in 80 of 100 deals"
    assert "31 de cada 100" in said(locks, "es")


def test_an_opponent_who_lacked_a_number_is_named() -> None:
    """The best play would have left a number of which that opponent has none."""
    move = replace(mistake(), best_suits=(OutsideSuit(1, 3, (1,)),), suits=(OutsideSuit(2, 3, ()),))
    assert said(move).endswith(": Beto had none of the number 1")


def test_a_partner_who_lacked_the_number_is_said() -> None:
    """The play left a number that the partner could not follow."""
    move = replace(mistake(), suits=(OutsideSuit(2, 3, (2,)),), best_suits=(OutsideSuit(1, 3, ()),))
    assert said(move).endswith(": the partner had none of the number 2")


def test_few_tiles_outside_are_counted() -> None:
    """The best play would have left numbers of which few tiles were outside."""
    move = replace(mistake(), suits=(OutsideSuit(2, 5, ()),), best_suits=(OutsideSuit(6, 1, ()), OutsideSuit(1, 2, ())))
    assert said(move).endswith(": 1 six and 2 ones were still outside")


def test_a_sentence_ends_with_the_cost_where_no_reason_is_known() -> None:
    """No reason is made up."""
    assert said(mistake()) == "playing 6-2 cost 14 points; 5-1 was better"
