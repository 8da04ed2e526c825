"""The levels of the AI: always a legal play, the same one for the same seed, and nothing from hidden tiles."""

from __future__ import annotations

import pytest
from hands_of_ai import MODES, Dealt, dealt, in_play, played_on

from league.ai.levels import choose
from league.domain.play import Level, seen_by
from league.domain.rules import Mode

LEVELS: tuple[Level, ...] = ("random", "heuristic", "inference")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_a_choice_is_always_legal(ruleset: str, mode: Mode, seats: int, level: Level) -> None:
    """Every choice is legal, at every turn, under every ruleset and in every mode, and every hand comes to its end."""
    for seed in range(2):
        hand = in_play(dealt(ruleset, seats, seed))
        for play, seen in played_on(hand, mode, [level] * seats, seed):
            assert play in seen.plays
        assert hand.is_over


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_game(level: Level) -> None:
    """With the same seed, a level makes the same choice in every turn."""
    games = [in_play(dealt("cuban-150", 4, 7)) for _ in range(2)]
    for game in games:
        list(played_on(game, "2v2", [level] * 4, 7))
    assert games[0].turns == games[1].turns


@pytest.mark.parametrize("level", LEVELS)
def test_hidden_tiles_change_nothing(level: Level) -> None:
    """Two deals that look the same to the seat get the same play."""
    one = dealt("dominican-200", 4, 3)
    hands = [one.hands[0], one.hands[2], one.hands[3], one.hands[1]]
    other = Dealt(one.ruleset, tuple(hands), (), 0)
    choices = [choose(seen_by(0, in_play(deal), "2v2"), level, 5) for deal in (one, other)]
    assert choices[0] == choices[1]


def test_a_time_limit_that_is_over_still_gives_a_play() -> None:
    """If no time is left, the rules of thumb decide."""
    seen = seen_by(0, in_play(dealt("cuban-150", 4, 1)), "2v2")
    assert choose(seen, "inference", 0, time_limit=0) == choose(seen, "heuristic", 0)


def test_a_seat_without_a_play_is_an_error() -> None:
    """Only the seat to move can be asked for a choice."""
    with pytest.raises(ValueError, match="no play"):
        choose(seen_by(1, in_play(dealt("cuban-150", 2, 1)), "1v1"), "heuristic", 0)
