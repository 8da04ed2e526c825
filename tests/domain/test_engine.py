"""A hand in play: what the engine allows agrees with a table laid out tile by tile, and with every recorded hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec
import pytest
from given import EDITION
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.hand import HandFacts, held_pips
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.play import HandInPlay, Play
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.tiles import Tile, full_set, ordered
from league.domain.transcript import Transcript, derive_facts
from league.transfer.recorded_lines import HandLine, MatchLine

SEASONS = Path(__file__).parents[2] / "examples"

SEEDS = st.integers(0, 2**32)
RULES = [
    replace(EDITION.rulesets[name], cannot_play=cannot_play)
    for name in ("cuban-150", "doscientos-200")
    for cannot_play in ("pass", "draw_until_playable", "draw_one")
]
TABLES = st.tuples(st.sampled_from(RULES), st.integers(2, 4))


class Table:
    """A second implementation of a hand, with tiles on a table: a chain, hands and a boneyard as lists."""

    def __init__(self, random: Random, rules: Ruleset, seats: int) -> None:
        self.rules, self.order, self.starter = rules, sorted(full_set(rules.set)), random.randrange(seats)
        random.shuffle(self.order)
        each = rules.tiles_each
        self.hands = [self.order[seat * each : (seat + 1) * each] for seat in range(seats)]
        self.boneyard = self.order[seats * each :] if rules.cannot_play != "pass" and seats < 4 else []
        self.asleep = [] if self.boneyard else self.order[seats * each :]
        self.chain = list[Tile]()

    def in_play(self) -> HandInPlay:
        each = self.rules.tiles_each
        return HandInPlay(self.rules, self.hands, self.starter, self.order[len(self.hands) * each :])

    def plays(self, seat: int) -> set[Play]:
        if not self.chain:
            return {Play(tile, None) for tile in self.hands[seat]}
        left, right = self.chain[0][0], self.chain[-1][1]
        lying = [turned for tile in self.hands[seat] for turned in (tile, tile[::-1])]
        on_left = {Play(tile, "left") for tile in lying if tile[1] == left}
        return on_left | {Play(tile, "right") for tile in lying if tile[0] == right}

    def play(self, seat: int, tile: Tile, end: str | None) -> None:
        self.hands[seat].remove(ordered(tile))
        self.chain.insert(0 if end == "left" else len(self.chain), tile)

    @property
    def is_over(self) -> bool:
        stuck = not self.boneyard and not any(self.plays(seat) for seat in range(len(self.hands)))
        return not all(self.hands) or stuck


def take_turns(hand: HandInPlay, random: Random) -> Iterator[Play | None]:
    """Play a hand to its end; each turn before it is taken, None for one that is forced."""
    while not hand.is_over:
        plays = hand.legal_plays()
        chosen = random.choice(plays) if plays else None
        yield chosen
        if chosen:
            hand.play(*chosen)
        elif hand.forced == "draw":
            hand.draw()
        else:
            hand.pass_turn()


def play_on(hand: HandInPlay, random: Random) -> None:
    for _ in take_turns(hand, random):
        pass


# ---------------------------------------------------------------- laws


@given(SEEDS, TABLES)
def test_the_engine_agrees_with_a_table_laid_out_tile_by_tile(seed: int, at: tuple[Ruleset, int]) -> None:
    """In every turn: the legal plays, what is forced, the ends, the hands, and whether the hand is over."""
    random = Random(seed)
    table = Table(random, *at)
    hand = table.in_play()
    for chosen in take_turns(hand, random):
        seat = hand.to_move
        assert not table.is_over
        assert len(hand.legal_plays()) == len(table.plays(seat))
        assert set(hand.legal_plays()) == table.plays(seat)
        assert hand.ends == ((table.chain[0][0], table.chain[-1][1]) if table.chain else None)
        may_draw = table.boneyard and not (table.rules.cannot_play == "draw_one" and hand.drawn)
        assert hand.forced == (None if chosen else "draw" if may_draw else "pass")
        if chosen:
            table.play(seat, *chosen)
        elif may_draw:
            table.hands[seat].append(table.boneyard.pop(0))
    assert table.is_over
    assert hand.legal_plays() == ()
    assert hand.forced is None
    assert [hand.tiles.of_mask(held) for held in hand.held] == [sorted(tiles) for tiles in table.hands]


@given(SEEDS, TABLES)
def test_tiles_are_conserved_in_play(seed: int, at: tuple[Ruleset, int]) -> None:
    """In every turn each tile is on the table, held, in the boneyard or asleep, and in one place only."""
    random = Random(seed)
    table = Table(random, *at)
    hand = table.in_play()
    for _ in take_turns(hand, random):
        laid = [ordered(turn.tile) for turn in hand.turns if turn.tile and turn.where != "draw"]
        held = [tile for seat in range(hand.seats) for tile in hand.tiles.of_mask(hand.held[seat])]
        assert sorted([*laid, *held, *hand.boneyard, *table.asleep]) == sorted(full_set(hand.ruleset.set))
        assert hand.unplayed == hand.tiles.mask([*held, *hand.boneyard])


@given(SEEDS, TABLES)
def test_a_copy_goes_its_own_way(seed: int, at: tuple[Ruleset, int]) -> None:
    """A copy plays to the end without a change of the hand, and from equal choices both come to the same facts."""
    random = Random(seed)
    hand = Table(random, *at).in_play()
    for number, _ in enumerate(take_turns(hand, random)):
        if number == 5:
            before = state(hand)
            one, other = hand.copy(), hand.copy()
            assert state(one) == before
            for copied in (one, other):
                play_on(copied, Random(seed))
            assert state(hand) == before
            assert (state(one), one.facts()) == (state(other), other.facts())


def state(hand: HandInPlay) -> dict[str, object]:
    """All that a hand holds, as values that do not change with it."""
    held = {name: getattr(hand, name) for name in HandInPlay.__slots__}
    return {name: list(value) if isinstance(value, list) else value for name, value in held.items()}


@given(SEEDS, TABLES)
def test_the_turns_of_a_hand_are_a_transcript_of_it(seed: int, at: tuple[Ruleset, int]) -> None:
    """Played through again they give the same facts; cut off before the last one they are refused."""
    random = Random(seed)
    table = Table(random, *at)
    dealt = tuple(tuple(tiles) for tiles in table.hands)
    hand = table.in_play()
    play_on(hand, random)
    assert derive_facts(Transcript(dealt, tuple(hand.turns)), *at) == hand.facts()
    with pytest.raises(InvalidInput, match=r"the hand is not over|not blocked before|no turn was taken"):
        derive_facts(Transcript(dealt, tuple(hand.turns[:-1])), *at)


# ---------------------------------------------------------------- refusals


def two() -> HandInPlay:
    """Seat 0 leads; seat 1 then plays."""
    rules = replace(EDITION.rulesets["cuban-150"], tiles_each=2)
    return HandInPlay(rules, [[(2, 4), (5, 5)], [(4, 6), (1, 1)]], starter=0)


def test_a_tile_that_is_not_held_is_refused() -> None:
    """So is a tile that no set has; the hand is unchanged."""
    hand = two()
    for tile in ((4, 6), (9, 12)):
        with pytest.raises(TileNotHeld):
            hand.play(tile, None)
    assert (hand.turns, hand.to_move, hand.unplayed.bit_count()) == ([], 0, 4)


def test_an_end_that_does_not_meet_the_tile_is_refused() -> None:
    """As it lies, the tile has to show the number of the end; the first tile goes on no end, later ones on one."""
    hand = two()
    with pytest.raises(TileDoesNotFit, match="the first tile goes on no end"):
        hand.play((2, 4), "left")
    hand.play((2, 4), None)
    with pytest.raises(TileDoesNotFit, match="does not meet the right end, which shows 4"):
        hand.play((6, 4), "right")
    with pytest.raises(TileDoesNotFit, match="on the left or on the right"):
        hand.play((4, 6), None)
    with pytest.raises(TileDoesNotFit, match="does not meet the left end, which shows 2"):
        hand.play((4, 6), "left")
    assert (len(hand.turns), hand.ends) == (1, (2, 4))
    hand.play((4, 6), "right")
    assert hand.ends == (2, 6)


def test_a_hand_may_have_to_be_led_with_a_tile() -> None:
    """The tile is then the only legal play, whichever half is named first."""
    rules = replace(EDITION.rulesets["doscientos-200"], tiles_each=2)
    hand = HandInPlay(rules, [[(5, 5), (2, 4)], [(4, 6), (1, 1)]], 0, must_lead=(4, 2))
    assert hand.legal_plays() == (Play((2, 4), None),)
    with pytest.raises(TileDoesNotFit, match=r"led with \[2, 4\]"):
        hand.play((5, 5), None)
    hand.play((4, 2), None)
    assert hand.ends == (4, 2)


# ---------------------------------------------------------------- every recorded hand


class Recorded(NamedTuple):
    """A hand of a recorded season that has its turns."""

    rules: Ruleset
    transcript: Transcript
    written: HandLine


@pytest.fixture(scope="module", params=["cuban-2026", "caribbean-2026", "dominican-2026"])
def recorded(request: pytest.FixtureRequest) -> list[Recorded]:
    """The hands of a recorded season; some of them are known by their facts only, and left out."""
    lines = (SEASONS / request.param / "matches.jsonl").read_bytes().splitlines()
    return [
        Recorded(EDITION.rulesets[match.ruleset], Transcript(hand.dealt, hand.plays), hand)
        for match in (msgspec.json.decode(line, type=MatchLine) for line in lines)
        for hand in match.hands
        if hand.dealt and hand.plays
    ]


def test_every_recorded_turn_is_one_that_the_engine_allows(recorded: list[Recorded]) -> None:
    """Each play is among the legal ones, each pass and draw is forced, and the last turn ends the hand as written."""
    for rules, transcript, written in recorded:
        dealt, turns = transcript.dealt, transcript.plays
        asleep = full_set(rules.set).difference(*(map(ordered, tiles) for tiles in dealt))
        hand = HandInPlay(rules, dealt, turns[0].seat, sorted(asleep))
        for turn in turns:
            assert not hand.is_over
            assert hand.to_move == turn.seat
            if turn.where == "draw":
                assert hand.forced == "draw"
                hand.draw(turn.tile)
            elif turn.tile is None:
                assert hand.forced == "pass"
                hand.pass_turn()
            else:
                assert (turn.tile, turn.where) in hand.legal_plays()
                hand.play(*Play(turn.tile, turn.where))
        assert hand.is_over
        assert hand.facts() == derive_facts(transcript, rules, len(dealt))
        assert_ends_as_written(hand.facts(), written)


def assert_ends_as_written(facts: HandFacts, line: HandLine) -> None:
    ended = line.ended
    assert (facts.starter, facts.ended_by) == (line.starter, ended.by)
    assert facts.seat == (ended.seat if ended.by == "domino" else ended.locker)
    assert [held_pips(held) for held in facts.leftover] == [held_pips(held) for held in line.leftover]
    for derived, written in (
        (facts.closing.tile, ended.tile and ordered(ended.tile)),
        (facts.closing.fits_both_ends, ended.fits_both_ends),
        (facts.closing.ends_equal, ended.ends_equal),
        (facts.closing.blocks_too, ended.blocks_too),
    ):
        assert written in (None, derived)


def test_a_recording_that_stops_before_its_end_is_refused(recorded: list[Recorded]) -> None:
    """A transcript without its last turn, or cut at its middle, is refused."""
    for rules, whole, _ in recorded[::7]:
        for stop in (len(whole.plays) - 1, len(whole.plays) // 2):
            with pytest.raises(InvalidInput, match=r"the hand is not over|not blocked before"):
                derive_facts(Transcript(whole.dealt, whole.plays[:stop]), rules, len(whole.dealt))
