"""Full cycles are whist tournaments; explanations say what the next best round would have cost."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from league.tournaments.domain.drawn import WHIST_SIZES, RankedCompetitor, Schedule, whist_round
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import parse_plan
from league.tournaments.pairing import pair
from league.tournaments.why_paired import RoundExplainer


@pytest.mark.parametrize("players", WHIST_SIZES)
def test_everybody_has_everybody_as_partner_once_and_as_opponent_twice(players: int) -> None:
    """A full cycle has one round fewer than players, and nobody sits out."""
    partners: Counter[frozenset[int]] = Counter()
    opponents: Counter[frozenset[int]] = Counter()
    for number in range(1, players):
        tables = whist_round(players, number)
        assert sorted(one for table in tables for side in table for one in side) == list(range(players))
        for one, other in tables:
            partners.update([frozenset(one), frozenset(other)])
            opponents.update(frozenset(two) for two in product(one, other))
    assert set(partners.values()) == {1}
    assert set(opponents.values()) == {2}
    assert len(partners) == len(opponents) == players * (players - 1) // 2


def drawn(*ranked: RankedCompetitor) -> RoundDrawn:
    return RoundDrawn(2, ranked)


def test_the_next_best_round_is_worse_by_the_criterion_that_is_named() -> None:
    """If the two winners did not meet, the squares of the differences would add up to 2."""
    plan = parse_plan({"name": "C", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 5})
    drawing = drawn(
        RankedCompetitor("ana", 1, 1),
        RankedCompetitor("bea", 1, 2),
        RankedCompetitor("cira", 0, 3),
        RankedCompetitor("dora", 0, 4),
    )
    tables = pair(plan, drawing, "ab", Schedule(())).tables
    assert {frozenset(a + b) for a, b in (table.sides for table in tables)} == {
        frozenset({"ana", "bea"}),
        frozenset({"cira", "dora"}),
    }
    why = RoundExplainer(plan, drawing, "ab", (), [table.sides for table in tables])
    (choice,) = why.of(tables[0].sides)
    assert choice.next_best is not None
    assert (choice.next_best.criterion, choice.next_best.more) == ("won", 2)
