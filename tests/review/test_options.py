"""What a move cost, for what the seat could see: fair over the deals that fit, and checked where it can be."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import isclose, sqrt
from random import Random

import pytest
from played_hands import played_hand

from league.ai.knowledge import knowledge_of
from league.ai.levels import after, options_of, worth_of
from league.ai.rollouts import HandStakes
from league.review import options
from league.review.decisions import FittingDeals, PlayDecision, TranscribedHand, decisions
from league.review.options import WeighedDecision, WorthEstimate, weigh

ENDGAME = 8
"""Hidden tiles up to which all deals are listed in these tests."""


def endgames(hand: TranscribedHand, hidden: int = ENDGAME) -> list[PlayDecision]:
    """The decisions of a hand before which few tiles were hidden from the seat, and it could choose."""
    return [
        one
        for one in decisions(hand)
        if sum(one.seen.counts) - len(one.seen.tiles) <= hidden and len(one.seen.plays) > 1 and not one.seen.boneyard
    ]


@pytest.mark.heavy
def test_deals_come_up_as_often_as_they_are_likely(rng: Random) -> None:
    """In a sample, each deal's share is within five standard errors of its weight among all deals."""
    seen = [one.seen for number in range(6) for one in endgames(played_hand(number))]
    checked = 0
    for one in seen:
        deals = FittingDeals(one, knowledge_of(one))
        listed = deals.all(200)
        if listed is None or len(listed) < 2:
            continue
        checked += 1
        total = sum(deal.weight for deal in listed)
        drawn = Counter(tuple(deal.deal.held) for deal in deals.sample(rng, 2_000))
        shares = defaultdict[tuple[int, ...], float](float)
        for deal in listed:
            shares[tuple(deal.deal.held)] += deal.weight / total
        assert set(drawn) <= set(shares)
        for held, share in shares.items():
            assert abs(drawn[held] / 2_000 - share) <= 5 * sqrt(share * (1 - share) / 2_000) + 3 / 2_000
    assert checked > 3


@pytest.mark.heavy
def test_sampled_values_agree_with_those_over_all_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """In endgames with at most eight hidden tiles, sampled intervals hold the exact worth and the exact loss."""
    found = [(one, weigh(one, 1)) for number in range(8) for one in endgames(played_hand(number))]
    monkeypatch.setattr(options, "MOST_LISTED", 0)
    outside = 0
    for one, exact in found:
        assert exact.is_whole
        assert exact.loss.low == exact.loss.high
        worths = {option.play: option.worth.value for option in exact.options}
        sampled = weigh(one, 1)
        played, best = (sampled.options[at] for at in (sampled.played, sampled.best))
        outside += not holds(played.worth, worths[played.play])
        lost = worths[best.play] - worths[played.play]
        outside += not holds(sampled.loss, lost)
        assert lost > 0 or not sampled.is_mistake, "nobody is blamed for what was no worse"
    assert len(found) > 5
    assert outside <= 0.05 * len(found), "99 of 100 intervals hold the value"


def holds(estimate: WorthEstimate, value: float) -> bool:
    """Whether an interval holds a value."""
    return estimate.low - 1e-9 <= value <= estimate.high + 1e-9


def test_the_exact_value_is_the_average_over_all_deals() -> None:
    """An exact value equals the average that this test computes from every deal and its weight."""
    for one in (one for number in range(4) for one in endgames(played_hand(number))):
        known = knowledge_of(one.seen)
        listed = FittingDeals(one.seen, known).all(600)
        if listed is None:
            continue
        worth = worth_of(one.seen, known, HandStakes(one.seen, win=0))
        total = sum(deal.weight for deal in listed)
        given = [
            [(deal.weight, worth(after(deal.deal, option, one.seat))) for deal in listed]
            for option in options_of(one.seen, known)
        ]
        values = [sum(weight * value for weight, value in each) / total for each in given]
        won = [sum(weight for weight, value in each if value > 0) / total for each in given]
        weighed = weigh(one, 1)
        assert [option.wins for option in weighed.options] == pytest.approx(
            [share for _, share in sorted(zip(values, won, strict=True), key=lambda pair: -pair[0])]
        ) or len(set(values)) < len(values)
        assert isclose(weighed.options[0].worth.value, max(values), abs_tol=1e-9)
        assert isclose(weighed.loss.value, max(values) - weighed.options[weighed.played].worth.value, abs_tol=1e-9)


def test_nobody_is_blamed_on_the_strength_of_assumed_odds() -> None:
    """A mistake over all deals with assumed odds must also be one with equal odds."""
    spared = blamed = 0
    for one in (one for number in (0, 1, 17, 21, 23, 28) for one in endgames(played_hand(number))):
        weighed = weigh(one, 1)
        if not weighed.is_whole or weighed.loss.value < options.CLOSE:
            continue
        alike = loss_with_equal_odds(one, weighed)
        spared += alike < options.CLOSE
        blamed += weighed.is_mistake
        assert alike >= options.CLOSE or not weighed.is_mistake
    assert spared > 3
    assert blamed > 1


@pytest.mark.heavy
def test_drawn_deals_blame_nobody_on_the_strength_of_assumed_odds_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake over sampled deals must also be one over deals sampled with equal odds."""
    turns = [(17, 21), (21, 22), (23, 20), (28, 22), (28, 24), (33, 25)]
    found = [one for number, turn in turns for one in decisions(played_hand(number)) if one.turn == turn]
    exact = [weigh(one, 1) for one in found]
    assert all(
        one.loss.value >= options.CLOSE > loss_with_equal_odds(of, one) for of, one in zip(found, exact, strict=True)
    )
    monkeypatch.setattr(options, "MOST_LISTED", 0)
    drawn = [weigh(one, 1) for one in found]
    assert any(one.loss.low > 0 and one.loss.value >= options.CLOSE for one in drawn), "the odds alone would blame"
    assert not any(one.is_mistake for one in drawn)


def loss_with_equal_odds(decision: PlayDecision, weighed: WeighedDecision) -> float:
    """What the play cost beside the best one over all deals that fit, each counted once."""
    known = knowledge_of(decision.seen)
    listed = FittingDeals(decision.seen, known).all(600)
    assert listed is not None
    worth = worth_of(decision.seen, known, HandStakes(decision.seen, win=0))
    plays = {option.play: option for option in options_of(decision.seen, known)}
    best, played = (plays[weighed.options[at].play] for at in (weighed.best, weighed.played))
    lost = [worth(after(deal, best, decision.seat)) - worth(after(deal, played, decision.seat)) for deal, _ in listed]
    return sum(lost) / len(lost)


@pytest.mark.heavy
def test_a_review_of_a_move_is_the_same_each_time() -> None:
    """Equal arguments give an equal answer."""
    (first, *_) = [one for one in decisions(played_hand(3)) if len(one.seen.plays) > 1]
    assert weigh(first, 5) == weigh(first, 5)
    assert weigh(first, 5) != weigh(first, 6)


@pytest.mark.heavy
def test_more_deals_are_tried_only_while_it_is_not_clear() -> None:
    """If the actual play is clearly the best, the first sample is enough. Otherwise a second sample judges the cost."""
    found = [weigh(one, 1) for one in decisions(played_hand(3, level="heuristic")) if len(one.seen.plays) > 1]
    sampled = [one for one in found if not one.is_whole]
    assert {one.deals for one in sampled if one.best != one.played} <= {options.JUDGING_DEALS}
    tried = {one.deals for one in sampled if one.best == one.played}
    assert options.FIRST_DEALS in tried
    assert max(tried) <= options.MOST_DEALS


@pytest.mark.heavy
def test_a_mistake_costs_a_point_or_more() -> None:
    """A mistake costs at least a point, its interval lies above zero, and the best play is another one."""
    mistakes = [one for one in (weigh(one, 1) for one in decisions(played_hand(0))) if one.is_mistake]
    assert mistakes
    for weighed in mistakes:
        assert weighed.loss.low > 0
        assert weighed.loss.value >= options.CLOSE
        assert weighed.best != weighed.played


@pytest.mark.parametrize("ruleset", ["chiva-4", "partnership-6"])
def test_a_mistake_costs_ten_hands_of_a_hundred_where_hands_count_themselves(ruleset: str) -> None:
    """In rulesets without points a mistake costs at least 0.2, because a hand lost instead of won costs only 2."""
    found = [weigh(one, 1, 256) for one in decisions(played_hand(0, ruleset)) if one.turn in {9, 12, 14}]
    mistakes = [one for one in found if one.is_mistake]
    assert any(one.loss.value < 1 for one in mistakes)
    for one in mistakes:
        assert one.loss.low > 0
        assert one.loss.value >= options.CLOSE_IN_HANDS
    assert all(one.is_in_hands for one in found)
