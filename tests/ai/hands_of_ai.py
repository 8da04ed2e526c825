"""Hands that the AI plays in tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from league.ai.levels import choose
from league.domain.play import HandInPlay, Level, Play, SeenHand, seen_by
from league.domain.rules import Mode, Ruleset
from league.domain.seating import SEATS
from league.domain.tiles import Tile, full_set
from league.rulebook import shipped_edition

RULESETS = shipped_edition().rulesets
MODES = [(name, mode, seats) for name, rules in RULESETS.items() for mode in rules.modes for seats in SEATS[mode]]
"""Every way to sit at a table: ruleset, mode, seats."""


class Dealt(NamedTuple):
    """A hand before its first turn."""

    ruleset: Ruleset
    hands: tuple[tuple[Tile, ...], ...]
    boneyard: tuple[Tile, ...]
    starter: int


def dealt(ruleset: str, seats: int, seed: int) -> Dealt:
    """A deal that follows from the seed; seat 0 starts."""
    rules = RULESETS[ruleset]
    tiles, each = sorted(full_set(rules.set)), rules.tiles_each
    Random(seed).shuffle(tiles)
    hands = tuple(tuple(tiles[seat * each : (seat + 1) * each]) for seat in range(seats))
    return Dealt(rules, hands, tuple(tiles[seats * each :]), 0)


def in_play(deal: Dealt) -> HandInPlay:
    """The hand, ready for its first turn."""
    return HandInPlay(deal.ruleset, deal.hands, deal.starter, deal.boneyard)


def played_on(
    hand: HandInPlay, mode: Mode, levels: Sequence[Level], seed: int, samples: int | None = 4
) -> Iterator[tuple[Play, SeenHand]]:
    """Play a hand to its end, a level at each seat; gives each choice with what the seat saw."""
    while not hand.is_over:
        match hand.forced:
            case "draw":
                hand.draw()
            case "pass":
                hand.pass_turn()
            case None:
                seen = seen_by(hand.to_move, hand, mode, hand=2)
                play = choose(seen, levels[hand.to_move], seed, samples)
                yield play, seen
                hand.play(*play)
