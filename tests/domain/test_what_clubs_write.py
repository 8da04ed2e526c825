"""Hands as clubs write them: pips of a side, a stated winner, a stated capicúa, pases corridos and dominoes by side."""

from __future__ import annotations

from typing import Any

import pytest
from given import BEGAN, Given, block, domino, hand_terms, match_of, mode_for, opened, ruleset, scored, with_hands
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.hand import Closing, HandContext, HandFacts
from league.domain.hand_faults import checked, complete
from league.domain.match import CorrectHand, RecordHand
from league.domain.not_judged import not_judged_in_hand
from league.domain.refusals import InvalidInput
from league.domain.result import result_of
from league.domain.rules import Ruleset
from league.domain.scoring import HandScore, score_hand
from league.eventlog.codec import encode_body

CUBAN = ruleset("cuban-150")
PAIRS = ruleset("doscientos-200")  # lowest hand, all others count
DOMINICAN = ruleset("dominican-200")
BONUS = ruleset("caribbean-500-bonus")
UNKNOWN = (None, None, None, None)


def hand(by: str, seat: int | None = None, leftover: Any = UNKNOWN, **more: Any) -> HandFacts:
    """A hand of which nothing else is known."""
    more = {"starter": 0, "opening_pass": False, "corridos": (), "drew": ()} | more
    return HandFacts(ended_by=by, seat=seat, leftover=leftover, **more)


def stored(facts: HandFacts, rules: Ruleset = CUBAN) -> HandFacts:
    """The facts as a match stores them."""
    return checked(facts, rules, mode_for(len(facts.leftover), None), len(facts.leftover))


def played(facts: HandFacts, rules: Ruleset = CUBAN, **more: Any) -> HandScore:
    """The score of a hand that was stored."""
    return scored(stored(facts, rules), rules, **more)


def refused(facts: HandFacts, at: str, saying: str, rules: Ruleset = CUBAN) -> None:
    with pytest.raises((InvalidInput, Faults)) as caught:
        stored(facts, rules)
    first = Faults.of(caught.value)[0]
    assert (first.field, saying in first.message) == (at, True), caught.value


def unjudged(
    facts: HandFacts, rules: Ruleset = CUBAN, why: str = "unknown", **more: Any
) -> list[tuple[str, str | None]]:
    """The rules that were not judged in a hand, each with the fact that it needs."""
    facts = stored(facts, rules)
    mode = mode_for(len(facts.leftover), None)
    found = not_judged_in_hand(facts, rules, mode, scored(facts, rules, **more))
    return [(one.rule, one.at) for one in found if one.why == why]


# ---------------------------------------------------------------- pips of a side


@pytest.mark.parametrize(
    ("facts", "leftover", "side_leftover"),
    [
        # One unknown seat beside a known total is the difference; who went out holds 0.
        (hand("block", 0, (12, None, None, 5), side_leftover=(20, 9)), (12, 4, 8, 5), None),
        (hand("domino", 0, side_leftover=(12, 35)), (None, None, 12, None), (None, 35)),
        (hand("domino", 0, (None, 1, ((1, 2),), 2), side_leftover=(3, None)), (None, 1, ((1, 2),), 2), None),
        # A side of one player is that player.
        (hand("block", 0, (None, None), side_leftover=(12, 35)), (12, 35), None),
        (hand("domino", 1, (None, None), side_leftover=(12, 0)), (12, None), None),
        # What says nothing more is dropped, what does is kept.
        (hand("block", 0, (12, 4, 8, 5), side_leftover=(20, None)), (12, 4, 8, 5), None),
        (hand("block", 0, side_leftover=(None, None)), UNKNOWN, None),
        (hand("block", 0, side_leftover=(20, 9)), UNKNOWN, (20, 9)),
    ],
)  # fmt: skip
def test_a_total_tells_of_its_seats(facts: HandFacts, leftover: Any, side_leftover: Any) -> None:
    """It is stored only where its seats are not known apart."""
    kept = stored(facts)
    assert (kept.leftover, kept.side_leftover) == (leftover, side_leftover)


def test_totals_that_cannot_be_are_refused() -> None:
    """They contradict the seats, or no tiles have so many pips."""
    refused(hand("block", 0, (12, 4, 8, 5), side_leftover=(21, None)), "side_leftover.0", "hold 20 pips, not 21")
    refused(hand("block", 0, (12, None, None, 5), side_leftover=(11, None)), "side_leftover.0", "hold 12 pips, not 11")
    refused(hand("domino", 1, (None, None), side_leftover=(12, 3)), "side_leftover.1", "hold 0 pips, not 3")
    refused(hand("block", 0, side_leftover=(20,)), "side_leftover", "2 entries, one for each side, not 1")
    refused(hand("block", 0, side_leftover=(-1, 9)), "side_leftover.0", "impossible")
    refused(hand("block", 0, side_leftover=(0, 9)), "side_leftover.0", "this side can hold 1 to")
    refused(hand("block", 0, side_leftover=(None, 400)), "side_leftover.1", "impossible")
    refused(hand("block", 0, side_leftover=(250, 250)), "side_leftover", "more than the rest of the set")
    refused(hand("block", 0, (None, None), side_leftover=(None, 400)), "leftover.1", "impossible")


@pytest.mark.parametrize(
    ("facts", "rules", "winner", "points"),
    [
        # Opponents need the other sides' pips.
        (hand("domino", 0, side_leftover=(None, 35)), CUBAN, 0, (35, 0)),
        # All others, after a domino: all sides' pips, or every seat's but the winner's.
        (hand("domino", 0, side_leftover=(12, 35)), PAIRS, 0, (47, 0)),
        (hand("domino", 0, (None, 20, 12, 15)), PAIRS, 0, (47, 0)),
        (hand("domino", 0, (None, None, 12, None), side_leftover=(None, 35)), PAIRS, 0, (47, 0)),
        (hand("domino", stated_winner=0, side_leftover=(12, 35)), PAIRS, 0, (47, 0)),
        # A block by the sides' sums.
        (hand("block", side_leftover=(20, 35)), CUBAN, 0, (35, 0)),
        (hand("block", side_leftover=(20, None), leftover=(None, 5, None, 4)), CUBAN, 1, (0, 20)),
        # By a duel of two seats, whose partners are counted together.
        (hand("block", 3, (20, None, None, 9), side_leftover=(41, 33)), DOMINICAN, 1, (0, 41)),
    ],
)  # fmt: skip
def test_totals_count_like_seats(facts: HandFacts, rules: Ruleset, winner: int, points: tuple[int, int]) -> None:
    """Totals of sides serve every rule that needs only the pips of sides."""
    score = played(facts, rules)
    assert (score.winner, score.points) == (winner, points)
    assert "leftover" not in score.not_judged


def test_a_block_by_totals_has_a_winning_side_without_a_winning_seat() -> None:
    """Only a locker of that side is credited; the pips of the winner's partner are not known."""
    facts = hand("block", 2, side_leftover=(20, 35), closing=Closing(None, False, None, True))
    score = played(facts)
    assert (score.winner, score.winning_seat, score.winner_by) == (0, None, "facts")
    match = match_of(stored(facts), stored(replace(facts, seat=1)), stored(replace(facts, seat=None)), mode="2v2")
    assert [tally.blocks for tally in result_of(match, CUBAN).tallies] == [0, 0, 1, 0]
    assert [tally.hands_won_by_block for tally in result_of(match, CUBAN).tallies] == [3, 0, 3, 0]
    everybody = ruleset("cuban-150", counted_pips="all_others")
    assert unjudged(facts, everybody) == [("leftover", "leftover.0"), ("leftover", "leftover.2")]


@pytest.mark.parametrize(("rules", "lacks"), [(PAIRS, "leftover.0"), (DOMINICAN, "ended.locker")])
def test_rules_that_compare_seats_need_the_seats(rules: Ruleset, lacks: str) -> None:
    """Totals do not name the lowest hand, and no locker."""
    facts = hand("block", side_leftover=(20, 35))
    assert (played(facts, rules).winner, played(facts, rules).points) == (None, (0, 0))
    assert ("winner", lacks) in unjudged(facts, rules)


def test_what_was_not_counted_is_asked_for_by_side() -> None:
    """The total of a side is enough, and the other's is known; one unknown seat is asked for itself."""
    assert unjudged(hand("domino", 0, closing=Closing(None, False))) == [("leftover", "side_leftover.1")]
    half = hand("domino", 0, (0, 35, None, None), closing=Closing(None, False))
    assert (played(half).points, unjudged(half)) == ((0, 0), [("leftover", "leftover.3")])


# ---------------------------------------------------------------- a stated winner


@pytest.mark.parametrize(
    ("facts", "rules", "before", "winner", "by"),
    [
        # Read only where the facts do not give a winner.
        (hand("block", stated_winner=1), CUBAN, {}, 1, "stated"),
        (hand("block", side_leftover=(20, 35), stated_winner=1), CUBAN, {}, 0, "facts"),
        (hand("block", None, (20, 35, 20, 35), stated_winner=1), DOMINICAN, {}, 1, "stated"),
        (hand("block", 0, (20, 35, 20, 35), stated_winner=1), DOMINICAN, {}, 0, "facts"),
        (hand("domino", 0, stated_winner=1), CUBAN, {}, 0, "facts"),
        (hand("domino", stated_winner=1), CUBAN, {}, 1, "stated"),
        # A tie that `no_score` settles is given.
        (hand("block", 0, (9, 9, 9, 9), stated_winner=1), ruleset("cuban-150", block_tie="no_score"), {}, None, None),
        # A tie that needs an unknown starter, locker or previous winner is not.
        (hand("block", 0, (9, 9, 9, 9), starter=None, stated_winner=1), DOMINICAN, {}, 1, "stated"),
        (hand("block", None, (9, 9, 9, 9), stated_winner=1), ruleset("cuban-150", block_tie="locker"), {}, 1, "stated"),
        (hand("block", 0, (9, 9, 9, 9), stated_winner=1), CUBAN, {"last_winner_known": False}, 1, "stated"),
        (hand("block", 0, (9, 9, 9, 9), stated_winner=1), CUBAN, {"last_winner": 0}, 0, "facts"),
        (hand("block", 0, (9, 9, 9, 9), stated_winner=1), CUBAN, {}, 0, "facts"),
    ],
)  # fmt: skip
def test_a_stated_winner_is_read_where_the_facts_give_none(
    facts: HandFacts, rules: Ruleset, before: dict[str, Any], winner: int | None, by: str | None
) -> None:
    """The hand says by what it is won; a stated side of two partners gives no winning seat."""
    score = score_hand(stored(facts, rules), rules, "2v2", HandContext(2, (0, 0), **before))
    assert (score.winner, score.winner_by) == (winner, by)
    if by == "stated":
        assert score.winning_seat is None


def test_a_stated_side_of_one_player_is_the_winning_seat() -> None:
    """In 1v1 the stated winner is the seat that went out."""
    score = played(hand("domino", None, (None, 35), stated_winner=0))
    assert (score.winner, score.winning_seat, score.winner_by, score.points) == (0, 0, "stated", (35, 0))


def test_where_facts_and_statement_differ_the_facts_hold_and_it_is_said() -> None:
    """The facts hold even if they say that no side won."""
    assert unjudged(hand("block", side_leftover=(20, 35), stated_winner=1), why="facts_hold") == [
        ("winner", "stated_winner")
    ]
    tie = hand("block", 0, (9, 9, 9, 9), stated_winner=1)
    assert unjudged(tie, ruleset("cuban-150", block_tie="no_score"), "facts_hold") == [("winner", "stated_winner")]
    assert unjudged(hand("block", stated_winner=1), why="facts_hold") == []


def test_the_winner_of_a_stated_hand_earns_its_bonuses() -> None:
    """It earns those that do not depend on the seat: the first hand, the block, the round."""
    facts = hand("block", None, side_leftover=(20, 35), stated_winner=1)
    assert hand_terms(played(facts, BONUS, number=1)) == [(1, "first_hand", 100), (1, "block_won", 25)]
    assert unjudged(facts, BONUS, number=1)[0] == ("leftover", "leftover.0")


def test_impossible_statements_are_refused() -> None:
    """A side that is none; a domino of nobody; a side whose seats both hold pips."""
    refused(hand("block", stated_winner=2), "stated_winner", "there is no side 2: the sides are 0 to 1")
    refused(hand("domino"), "ended.seat", "a domino needs the seat that went out")
    refused(hand("domino", None, (5, None, 7, None), stated_winner=0), "stated_winner", "every seat of the stated side")
    refused(hand("domino", None, (5, 7), stated_winner=0), "stated_winner", "every seat of the stated side holds pips")
    refused(hand("domino", None, ((), 7, (), 7), stated_winner=0), "leftover.0", "only one seat can have gone out")


def test_nobody_is_known_to_have_gone_out_by_a_0() -> None:
    """0 pips may be the double blank; seat 0 without a tile went out."""
    kept = stored(hand("domino", None, (0, 35, 12, 20), stated_winner=0))
    assert (kept.seat, played(kept, PAIRS).points) == (None, (67, 0))
    assert stored(hand("domino", None, ((), 35, 12, 20), stated_winner=0)).seat == 0


def test_after_an_unknown_winner_the_previous_winner_is_unknown() -> None:
    """It is unknown until a hand has a winner; hands that `no_score` settled are skipped."""
    won, tied, unknown = hand("domino", 0, (None, 1, None, 0)), hand("block", 0, (9, 9, 9, 9), starter=1), hand("block")
    by_statement = hand("domino", stated_winner=1)

    def winners(*hands: HandFacts, rules: Ruleset = CUBAN) -> list[int | None]:
        return [score.winner for score in result_of(match_of(*map(stored, hands), mode="2v2"), rules).hands]

    assert winners(tied) == [1]  # without a previous winner the starter
    assert winners(won, tied) == [0, 0]
    assert winners(won, unknown, tied) == [0, None, None]
    assert winners(won, unknown, replace(tied, stated_winner=1), tied) == [0, None, 1, 1]
    assert winners(won, unknown, by_statement, tied) == [0, None, 1, 1]
    skipped = ruleset("cuban-150", block_tie="no_score")
    assert winners(won, tied, rules=skipped) == [0, None]
    rows = result_of(match_of(*map(stored, (won, unknown, won, won, won)), mode="2v2"), ruleset("chiva-4"))
    assert rows.last_hand is None  # a hand without a known winner breaks the row


# ---------------------------------------------------------------- a stated capicúa


@pytest.mark.parametrize(
    ("closing", "rules", "stated", "capicua"),
    [
        (Closing(), CUBAN, True, True),
        (Closing(), CUBAN, False, False),
        (Closing(), CUBAN, None, None),
        (Closing(None, True), CUBAN, False, True),
        (Closing(None, False), CUBAN, True, False),
        (Closing(), DOMINICAN, True, True),
        (Closing(None, None, True), DOMINICAN, True, True),
        (Closing(None, None, True), DOMINICAN, False, False),
        # Denied by a tile that could not go on either end, or that voids it.
        (Closing(None, False), DOMINICAN, True, False),
        (Closing((3, 3)), DOMINICAN, True, False),
        (Closing((0, 3)), DOMINICAN, True, False),
        (Closing((1, 3)), DOMINICAN, True, True),
    ],
)
def test_a_stated_capicua_settles_what_the_facts_do_not(
    closing: Closing, rules: Ruleset, stated: bool | None, capicua: bool | None
) -> None:
    """It is evidence: what the tile tells holds, and a difference is listed."""
    facts = hand("domino", 0, (None, 5, None, 5), closing=closing, stated_capicua=stated)
    score = played(facts, rules)
    assert score.capicua is capicua
    assert ("capicua" in score.not_judged) is (capicua is None)
    differs = stated is not None and stated is not capicua
    assert unjudged(facts, rules, "facts_hold") == ([("capicua", "stated_capicua")] if differs else [])


def test_a_block_denies_a_capicua() -> None:
    """Only a domino can be one."""
    facts = hand("block", 0, (9, 8, 9, 8), stated_capicua=True)
    assert played(facts).capicua is False
    assert ("capicua", "stated_capicua") in unjudged(facts, why="facts_hold")


def test_a_stated_capicua_scores_and_counts_in_the_match() -> None:
    """It counts for its side; without a seat nobody is credited. Whether it blocked too is not known."""
    facts = hand("domino", stated_winner=1, side_leftover=(200, None), stated_capicua=True)
    assert (1, "capicua", 50) in hand_terms(played(replace(facts, side_leftover=(60, None)), DOMINICAN))
    result = result_of(match_of(stored(facts), mode="2v2"), CUBAN)
    assert (result.winner, result.score, result.achievements.capicuas) == (1, (0, 200), 1)
    assert [(tally.hands_won, tally.capicuas, tally.viajeras) for tally in result.tallies] == [(0, 0, 0), (1, 0, 0)] * 2
    assert result.not_judged == ("capicua_blocks",)


# ---------------------------------------------------------------- passes by side


def test_pases_corridos_by_side_score_for_the_side() -> None:
    """Each pase corrido of the side scores."""
    facts = hand("domino", 0, (None, 5, None, 5), corridos=None, side_corridos=(1, 2), closing=Closing((1, 2), False))
    assert [term for term in hand_terms(played(facts, DOMINICAN)) if term[1] == "pase_corrido"] == [
        (0, "pase_corrido", 25), (1, "pase_corrido", 25), (1, "pase_corrido", 25),
    ]  # fmt: skip
    assert ("pase_corrido", "passes.corridos_by_side") in unjudged(facts, why="not_played")


def test_counts_that_tell_the_seats_are_kept_by_seat() -> None:
    """None at all, one player a side, or the seats beside them."""
    assert stored(hand("block", corridos=None, side_corridos=(0, 0))).corridos == ()
    assert stored(hand("block", None, (1, 2), corridos=None, side_corridos=(2, 1))).corridos == (0, 0, 1)
    agreeing = stored(hand("block", corridos=(2, 1), side_corridos=(1, 1)))
    assert (agreeing.corridos, agreeing.side_corridos) == ((2, 1), None)


def test_impossible_counts_are_refused() -> None:
    """They contradict the seats, are negative, too many or too few."""
    at = "passes.corridos_by_side"
    refused(hand("block", corridos=(0,), side_corridos=(0, 1)), at, "the pases corridos by seat give 1, 0 by side")
    refused(hand("block", corridos=None, side_corridos=(-1, 1)), f"{at}.0", "0 or more")
    refused(hand("block", corridos=None, side_corridos=(0, 10**9)), at, "more than the set has tiles")
    refused(hand("block", None, (1, 2), corridos=None, side_corridos=(0, 10**9)), at, "more than the set has tiles")
    refused(hand("block", corridos=None, side_corridos=(1,)), at, "one for each side")


def test_an_opening_pass_without_a_starter_is_not_judged() -> None:
    """Its side is the starter's."""
    facts = hand("domino", stated_winner=0, starter=None, opening_pass=True, side_leftover=(None, 35))
    assert "opening_pass" in played(facts, DOMINICAN).not_judged
    assert ("opening_pass", "starter") in unjudged(facts, DOMINICAN)


# ---------------------------------------------------------------- events


def test_a_hand_keeps_what_the_sheet_said() -> None:
    """Recorded and corrected: the facts come back from the events, each pase corrido from its own."""
    facts = hand(
        "domino", stated_winner=1, side_leftover=(30, 12), stated_capicua=True, corridos=None, side_corridos=(1, 2),
    )  # fmt: skip
    match = with_hands(opened(seats=4), facts)
    assert match.played.hands == (stored(facts),)
    other = replace(facts, stated_winner=0, side_leftover=(12, 30))
    assert match.then_when(CorrectHand("m-1", 1, other, "read again")).played.hands == (stored(other),)


def test_other_hands_are_written_as_before() -> None:
    """No key is added to an event that has no such fact, so logs keep their hashes."""
    events = with_hands(opened(), domino(0, (), 10, corridos=(0,))).events
    assert not any(key in encode_body(event) for event in events for key in (b"stated", b'"side', b"_by_side"))


def test_turns_may_have_a_statement_beside_them() -> None:
    """The turns give the facts; the sheet is evidence beside them."""
    given_ = Given(*opened("dominican-200", 4).events)
    outcome = given_.when(RecordHand("m-1", hand("block", stated_winner=7), played_at=BEGAN))
    outcome.refused(InvalidInput, "stated_winner", "there is no side 7")


# ---------------------------------------------------------------- laws

pips = st.integers(1, 30)
leftovers = st.tuples(pips, pips, pips, pips)


@given(leftovers, st.sampled_from([None, 0, 1, 2, 3]), st.sampled_from([0, 1]), st.booleans())
def test_totals_of_sides_are_enough_where_the_rule_needs_sides(
    leftover: tuple[int, ...], seat: int | None, stated: int, went_out: bool
) -> None:
    """Cuban rules: without the seats' pips, winner, points and terms are those with them, whatever is stated."""
    facts = block(seat, *leftover, starter=1)
    if went_out and seat is not None:
        facts = domino(seat, *(0 if other == seat else held for other, held in enumerate(leftover)), starter=1)
    totals = (sum(facts.leftover[0::2]), sum(facts.leftover[1::2]))  # type: ignore[arg-type]  # numbers
    by_side = replace(facts, leftover=UNKNOWN, side_leftover=totals, stated_winner=stated)
    full, less = scored(facts, CUBAN), scored(complete(by_side, CUBAN, "2v2"), CUBAN)
    assert (full.winner, full.points, full.terms, full.winner_by) == (less.winner, less.points, less.terms, "facts")
    assert less.winning_seat in (full.winning_seat, None)


@given(
    leftovers, st.sampled_from([None, 0, 1, 2, 3]), st.sampled_from([0, 1]), st.sampled_from(["cuban", "pairs", "dom"])
)
def test_facts_beat_statements(leftover: tuple[int, ...], locker: int | None, stated: int, rules: str) -> None:
    """A statement changes nothing where the facts give the winner, and else it gives the side alone."""
    ruleset_ = {"cuban": CUBAN, "pairs": PAIRS, "dom": DOMINICAN}[rules]
    facts = block(locker, *leftover)
    silent, said = scored(facts, ruleset_), scored(replace(facts, stated_winner=stated), ruleset_)
    if silent.winner_known:
        assert silent == said
    else:
        assert (said.winner, said.winning_seat, said.winner_by) == (stated, None, "stated")
