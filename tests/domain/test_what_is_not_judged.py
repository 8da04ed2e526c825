"""Rules that were not judged are listed, and the facts that they name are enough to judge them."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from given import EDITION, match_of, ruleset
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.bonuses import HAND_TERMS, HandFact
from league.domain.hand import Closing, HandContext, HandFacts
from league.domain.not_judged import OF_FACT, NotJudged, not_judged_in_hand, not_judged_in_match
from league.domain.result import AnnouncedResult, result_of
from league.domain.scoring import HandScore, score_hand
from league.wording.facts import FACTS, RULES, not_judged_in_words

BLOCK = HandFacts(0, "block", None, (20, 10, 20, 15))
FOUR = [name for name, rules in EDITION.rulesets.items() if "2v2" in rules.modes]


def judged(facts: HandFacts, name: str) -> tuple[HandScore, list[NotJudged]]:
    """The score of a hand of two pairs, and what is not judged in it."""
    rules = ruleset(name)
    score = score_hand(facts, rules, "2v2", HandContext(1, (0, 0)))
    return score, not_judged_in_hand(facts, rules, "2v2", score)


def test_a_block_without_its_locker_says_what_it_needs() -> None:
    """The Dominican text compares the locker with the next seat: nobody has won, and the reason is said."""
    score, found = judged(BLOCK, "dominican-500-bonus")
    assert (score.winner, score.points) == (None, (0, 0))
    missing = {(one.rule, one.at) for one in found}
    assert {("winner", "ended.locker"), ("leftover", "ended.locker"), ("round_bonus", "ended.locker")} <= missing
    assert not_judged_in_words(found[0]) == (
        "Not judged: who won the hand. For that, record which seat locked the hand, or the side that the score sheet "
        "names."
    )


def test_the_rules_without_points_say_it_too() -> None:
    """In a chiva no rule of a hand is left to list, but who won it is still not known."""
    unknown = HandFacts(0, "block", None, (20, None, 20, 15))
    _, found = judged(unknown, "chiva-4")
    assert ("winner", "leftover.1") in {(one.rule, one.at) for one in found}


def test_a_tie_that_nobody_wins_is_judged() -> None:
    """`no_score` settles it; an unknown starter does not."""
    tie = HandFacts(None, "block", 1, (10, 10, 10, 10), opening_pass=False, corridos=())
    rules = ruleset("dominican-200")
    for change, at in (({"block_tie": "no_score"}, None), ({"block_tie": "starter"}, "starter")):
        played = replace(rules, **change)
        score = score_hand(tie, played, "2v2", HandContext(1, (0, 0)))
        found = not_judged_in_hand(tie, played, "2v2", score)
        assert [one.at for one in found if one.rule == "winner"] == ([] if at is None else [at])


def test_bonuses_that_the_ruleset_does_not_play_are_said() -> None:
    """Passes that score under other rules."""
    facts = replace(BLOCK, seat=1, opening_pass=True, corridos=(2,))
    _, found = judged(facts, "cuban-150")
    assert [(one.rule, one.at) for one in found if one.why == "not_played"] == [
        ("opening_pass", "passes.opening_pass"), ("pase_corrido", "passes.corridos"),
    ]  # fmt: skip
    _, found = judged(facts, "dominican-200")
    assert not [one for one in found if one.why == "not_played"]


def test_hands_after_the_end_and_other_announcements_are_said() -> None:
    """They count for nothing."""
    won = HandFacts(0, "domino", 0, ((), 80, 80, 80), Closing(None, fits_both_ends=False))
    match = replace(match_of(won, won, won, mode="2v2"), announced=AnnouncedResult(1))
    result = result_of(match, ruleset("cuban-150"))
    found = [(one.why, one.hand, one.at) for one in not_judged_in_match(match, ruleset("cuban-150"), result)]
    assert ("after_end", 2, None) in found
    assert ("after_end", 3, None) in found
    assert ("facts_hold", None, "announced.winner") in found


closings = st.builds(
    Closing,
    tile=st.sampled_from([None, (0, 0), (3, 3), (1, 2)]),
    fits_both_ends=st.sampled_from([None, True, False]),
    ends_equal=st.sampled_from([None, True, False]),
    blocks_too=st.none(),
)
pips = st.one_of(st.none(), st.sampled_from([5, 10, 10, 30]))


@st.composite
def hands(draw: Any) -> HandFacts:
    """A hand of four seats of which anything may be unknown, or known of the sides only."""
    seat, stated = draw(st.sampled_from([None, 0, 1, 2, 3])), draw(st.sampled_from([None, 0, 1]))
    domino = (seat is not None or stated is not None) and draw(st.booleans())
    leftover = tuple(() if domino and other == seat else draw(pips) for other in range(4))
    totals = tuple(40 if leftover[side::2] == (None, None) and draw(st.booleans()) else None for side in (0, 1))
    corridos, by_side = draw(st.sampled_from([(None, None), ((), None), ((1,), None), (None, (1, 2))]))
    return HandFacts(
        draw(st.sampled_from([None, 0, 3])), "domino" if domino else "block", seat, leftover, draw(closings),
        draw(st.sampled_from([None, True, False])), corridos, (), side_leftover=totals, side_corridos=by_side,
        stated_winner=stated, stated_capicua=draw(st.sampled_from([None, True, False])),
    )  # fmt: skip


@given(facts=hands(), name=st.sampled_from(FOUR))
def test_what_is_named_is_enough_to_judge_everything(facts: HandFacts, name: str) -> None:
    """Every rule that is not judged names a fact that is unknown; when those are known, all are judged."""
    for _ in range(5):  # a known locker may show that pips are missing
        score, found = judged(facts, name)
        unknown = [one for one in found if one.why == "unknown"]
        assert set(score.not_judged) <= {one.rule for one in unknown}
        if not unknown:
            return
        for at in {one.at for one in unknown}:
            assert at is not None
            facts = known(facts, at)
    pytest.fail(f"still not judged: {unknown}")


def known(facts: HandFacts, at: str) -> HandFacts:
    """The hand with one more known fact, which was not known before."""
    name, _, rest = at.partition(".")
    if name == "leftover":
        seat = int(rest)
        assert facts.leftover[seat] is None
        return replace(facts, leftover=(*facts.leftover[:seat], 10 + seat, *facts.leftover[seat + 1 :]))
    if name == "side_leftover":
        totals = facts.side_leftover or (None, None)
        assert totals[int(rest)] is None
        return replace(facts, side_leftover=tuple(50 if side == int(rest) else totals[side] for side in (0, 1)))
    if at in ("ended.locker", "ended.seat"):
        assert facts.seat is None
        return replace(facts, seat=1)
    value: Any = {"tile": (1, 2), "corridos": (), "starter": 0}.get(rest or at, False)
    if name == "ended":
        assert getattr(facts.closing, rest) is None
        return replace(facts, closing=replace(facts.closing, **{rest: value}))
    assert getattr(facts, rest or at) is None
    return replace(facts, **{rest or at: value})


def test_every_fact_and_every_rule_has_its_entry_and_its_words() -> None:
    """A fact that a term can rest on says which field it comes from; every rule and field has words."""
    assert set(OF_FACT) == set(get_args(HandFact))
    assert set(HAND_TERMS) <= set(RULES)
    assert all(FACTS.values())


def test_a_match_by_its_result_lists_what_needs_hands() -> None:
    """All rules that need hands, and without a score the difference."""
    rules = ruleset("cuban-150")
    match = replace(match_of(mode="2v2"), announced=AnnouncedResult(0))
    found = not_judged_in_match(match, rules, result_of(match, rules))
    assert {(one.rule, one.at) for one in found} >= {("capicua", None), ("differential", "announced.score")}
