"""The bench against the players of the package `dominoes`; skipped where it is not installed."""

from __future__ import annotations

import pytest

from bench.other_players import play_deal, players_of_the_package, rules_of_the_package
from league.ai.matches import single_hand
from league.domain.hand import HandContext
from league.domain.scoring import score_hand

dominoes = pytest.importorskip("dominoes")


@pytest.mark.parametrize("name", ["random", "double", "bota_gorda", "probabilistic_alphabeta", "omniscient"])
def test_a_deal_is_played_twice(name: str) -> None:
    """Each hand goes to one of the two, or nobody wins it."""
    result = play_deal(players_of_the_package()[name], "heuristic", 1, 1)
    assert 0 <= sum(result.won) <= 2
    assert [points > 0 for points in result.points] == [won > 0 for won in result.won]


def test_the_package_and_its_rules_agree_on_the_winner() -> None:
    """They name one winner in hands that the package's player `random` plays on all seats."""
    from bench.other_players import game_of, play_of  # noqa: PLC0415

    for number in range(50):
        hand = single_hand(rules_of_the_package(), 4, 3, number)
        game = game_of(hand)
        while game.result is None:
            while hand.forced == "pass":
                hand.pass_turn()
            dominoes.players.random(game)
            move = game.valid_moves[0]
            hand.play(*play_of(hand, *move))
            game.make_move(*move)
        scored = score_hand(hand.facts(), rules_of_the_package(), "2v2", HandContext(2, (0, 0)))
        points = game.result.points
        assert hand.is_over
        assert scored.winner == (None if not points else int(points < 0))
