"""Levels compared: the same deals for both sides, and an interval that is right."""

from __future__ import annotations

from statistics import mean, stdev

import pytest
from hands_of_ai import MODES, RULESETS

from league.ai.matches import LevelContest, MatchInPlay, interval_of, play_deal, single_hand, tally
from league.domain.rules import Mode


@pytest.mark.parametrize("level", ["random", "heuristic", "inference"])
@pytest.mark.parametrize(("ruleset", "mode", "sides"), [("cuban-150", "2v2", 2), ("doscientos-200", "individuals", 3)])
def test_a_level_against_itself_gets_its_share_exactly(ruleset: str, mode: Mode, sides: int, level: str) -> None:
    """With mirrored deals both sides play the same hands, so a level gains nothing against itself."""
    contest = LevelContest(RULESETS[ruleset], mode, (level,) * sides, mirrored=True, seed=3, samples=3)  # type: ignore[arg-type]
    found = tally(contest, [play_deal(contest, number) for number in range(4)])
    assert found.hands == 4 * sides
    assert found.interval == pytest.approx((1 / sides, 1 / sides))
    assert len({*found.won}) == len({*found.points}) == 1


def test_the_better_level_wins_more() -> None:
    """Results are in the order of the levels. Without mirroring, each deal is played once."""
    contest = LevelContest(RULESETS["dominican-200"], "2v2", ("heuristic", "random"), mirrored=False, seed=1)
    found = tally(contest, [play_deal(contest, number) for number in range(150)])
    assert found.hands == 150
    assert found.won[0] > found.won[1]
    assert found.points[0] > found.points[1]


def test_the_interval_is_that_of_the_mean() -> None:
    """The interval is the mean and 1.96 standard errors to either side. A single share has no interval."""
    shares = [0.0, 0.5, 1.0, 1.0]
    error = 1.96 * stdev(shares) / 2
    assert interval_of(shares) == pytest.approx((mean(shares) - error, mean(shares) + error))
    assert interval_of([1.0]) is None


def test_a_deal_follows_from_its_seed_and_number() -> None:
    """Another seed or number gives other tiles."""
    hands = [
        single_hand(RULESETS["cuban-150"], 4, seed, number).held for seed, number in [(1, 1), (1, 1), (1, 2), (2, 1)]
    ]
    assert hands[0] == hands[1]
    assert hands[1] != hands[2] != hands[3] != hands[1]


@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_a_match_begins_as_its_ruleset_says(ruleset: str, mode: Mode, seats: int) -> None:
    """A match begins by a starting draw, or with the highest double, which must lead."""
    match = MatchInPlay("m", RULESETS[ruleset], mode, tuple("abcd"[:seats]), 5)
    hand = match.deal()
    drawn = match.played.starting_draw
    if drawn is None:
        assert [play.tile for play in hand.legal_plays()] == [hand.must_lead]
    else:
        assert sum(drawn[hand.starter]) == max(map(sum, drawn))
