"""Rollouts and searches on masks: they end a hand as the engine does."""

from __future__ import annotations

import pytest
from hands_of_ai import MODES, dealt, in_play
from msgspec.structs import replace

from league.ai.knowledge import knowledge_of
from league.ai.rollouts import FOUR, DealAfterPlay, Endgame, HandStakes, Rollouts
from league.domain.hand import HandFacts, held_pips
from league.domain.play import HandInPlay, rewarded_passes, seen_by
from league.domain.rules import Mode


class Recorded(Rollouts):
    """Rollouts that keep what they chose, as tile and ends."""

    def _choose(self, hand: int, can: int, ends: int, seat: int, lacks: list[int]) -> tuple[int, int]:
        place, left = super()._choose(hand, can, ends, seat, lacks)
        self.chosen.append((self.tiles.tiles[place], self.tiles.pairs[left]))
        return place, left

    def __init__(self, hand: HandInPlay, mode: Mode) -> None:
        seen = seen_by(hand.to_move, hand, mode)
        super().__init__(seen, knowledge_of(seen))
        self.chosen: list[tuple[tuple[int, int], tuple[int, int]]] = []


@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_a_rollout_ends_as_the_engine_does(ruleset: str, mode: Mode, seats: int) -> None:
    """With the same choices, a rollout and the engine give the same facts of the hand."""
    for seed in range(40):
        hand = in_play(dealt(ruleset, seats, seed))
        rollouts = Recorded(hand, mode)
        imagined = led(hand, rollouts)
        facts = rollouts.play_out(imagined)
        finish(hand, rollouts.chosen)
        assert comparable(facts) == comparable(hand.facts())


@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_a_rollout_from_any_turn_has_the_passes_that_scored_before(ruleset: str, mode: Mode, seats: int) -> None:
    """A rollout counts opening passes and pases corridos from before the play, and those that the play makes."""
    earned = 0
    for seed in range(60):
        hand = in_play(dealt(ruleset, seats, seed))
        while not hand.is_over:
            if hand.forced:
                hand.draw() if hand.forced == "draw" else hand.pass_turn()
                continue
            if len(hand.turns) % 5 == 0:
                going_on = hand.copy()
                rollouts = Recorded(going_on, mode)
                facts = rollouts.play_out(led(going_on, rollouts))
                opening_pass, corridos = rewarded_passes(going_on.turns, seats)
                earned += opening_pass or bool(corridos)
                finish(going_on, rollouts.chosen)
                assert comparable(facts) == comparable(going_on.facts())
            hand.play(*hand.legal_plays()[0])
    assert earned > 3 or seats != FOUR


def led(hand: HandInPlay, rollouts: Rollouts) -> DealAfterPlay:
    """Let the seat to move play its first play; the whole deal then, as rollouts take it."""
    tiles = rollouts.tiles
    play = hand.legal_plays()[0]
    both = hand.ends is not None and all(end in play.tile for end in hand.ends)
    hand.play(*play)
    held = [tiles.mask(hand.tiles.of_mask(mask)) for mask in hand.held]
    boneyard = [tiles.bits[tile] for tile in hand.boneyard]
    assert hand.ends is not None
    return DealAfterPlay(held, boneyard, tiles.ends_of[hand.ends], tiles.bits[play.tile].bit_length() - 1, both)


def finish(hand: HandInPlay, chosen: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    """Play the hand to its end with these choices, wherever there is one."""
    choices = iter(chosen)
    while not hand.is_over:
        if hand.forced == "draw":
            hand.draw()
        elif hand.forced == "pass":
            hand.pass_turn()
        else:
            ways = {}
            for play in hand.legal_plays():
                after = hand.copy()
                after.play(*play)
                ways[tuple(sorted(play.tile)), tuple(sorted(after.ends or ()))] = play
            hand.play(*(next(iter(ways.values())) if len(ways) == 1 else ways[next(choices)]))
    assert next(choices, None) is None


def comparable(facts: HandFacts) -> HandFacts:
    """Facts as rollouts give them: pips for tiles, no order of who drew, nothing on whether a domino blocks too."""
    return replace(
        facts,
        leftover=tuple(held_pips(held) for held in facts.leftover),
        closing=replace(facts.closing, blocks_too=None, fits_both_ends=bool(facts.closing.fits_both_ends)),
        drew=tuple(sorted(facts.drew or ())),
    )


@pytest.mark.parametrize("ruleset", ["dominican-500-bonus", "cuban-150"])
def test_a_search_finds_the_best_end_of_all(ruleset: str) -> None:
    """The search finds the same value as trying every line of play with the engine."""
    searched = 0
    for seed in range(30):
        hand = in_play(dealt(ruleset, 4, seed))
        while not hand.is_over and sum(map(int.bit_count, hand.held)) > 7:
            if hand.forced:
                hand.pass_turn()
            else:
                hand.play(*hand.legal_plays()[0])
        if hand.is_over or hand.forced:
            continue
        seen = seen_by(hand.to_move, hand, "2v2", hand=2)
        known, stakes = knowledge_of(seen), HandStakes(seen)
        play = hand.legal_plays()[0]
        fits_both = all(end in play.tile for end in hand.ends or ())
        hand.play(*play)
        held = [known.tiles.mask(hand.tiles.of_mask(mask)) for mask in hand.held]
        assert hand.ends is not None
        place = known.tiles.bits[play.tile].bit_length() - 1
        imagined = DealAfterPlay(held, [], known.tiles.ends_of[hand.ends], place, fits_both)
        assert Endgame(seen, known, stakes).solve(imagined) == best_end(hand, seen.seat or 0, stakes)
        searched += 1
    assert searched > 3


def best_end(hand: HandInPlay, seat: int, stakes: HandStakes) -> float:
    """What a hand is worth to a seat when every line of play is tried, with all that it has earned so far."""
    if hand.is_over:
        return stakes.worth(hand.facts())
    if hand.forced:
        after = hand.copy()
        after.pass_turn()
        return best_end(after, seat, stakes)
    found = []
    for play in hand.legal_plays():
        after = hand.copy()
        after.play(*play)
        found.append(best_end(after, seat, stakes))
    return max(found) if hand.to_move % 2 == seat % 2 else min(found)
