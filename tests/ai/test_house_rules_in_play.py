"""House rules in hands that are played: everything is judged, and it is known who starts next."""

from __future__ import annotations

from msgspec.structs import replace

from league.ai.matches import MatchInPlay, take_turn
from league.domain.rules import EndingPoints
from league.rulebook import shipped_edition

BRAZIL = replace(
    shipped_edition(1).rulesets["doscientos-200"],
    target=12,
    block_winner="side_total",
    block_tie="next_starts",
    hand_points="by_ending",
    ending=EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=1),
)


def test_points_by_ending_are_always_judged_in_play_and_a_tie_passes_the_start_on() -> None:
    """Matches of two pairs in which everybody plays the first tile that fits; some blocks in them are tied."""
    kinds, ties = set(), 0
    for seed in range(30):
        match = MatchInPlay(f"m{seed}", BRAZIL, "2v2", ("ana", "bea", "coc", "dan"), seed)
        starter = None
        while match.result.last_hand is None:
            play = match.deal()
            assert starter in (None, play.starter)
            while not play.is_over:
                take_turn(play, lambda play=play: play.legal_plays()[0])
            hand = match.record(play).hands[-1]
            assert hand.not_judged == ()
            assert [term.rule for term in hand.terms] == ([] if hand.winner is None else ["ending"])
            kinds |= {term.points for term in hand.terms}
            ties += hand.winner is None
            starter = (play.starter + 1) % 4 if hand.winner is None else hand.winning_seat
        assert max(match.result.score or ()) >= BRAZIL.target
    assert kinds == {1, 2, 3, 4}
    assert ties
