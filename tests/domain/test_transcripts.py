"""A hand turn by turn: what the rules of play allow, and the facts that follow."""

from __future__ import annotations

import pytest
from given import ruleset

from league.domain.hand import Closing
from league.domain.play import Turn
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.tiles import Tile
from league.domain.transcript import Transcript, derive_facts

# A small game: two tiles each, so that a whole hand can be read.
PASSING = ruleset("dominican-200", tiles_each=2)
DRAWING = ruleset("doscientos-200", tiles_each=2)

Dealt = tuple[tuple[Tile, ...], ...]


def turns(*written: tuple[int, Tile | None] | tuple[int, Tile | None, str]) -> tuple[Turn, ...]:
    return tuple(Turn(*turn) for turn in written)


def refused(dealt: Dealt, plays: tuple[Turn, ...], at: str, saying: str, rules: Ruleset = PASSING) -> None:
    with pytest.raises(InvalidInput) as caught:
        derive_facts(Transcript(dealt, plays), rules, len(dealt))
    assert caught.value.at == at
    assert saying in caught.value.reason


FOUR: Dealt = (((1, 2), (2, 3)), ((1, 4), (5, 5)), ((3, 3), (0, 0)), ((6, 6), (0, 6)))
OUT = turns((0, (1, 2)), (1, (4, 1), "left"), (2, None), (3, None), (0, (2, 3), "right"))


def test_a_domino_gives_its_facts() -> None:
    """The starter, the seat that went out, the last tile and the leftovers follow from the turns."""
    facts = derive_facts(Transcript(FOUR, OUT), PASSING, 4)
    assert (facts.starter, facts.ended_by, facts.seat) == (0, "domino", 0)
    assert facts.leftover == ((), ((5, 5),), ((0, 0), (3, 3)), ((0, 6), (6, 6)))
    assert facts.closing == Closing((2, 3), fits_both_ends=False, ends_equal=False, blocks_too=False)
    assert (facts.opening_pass, facts.corridos, facts.drew) == (False, (), ())


def test_a_block_names_its_locker_and_last_tile() -> None:
    """The hand ends with the tile after which no seat can move; no pass needs to follow."""
    dealt: Dealt = (((2, 2), (1, 1)), ((3, 3), (4, 4)))
    facts = derive_facts(Transcript(dealt, turns((1, (3, 3)))), PASSING, 2)
    assert (facts.ended_by, facts.seat, facts.starter) == ("block", 1, 1)
    assert facts.closing == Closing((3, 3), fits_both_ends=False, ends_equal=True, blocks_too=True)
    assert facts.leftover == (((1, 1), (2, 2)), ((4, 4),))


def test_passes_after_the_block_are_taken_as_well() -> None:
    """Everybody may pass once more; the locker stays the one who played last."""
    dealt: Dealt = (((2, 2), (1, 1)), ((3, 3), (4, 4)))
    facts = derive_facts(Transcript(dealt, turns((1, (3, 3)), (0, None), (1, None))), PASSING, 2)
    assert (facts.ended_by, facts.seat) == ("block", 1)


def test_a_last_tile_between_equal_ends_fits_both() -> None:
    """`fits_both_ends` holds when both ends were equal, though the tile leaves them unequal."""
    dealt: Dealt = (((2, 2), (2, 3)), ((1, 1), (0, 0)))
    facts = derive_facts(Transcript(dealt, turns((0, (2, 2)), (1, None), (0, (2, 3), "right"))), PASSING, 2)
    assert facts.closing == Closing((2, 3), fits_both_ends=True, ends_equal=False, blocks_too=True)


def test_a_last_tile_with_both_numbers_leaves_equal_ends() -> None:
    """A capicúa: the tile carries both open numbers."""
    dealt: Dealt = (((1, 2), (1, 3)), ((2, 3), (0, 0)))
    plays = turns((0, (1, 2)), (1, (2, 3), "right"), (0, (3, 1), "left"))
    facts = derive_facts(Transcript(dealt, plays), PASSING, 2)
    assert facts.closing == Closing((1, 3), fits_both_ends=True, ends_equal=True, blocks_too=True)


def test_a_tile_of_the_boneyard_keeps_a_domino_from_blocking() -> None:
    """`blocks_too` looks at the boneyard where there is one, and not at tiles that are set aside."""
    dealt: Dealt = (((2, 2), (2, 3)), ((1, 1), (0, 0)))
    plays = turns((0, (2, 2)), (1, None), (0, (2, 3), "right"))
    assert derive_facts(Transcript(dealt, plays), PASSING, 2).closing.blocks_too is True
    one = ruleset("doscientos-200", tiles_each=2, cannot_play="draw_one")
    drawn = turns((0, (2, 2)), (1, (5, 5), "draw"), (1, None), (0, (2, 3), "right"))
    assert derive_facts(Transcript(dealt, drawn), one, 2).closing.blocks_too is False


def test_the_next_seat_alone_passes_an_opening_pass() -> None:
    """The seat after the starter passes and the third plays: it scores."""
    dealt: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((1, 5), (0, 0)), ((6, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, (5, 1), "left"), (3, None), (0, (1, 2), "right"))
    assert derive_facts(Transcript(dealt, plays), PASSING, 4).opening_pass is True


def test_an_opening_pass_is_void_when_the_third_seat_passes_too() -> None:
    """Next and third seat pass: nothing to score."""
    dealt: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((0, 5), (0, 0)), ((1, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, None), (3, (6, 1), "left"), (0, (1, 2), "right"))
    assert derive_facts(Transcript(dealt, plays), PASSING, 4).opening_pass is False


def test_a_pass_later_in_the_hand_is_no_opening_pass() -> None:
    """Only the turn right after the first tile counts."""
    assert derive_facts(Transcript(FOUR, OUT), PASSING, 4).opening_pass is False


def test_two_seats_know_no_opening_pass() -> None:
    """In 1v1 the pass of the other seat is a pase corrido, never an opening pass."""
    dealt: Dealt = (((2, 2), (2, 3)), ((1, 1), (0, 0)))
    facts = derive_facts(Transcript(dealt, turns((0, (2, 2)), (1, None), (0, (2, 3), "right"))), PASSING, 2)
    assert (facts.opening_pass, facts.corridos) == (False, (0,))


def test_a_pase_corrido_is_a_play_that_all_others_pass_and_another_play() -> None:
    """All three others pass in turn and the player plays again; each time counts."""
    dealt: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((0, 5), (0, 0)), ((5, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, None), (3, None), (0, (1, 2), "right"))
    assert derive_facts(Transcript(dealt, plays), PASSING, 4).corridos == (0,)


def test_passes_that_end_in_a_block_are_no_pase_corrido() -> None:
    """All others pass and the player cannot play either: that is a block."""
    dealt: Dealt = (((1, 1), (2, 2)), ((3, 3), (4, 4)), ((0, 5), (0, 0)), ((5, 6), (0, 6)))
    plays = turns((0, (1, 1)), (1, None), (2, None), (3, None), (0, None))
    facts = derive_facts(Transcript(dealt, plays), PASSING, 4)
    assert (facts.ended_by, facts.corridos) == ("block", ())


def test_the_clock_passes_for_a_seat_that_could_play() -> None:
    """`timeout` marks a pass made by the clock; without it such a pass is refused."""
    dealt: Dealt = (((1, 1), (1, 2)), ((1, 3), (4, 4)))
    plays = turns((0, (1, 1)), (1, None, "timeout"), (0, (1, 2), "right"))
    assert derive_facts(Transcript(dealt, plays), PASSING, 2).ended_by == "domino"
    refused(dealt, turns((0, (1, 1)), (1, None), (0, (1, 2), "right")), "plays.1", "passed although it could play")


def test_a_pass_by_the_clock_is_no_pase_corrido() -> None:
    """One of the passes was made by the clock: it gives nobody a bonus, though the player plays again."""
    two: Dealt = (((1, 1), (1, 2)), ((1, 3), (4, 4)))
    plays = turns((0, (1, 1)), (1, None, "timeout"), (0, (1, 2), "right"))
    assert derive_facts(Transcript(two, plays), PASSING, 2).corridos == ()
    four: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((0, 5), (0, 0)), ((5, 6), (0, 6)))
    for slow in (1, 2, 3):
        plays = turns((0, (1, 1)), (1, None), (2, None), (3, None), (0, (1, 2), "right"))
        late = (*plays[:slow], Turn(slow, None, "timeout"), *plays[slow + 1 :])
        assert derive_facts(Transcript(four, plays), PASSING, 4).corridos == (0,)
        assert derive_facts(Transcript(four, late), PASSING, 4).corridos == ()


@pytest.mark.parametrize(
    ("second", "third", "scores"),
    [("timeout", "plays", False), ("passes", "timeout", True), ("timeout", "timeout", False)],
)
def test_a_pass_by_the_clock_neither_makes_nor_voids_an_opening_pass(second: str, third: str, scores: bool) -> None:
    """The second seat has to pass for want of a tile; only such a pass of the third seat voids it."""
    dealt: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)), ((1, 5), (0, 0)), ((5, 6), (0, 6)))
    by_second = Turn(1, None, "timeout" if second == "timeout" else None)
    by_third = Turn(2, None, "timeout") if third == "timeout" else Turn(2, (5, 1), "left")
    by_fourth = Turn(3, None, "timeout")
    plays = (Turn(0, (1, 1)), by_second, by_third, by_fourth, Turn(0, (1, 2), "right"))
    assert derive_facts(Transcript(dealt, plays), PASSING, 4).opening_pass is scores


def test_draws_are_noted_by_seat() -> None:
    """A seat that cannot play draws until a tile fits; it is named once."""
    dealt: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)))
    plays = turns((0, (1, 1)), (1, (5, 5), "draw"), (1, (1, 6), "draw"), (1, (6, 1), "left"), (0, (1, 2), "right"))
    facts = derive_facts(Transcript(dealt, plays), DRAWING, 2)
    assert facts.drew == (1,)
    assert facts.leftover == ((), ((3, 3), (4, 4), (5, 5)))


@pytest.mark.parametrize(
    ("plays", "at", "saying"),
    [
        (turns((0, (1, 2)), (2, (3, 3), "left")), "plays.1.seat", "it was the turn of seat 1"),
        (turns((0, (1, 2)), (1, (6, 6), "left")), "plays.1.tile", "does not hold"),
        (turns((0, (1, 2)), (1, (1, 4), "left")), "plays.1.tile", "as it lies, does not meet the left end"),
        (turns((0, (1, 2)), (1, (4, 1), "right")), "plays.1.tile", "does not meet the right end"),
        (turns((0, (1, 2)), (1, (4, 1))), "plays.1.where", "on the left or on the right"),
        (turns((0, (1, 2), "left")), "plays.0.where", "the first tile goes on no end"),
        (turns((0, None)), "plays.0", "the starter cannot pass"),
        (turns((0, (1, 2)), (1, None)), "plays.1", "passed although it could play"),
        (turns((0, (1, 2)), (1, None, "left")), "plays.1.where", "a pass goes on no end"),
        (turns((7, (1, 2))), "plays.0.seat", "there is no seat 7"),
        (turns((0, (1, 2)), (1, (5, 1), "draw")), "plays.1", "no seat draws"),
        ((*OUT, Turn(1, None)), "plays.5", "seat 0 had gone out"),
        (OUT[:4], "plays", "the hand is not over"),
        ((), "plays", "no turn was taken"),
    ],
)  # fmt: skip
def test_a_turn_that_the_rules_do_not_allow_is_refused(plays: tuple[Turn, ...], at: str, saying: str) -> None:
    """Each impossible turn is refused by its number, with the reason."""
    refused(FOUR, plays, at, saying)


@pytest.mark.parametrize(
    ("dealt", "at", "saying"),
    [
        (FOUR[:3], "dealt", "4 hands, one for each seat, not 3"),
        ((FOUR[0], FOUR[1], FOUR[2], ((6, 6),)), "dealt.3", "seat 3 is dealt 2 tiles, not 1"),
        ((FOUR[0], FOUR[1], FOUR[2], ((6, 6), (2, 1))), "dealt.3.1", "is named twice, here and at dealt.0.0"),
        ((FOUR[0], FOUR[1], FOUR[2], ((6, 6), (7, 1))), "dealt.3.1", "no tile [7, 1]"),
    ],
)
def test_an_impossible_deal_is_refused(dealt: Dealt, at: str, saying: str) -> None:
    """Too few or too many tiles, one twice, or one that the set does not have."""
    with pytest.raises(InvalidInput) as caught:
        derive_facts(Transcript(dealt, OUT), PASSING, 4)
    assert caught.value.at == at
    assert saying in caught.value.reason


TWO: Dealt = (((1, 1), (1, 2)), ((3, 3), (4, 4)))


@pytest.mark.parametrize(
    ("plays", "at", "saying", "rule"),
    [
        (turns((0, (1, 1)), (1, None)), "plays.1", "passed although it could draw", "draw_until_playable"),
        (turns((0, (1, 1)), (1, (3, 3), "draw")), "plays.1.tile", "is not in the boneyard", "draw_until_playable"),
        (turns((0, (1, 1)), (1, (1, 5), "draw"), (1, (1, 6), "draw")), "plays.2", "could play", "draw_until_playable"),
        (turns((0, (1, 1)), (1, (5, 5), "draw"), (1, (1, 6), "draw")), "plays.2", "drew twice", "draw_one"),
        (turns((0, (1, 1)), (1, None)), "plays.1", "passed although it could draw", "draw_one"),
    ],
)  # fmt: skip
def test_a_draw_that_the_rules_do_not_allow_is_refused(
    plays: tuple[Turn, ...], at: str, saying: str, rule: str
) -> None:
    """Drawing is for who cannot play, and then it is a duty; `draw_one` allows one tile a turn."""
    refused(TWO, plays, at, saying, ruleset("doscientos-200", tiles_each=2, cannot_play=rule))
