"""A recorded hand under a ruleset that is not adopted."""

from __future__ import annotations

import pytest
from given import EDITION, block, domino, match_of, ruleset

from league.domain.refusals import InvalidInput, NotFound
from league.domain.rules import EndingPoints, Ruleset
from league.domain.tried_hand import TriedHand, try_on_hand
from league.wording.what_if_hand import tried_in_words

CUBAN = ruleset("cuban-150")
LONG = ruleset("cuban-150", target=1000)
PLAYED = match_of(domino(0, (), 100), domino(0, (), 100, tile=(3, 3)), block(1, 10, 35, starter=0), block(1, 9, 9))


def tried(hand: int, rules: Ruleset) -> TriedHand:
    """A hand of the match under a ruleset."""
    return try_on_hand(PLAYED, hand, LONG, rules)


def told(hand: int, rules: Ruleset, known: Ruleset = LONG) -> str:
    """A hand beside what it gives under the rules of its match."""
    it = try_on_hand(PLAYED, hand, known, rules)
    return tried_in_words(it.now.score, it.tried.score)


def test_a_hand_is_told_beside_what_it_gives() -> None:
    """Another number, the same one, another winner, and nobody."""
    assert told(3, ruleset("cuban-150", counted_pips="all_on_block")) == "This hand would give 45 instead of 35."
    assert told(1, ruleset("cuban-150", counted_pips="all_on_block")) == "This hand would give 100, as it does."
    nobody = "Nobody would have won this hand: it would give 0 instead of 9."
    assert told(4, ruleset("cuban-150", block_tie="next_starts")) == nobody
    other = "Another side would have won this hand: it would give 9 instead of 9."
    assert told(4, ruleset("cuban-150", block_tie="locker")) == other


def test_a_hand_after_the_end_is_scored_as_if_the_match_had_gone_on() -> None:
    """Under the tried rules the match may end elsewhere; the answer says so."""
    points = EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=1)
    brazil = ruleset("cuban-150", hand_points="by_ending", ending=points, target=1)
    second = tried(2, brazil)
    assert (second.tried.score.points, second.tried.before, second.is_after_end) == ((2, 0), (1, 0), True)
    assert not tried(1, brazil).is_after_end


def test_a_hand_after_the_end_gives_nothing_now() -> None:
    """The match is over at 150, after two hands; the third one counts for nothing under its own rules."""
    assert told(3, CUBAN, CUBAN) == "This hand would give 35 instead of 0."


def test_a_hand_that_the_rules_make_impossible_is_refused_by_the_ruleset() -> None:
    """A seat that holds six tiles was not dealt five. Its tiles are no field of the input."""
    six = match_of(domino(0, (), ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5))))
    with pytest.raises(InvalidInput) as caught:
        try_on_hand(six, 1, CUBAN, ruleset("cuban-150", tiles_each=5))
    assert caught.value.at == "ruleset"
    wanted = "this hand cannot have been played so: seat 1 was dealt 5 tiles and cannot hold 6"
    assert caught.value.message == wanted


def test_who_would_start_next_is_told() -> None:
    """The winner; after a tie that nobody wins the seat after the starter, or the starter again."""
    assert tried(3, CUBAN).next_starter == 0
    assert tried(4, ruleset("cuban-150", block_tie="next_starts")).next_starter == 1
    assert tried(4, ruleset("cuban-150", block_tie="no_score")).next_starter == 0


def test_rules_for_other_tiles_or_players_are_refused() -> None:
    """A double-six ruleset says nothing about a hand of a double-nine set; nor one for pairs about two players."""
    with pytest.raises(InvalidInput, match="double-six") as caught:
        tried(1, EDITION.rulesets["doscientos-200"])
    assert caught.value.at == "ruleset"
    with pytest.raises(InvalidInput, match="it is played"):
        tried(1, ruleset("cuban-150", modes=("2v2",)))
    with pytest.raises(NotFound):
        tried(5, CUBAN)
