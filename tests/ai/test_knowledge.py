"""What a seat knows of the hidden tiles: never too much, and every deal that it imagines keeps to it."""

from __future__ import annotations

from random import Random

import pytest
from hands_of_ai import MODES, dealt, in_play, played_on

from league.ai.deals import DealSampler
from league.ai.knowledge import Knowledge, knowledge_of
from league.domain.play import Play, SeenHand, Turn, seen_by
from league.domain.rules import Mode


@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_what_is_known_is_true(ruleset: str, mode: Mode, seats: int) -> None:
    """At every turn, each tile that a seat really holds is among those that it may hold."""
    for seed in range(4):
        hand = in_play(dealt(ruleset, seats, seed))
        for _, seen in played_on(hand, mode, ["random"] * seats, seed):
            known = knowledge_of(seen)
            for seat, groups in enumerate(known.held):
                if seat != seen.seat:
                    real = known.tiles.mask(hand.tiles.of_mask(hand.held[seat]))
                    assert sum(group.number for group in groups) == real.bit_count()
                    # What may be among older tiles may be among newer ones, so it is enough to count.
                    oldest = 0
                    for group in groups:
                        oldest += group.number
                        assert (real & group.may).bit_count() >= oldest
                    assert not any(real & known.tiles.with_half[half] for half in known.lacks[seat])


@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_every_imagined_deal_keeps_to_what_is_known(ruleset: str, mode: Mode, seats: int) -> None:
    """In every sampled deal each seat has its number of possible tiles, and each tile lies in one place."""
    for seed in range(4):
        hand = in_play(dealt(ruleset, seats, seed))
        for _, seen in played_on(hand, mode, ["random"] * seats, seed):
            check_deals(seen, knowledge_of(seen), Random(seed))


def check_deals(seen: SeenHand, known: Knowledge, random: Random) -> None:
    deals = DealSampler(seen, known, random)
    for _ in range(3):
        deal = deals.sample()
        everything = [*deal.held, *deal.boneyard]
        assert tuple(held.bit_count() for held in deal.held) == seen.counts
        assert len(deal.boneyard) == seen.boneyard
        assert sum(everything) & ~(known.own | known.hidden) == 0
        assert sum(mask.bit_count() for mask in everything) == sum(everything).bit_count()
        for seat, lacked in enumerate(known.lacks):
            assert not any(deal.held[seat] & known.tiles.with_half[half] for half in lacked)


def test_a_pass_by_the_clock_shows_nothing() -> None:
    """A seat that passes because its time ran out may still hold any tile."""
    hand = in_play(dealt("cuban-150", 4, 1))
    hand.play(*hand.legal_plays()[0])
    hand.pass_turn(by_clock=True)
    assert hand.turns[-1] == Turn(1, None, "timeout")
    known = knowledge_of(seen_by(2, hand, "2v2"))
    assert known.lacks[1] == frozenset()


def test_a_pass_shows_what_is_lacked() -> None:
    """A seat that passes lacks both open ends, for the rest of the hand if seats do not draw."""
    hand = in_play(dealt("cuban-150", 4, 1))
    while hand.forced != "pass":
        hand.play(*hand.legal_plays()[0])
    seat, ends = hand.to_move, hand.ends
    hand.pass_turn()
    known = knowledge_of(seen_by((seat + 1) % 4, hand, "2v2"))
    assert known.lacks[seat] >= set(ends or ())


def test_who_draws_until_it_plays_has_no_other_tile_for_these_ends() -> None:
    """A seat that draws plays the tile drawn last, because none before it fitted."""
    drawn = 0
    for seed in range(20):
        hand = in_play(dealt("doscientos-200", 2, seed))
        for _, seen in played_on(hand, "1v1", ["random"] * 2, seed):
            known, turns = knowledge_of(seen), seen.turns
            if [turn.where == "draw" for turn in turns[-2:]] == [True, False] and turns[-1].tile is not None:
                before = in_play(dealt("doscientos-200", 2, seed))
                for turn in hand.turns[: len(turns) - 1]:
                    before.draw() if turn.where == "draw" else before.play(*played(turn))
                assert known.lacks[turns[-1].seat] >= set(before.ends or ())
                drawn += 1
    assert drawn > 5


def played(turn: Turn) -> Play:
    """A turn as the play that it was; no seat passes before the boneyard is empty."""
    assert turn.tile is not None
    assert turn.where in {"left", "right", None}
    return Play(turn.tile, "left" if turn.where == "left" else "right" if turn.where == "right" else None)
