"""Laws: whatever is played by the rules gives facts that hold, and events that give the same facts back."""

from __future__ import annotations

import pytest
from given import EDITION, Given, mode_for, opened, ruleset, scored, with_hands
from hypothesis import given
from hypothesis import strategies as st
from play import PlayedHand, random_hand

from league.domain.hand_faults import check_facts
from league.domain.match import (
    BonusRecorded,
    ClosingTile,
    HandRecorded,
    HandTranscribed,
    OpeningPass,
    PaseCorrido,
    RecordHand,
)
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.tiles import full_set, is_double, ordered, total_pips
from league.domain.transcript import Transcript, derive_facts

SEEDS = st.integers(0, 2**32)
TABLES = st.sampled_from(
    [("cuban-150", 2), ("cuban-150", 4), ("doscientos-200", 2), ("doscientos-200", 3), ("doscientos-200", 4),
     ("dominican-200", 4), ("drawing-one", 2), ("drawing-one", 3)]
)  # fmt: skip


def rules_of(name: str) -> Ruleset:
    return ruleset("doscientos-200", cannot_play="draw_one") if name == "drawing-one" else EDITION.rulesets[name]


@given(SEEDS, TABLES)
def test_a_hand_played_by_the_rules_gives_facts_that_hold(seed: int, table: tuple[str, int]) -> None:
    """Facts derived from a legal transcript pass the checks that written facts have to pass."""
    name, seats = table
    hand = random_hand(seed, rules_of(name), seats)
    facts = derive_facts(hand.transcript, rules_of(name), seats)
    check_facts(facts, rules_of(name), mode_for(seats, None), seats)


@given(SEEDS, TABLES)
def test_tiles_are_conserved(seed: int, table: tuple[str, int]) -> None:
    """The tiles on the table, in the hands and never drawn make up the set, each tile once."""
    name, seats = table
    hand = random_hand(seed, rules_of(name), seats)
    facts = derive_facts(hand.transcript, rules_of(name), seats)
    on_table = [ordered(t.tile) for t in hand.transcript.plays if t.tile is not None and t.where != "draw"]
    drawn = [ordered(t.tile) for t in hand.transcript.plays if t.tile is not None and t.where == "draw"]
    dealt = [ordered(tile) for seat in hand.transcript.dealt for tile in seat]
    held = [tile for leftover in facts.leftover for tile in leftover]
    assert sorted(on_table + held) == sorted(dealt + drawn)
    assert len({*on_table, *held}) == len(on_table) + len(held)
    assert {*on_table, *held} <= full_set(rules_of(name).set)


@given(SEEDS, TABLES)
def test_the_facts_are_those_of_the_table(seed: int, table: tuple[str, int]) -> None:
    """The end, the last tile and its facts agree with a chain that was laid tile by tile."""
    name, seats = table
    hand = random_hand(seed, rules_of(name), seats)
    facts = derive_facts(hand.transcript, rules_of(name), seats)
    plays = [turn for turn in hand.transcript.plays if turn.tile is not None and turn.where != "draw"]
    left, right = hand.chain[0][0], hand.chain[-1][1]
    assert facts.starter == plays[0].seat
    assert facts.ended_by == ("block" if hand.out is None else "domino")
    assert facts.seat == plays[-1].seat
    assert [sorted(map(ordered, tiles)) for tiles in hand.held] == [list(h) for h in facts.leftover]
    assert facts.closing.tile == ordered(plays[-1].tile)
    assert facts.closing.ends_equal == (left == right)
    assert facts.closing.fits_both_ends == fitted_both_ends(hand)
    assert set(facts.drew or ()) == {turn.seat for turn in hand.transcript.plays if turn.where == "draw"}


def fitted_both_ends(hand: PlayedHand) -> bool:
    last = [turn for turn in hand.transcript.plays if turn.where in ("left", "right")][-1:]
    if not last:
        return False
    before = hand.chain[1:] if last[0].where == "left" else hand.chain[:-1]
    return all(end in last[0].tile for end in (before[0][0], before[-1][1]))


@given(SEEDS, TABLES)
def test_events_of_a_hand_give_the_same_facts_back(seed: int, table: tuple[str, int]) -> None:
    """The transcript, the bonus events and the hand fold to the facts that they were made of."""
    name, seats = table
    if name == "drawing-one":
        name = "doscientos-200"
    rules = rules_of(name)
    transcript = random_hand(seed, rules, seats).transcript
    match = opened(name, seats).then_when(RecordHand("m-1", transcript=transcript))
    assert match.played.hands == (derive_facts(transcript, rules, seats),)
    assert match.match.bonuses == ()


@given(SEEDS)
def test_each_fact_stands_in_one_event(seed: int) -> None:
    """An opening pass, each pase corrido and a closing tile that may earn something are events of their own."""
    rules = EDITION.rulesets["dominican-200"]
    transcript = random_hand(seed, rules, 4).transcript
    facts = derive_facts(transcript, rules, 4)
    events = opened("dominican-200", 4).when(RecordHand("m-1", facts, transcript)).events
    assert isinstance(events[0], HandTranscribed)
    bonuses = [event.bonus for event in events if isinstance(event, BonusRecorded)]
    hand = next(event for event in events if isinstance(event, HandRecorded))
    assert bonuses.count(OpeningPass()) == bool(facts.opening_pass)
    assert [b.seat for b in bonuses if isinstance(b, PaseCorrido)] == list(facts.corridos or ())
    closing = facts.closing
    earns = closing.fits_both_ends or closing.ends_equal or is_double(closing.tile or (0, 1))
    assert [b.closing for b in bonuses if isinstance(b, ClosingTile)] == ([closing] if earns else [])
    assert (hand.closing is None) == bool(earns)


@given(SEEDS, st.sampled_from([("cuban-150", 2), ("dominican-200", 4)]))
def test_a_hand_without_its_last_turn_is_not_over(seed: int, table: tuple[str, int]) -> None:
    """Cutting a hand short before its last turn leaves a hand that is not over, unless that turn was a pass."""
    name, seats = table
    rules = rules_of(name)
    transcript = random_hand(seed, rules, seats).transcript
    shorter = Transcript(transcript.dealt, transcript.plays[:-1])
    if not shorter.plays:
        return
    with pytest.raises(InvalidInput, match="the hand is not over"):
        derive_facts(shorter, rules, seats)


@given(SEEDS, TABLES)
def test_a_transcript_scores_as_its_facts_do(seed: int, table: tuple[str, int]) -> None:
    """It makes no difference to a score whether a hand came by its turns or by its facts."""
    name, seats = ("cuban-150", table[1]) if table[1] != 3 else ("doscientos-200", 3)
    transcript = random_hand(seed, rules_of(name), seats).transcript
    facts = derive_facts(transcript, rules_of(name), seats)
    by_turns = opened(name, seats).then_when(RecordHand("m-1", transcript=transcript))
    assert by_turns.result == with_hands(opened(name, seats), facts).result


@given(SEEDS, st.sampled_from(["doscientos-200", "caribbean-500-bonus", "dominican-500-bonus"]), st.integers(1, 5))
def test_points_never_exceed_the_set_and_its_bonuses(seed: int, name: str, number: int) -> None:
    """Leftover pips are at most those of the set; the rest are bonuses, of which a hand has each once a cause."""
    rules = EDITION.rulesets[name]
    facts = derive_facts(random_hand(seed, rules, 4).transcript, rules, 4)
    hand = scored(facts, rules, number=number)
    bonuses = rules.bonuses
    most = [bonuses.first_hand, bonuses.double_out, bonuses.domino_without_draw, bonuses.block_won, bonuses.capicua]
    most += [bonuses.chuchazo, bonuses.opening_pass, max(bonuses.rounds, default=0)]
    most += [bonuses.pase_corrido or 0] * len(facts.corridos or ())
    assert 0 <= hand.leftover <= total_pips(full_set(rules.set))
    assert sum(hand.points) <= hand.leftover + sum(points or 0 for points in most)


def first_hand(rules: Ruleset, seats: int, wanted: str) -> PlayedHand:
    for seed in range(2000):
        hand = random_hand(seed, rules, seats)
        last = hand.transcript.plays[-1]
        if wanted == "ends with a draw" and hand.out is None and last.where == "draw":
            return hand
        if (
            wanted == "stuck with a boneyard"
            and hand.stuck_at is not None
            and hand.stuck_at < len(hand.transcript.plays)
        ):
            return hand
    raise AssertionError(wanted)


def test_a_hand_may_end_with_the_draw_that_empties_the_boneyard() -> None:
    """The last tile is drawn and no seat can move: a block, locked by the seat that played last."""
    rules = EDITION.rulesets["doscientos-200"]
    hand = first_hand(rules, 2, "ends with a draw")
    facts = derive_facts(hand.transcript, rules, 2)
    locker = [turn.seat for turn in hand.transcript.plays if turn.tile and turn.where != "draw"][-1]
    assert (facts.ended_by, facts.seat) == ("block", locker)


def test_a_hand_is_not_blocked_before_the_boneyard_is_empty() -> None:
    """Nothing fits any more, but there are tiles to draw: they have to be drawn first."""
    rules = EDITION.rulesets["doscientos-200"]
    hand = first_hand(rules, 2, "stuck with a boneyard")
    early = Transcript(hand.transcript.dealt, hand.transcript.plays[: hand.stuck_at])
    with pytest.raises(InvalidInput, match="not blocked before the boneyard is empty"):
        derive_facts(early, rules, 2)
    assert derive_facts(hand.transcript, rules, 2).ended_by == "block"


def test_the_past_of_a_match_can_be_told_twice() -> None:
    """Folding the same events again gives the same match."""
    rules = EDITION.rulesets["cuban-150"]
    transcript = random_hand(7, rules, 4).transcript
    match = opened("cuban-150", 4).then_when(RecordHand("m-1", transcript=transcript))
    assert Given(*match.events).match == match.match
