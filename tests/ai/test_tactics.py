"""Positions with a play that is clearly right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hands_of_ai import RULESETS
from msgspec.structs import replace

from league.ai.levels import choose
from league.domain.play import HandInPlay, Level, Play, SeenHand, Turn, seen_by
from league.domain.rules import Mode
from league.domain.tiles import Tile, full_set, ordered

THINKING: tuple[Level, ...] = ("heuristic", "inference")


def position(ruleset: str, mode: Mode, own: Sequence[Tile], turns: Sequence[Turn], starter: int) -> SeenHand:
    """What seat 0 sees with these tiles left, after these turns. The hidden tiles do not matter, so any will do."""
    rules, seats = RULESETS[ruleset], 2 if mode == "1v1" else 4
    played = [[ordered(turn.tile) for turn in turns if turn.seat == seat and turn.tile] for seat in range(seats)]
    free = sorted(full_set(rules.set).difference(own, *played))
    dealt = [[*own, *played[0]]]
    for seat in range(1, seats):
        missing = rules.tiles_each - len(played[seat])
        dealt.append([*played[seat], *free[:missing]])
        free = free[missing:]
    hand = HandInPlay(rules, dealt, starter)
    for turn in turns:
        if turn.tile is None:
            hand.pass_turn(by_clock=hand.forced != "pass")
        else:
            hand.play(turn.tile, "left" if turn.where == "left" else "right" if turn.where == "right" else None)
    # The passes of a position are real ones, whatever tiles were dealt here.
    return replace(seen_by(0, hand, mode, (0, 0), 2), turns=tuple(turns))


@pytest.mark.parametrize("level", THINKING)
def test_ends_that_the_next_opponent_lacks_stay_open(level: Level) -> None:
    """The AI leaves both ends at 4, because the next opponent has passed on a 4."""
    turns = [Turn(0, (4, 4)), Turn(1, None), Turn(2, (4, 2), "right"), Turn(3, (2, 3), "right")]
    seen = position("dominican-200", "2v2", [(3, 4), (3, 5), (0, 4), (1, 4), (1, 2), (0, 1)], turns, 0)
    assert choose(seen, level, 1) == Play((3, 4), "right")


@pytest.mark.parametrize("level", THINKING)
def test_the_partners_number_is_left_alone(level: Level) -> None:
    """The partner led the double five, so the AI covers the opponent's end and not the five."""
    turns = [Turn(2, (5, 5)), Turn(3, (5, 1), "right")]
    own = [(3, 5), (1, 3), (0, 2), (0, 4), (2, 4), (3, 6), (4, 6)]
    seen = position("dominican-200", "2v2", own, turns, 2)
    assert choose(seen, level, 1) == Play((1, 3), "right")


@pytest.mark.parametrize("level", THINKING)
def test_a_double_is_led_before_it_dies(level: Level) -> None:
    """The AI leads a heavy double while it has other tiles of its number."""
    seen = position(
        "cuban-150", "2v2", [(9, 9), (7, 9), (2, 9), (1, 4), (3, 6), (0, 7), (2, 5), (1, 8), (0, 3), (4, 6)], [], 0
    )
    assert choose(seen, level, 1).tile == (9, 9)


BLOCKABLE = [
    Turn(0, (6, 6)), Turn(1, (6, 0), "right"), Turn(2, (1, 6), "left"), Turn(3, (0, 4), "right"),
    Turn(0, (2, 1), "left"), Turn(1, (6, 2), "left"), Turn(2, (4, 3), "right"), Turn(3, (3, 6), "right"),
    Turn(0, (5, 6), "left"), Turn(1, (4, 5), "left"), Turn(2, None), Turn(3, None),
]  # fmt: skip
"""The ends are 4 and 6, and the only six that is left is 4-6: on the left it blocks the hand."""
BLOCK = Play((6, 4), "left")


@pytest.mark.parametrize("level", THINKING)
def test_a_block_is_made_when_it_wins(level: Level) -> None:
    """Under Dominican rules a block compares the locker with the next seat, who holds more here, so the AI blocks."""
    seen = position("dominican-200", "2v2", [(4, 6), (0, 1), (0, 0), (1, 1)], BLOCKABLE, 0)
    assert BLOCK in seen.plays
    assert choose(seen, level, 1) == BLOCK


@pytest.mark.parametrize("level", THINKING)
def test_a_block_is_not_made_when_it_loses(level: Level) -> None:
    """With three heavy tiles left, the AI would lose a block to the next seat, so it does not block."""
    seen = position("dominican-200", "2v2", [(4, 6), (5, 5), (3, 5), (2, 5)], BLOCKABLE, 0)
    assert BLOCK in seen.plays
    assert choose(seen, level, 1) != BLOCK
