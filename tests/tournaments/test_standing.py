"""The standing of a tournament: each tie-break follows the rules, and ranks follow from the tie-breaks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.tournaments.domain.outcomes import (
    OutcomeKind,
    Outcomes,
    PointRules,
    RoundOutcome,
    TableResult,
    table_result,
)
from league.tournaments.domain.plan import TieBreak
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.standing import StandingPlace, standing, terms, value
from league.tournaments.domain.state import TableOfRound

ALL: tuple[TieBreak, ...] = (
    "difference",
    "points_for",
    "buchholz",
    "buchholz_cut",
    "buchholz_median",
    "sonneborn_berger",
    "direct",
    "best_hand",
    "fewest_byes",
)


def outcome(
    number: int,
    kind: OutcomeKind,
    won: bool,
    own: int = 0,
    other: int = 0,
    opponents: tuple[str, ...] = (),
    best: int = 0,
) -> RoundOutcome:
    """An outcome as version 1 counts it: what is not won is lost, and byes and walkovers add the own wins."""
    return RoundOutcome(
        round=number,
        kind=kind,
        won=won,
        lost=not won,
        own=own,
        other=other,
        difference=own - other,
        opponents=opponents,
        adds_own_wins=kind in {"bye", "walkover"},
        best_hand=best,
    )


def match(
    outcomes: dict[str, list[RoundOutcome]], number: int, winner: str, loser: str, score: tuple[int, int]
) -> None:
    """Add the outcomes of a 1v1 match between two."""
    high, low = score
    outcomes[winner].append(outcome(number, "match", True, high, low, (loser,), high))
    outcomes[loser].append(outcome(number, "match", False, low, high, (winner,), low))


def four() -> dict[str, list[RoundOutcome]]:
    """Two rounds of four (wins: ana 2, bea 1, cira 1, dora 0), then a bye for cira and a walkover for ana."""
    outcomes: dict[str, list[RoundOutcome]] = {name: [] for name in ("ana", "bea", "cira", "dora")}
    match(outcomes, 1, "ana", "bea", (100, 60))
    match(outcomes, 1, "cira", "dora", (100, 90))
    match(outcomes, 2, "ana", "cira", (100, 20))
    match(outcomes, 2, "bea", "dora", (100, 50))
    outcomes["cira"].append(outcome(3, "bye", True, 50, 0))
    outcomes["ana"].append(outcome(3, "walkover", True, 50, 0))
    outcomes["dora"].append(outcome(3, "walkover", False, 0, 50))
    return outcomes


@pytest.mark.parametrize(
    ("tie_break", "expected"),
    [
        ("difference", {"ana": 40 + 80 + 50, "bea": -40 + 50, "cira": 10 - 80 + 50, "dora": -10 - 50 - 50}),
        ("points_for", {"ana": 250, "bea": 160, "cira": 170, "dora": 140}),
        # ana 3 won, cira 2, bea 1, dora 0.
        ("buchholz", {"ana": 1 + 2 + 3, "bea": 3 + 0, "cira": 0 + 3 + 2, "dora": 2 + 1 + 0}),
        ("buchholz_cut", {"ana": 2 + 3, "bea": 3, "cira": 3 + 2, "dora": 2 + 1}),
        ("buchholz_median", {"ana": 2, "bea": 0, "cira": 2, "dora": 1}),
        ("sonneborn_berger", {"ana": 1 + 2, "bea": 0, "cira": 0, "dora": 0}),
        ("best_hand", {"ana": 100, "bea": 100, "cira": 100, "dora": 90}),
        ("fewest_byes", {"ana": 0, "bea": 0, "cira": -1, "dora": 0}),
    ],
)
def test_each_tie_break_is_that_of_the_rules(tie_break: TieBreak, expected: dict[str, int]) -> None:
    """Byes and walkovers add a competitor's own wins to Buchholz, and nothing to Sonneborn-Berger."""
    outcomes = four()
    assert {id_: value(tie_break, id_, outcomes, ()) for id_ in outcomes} == expected


def test_direct_matches_count_where_all_that_are_tied_have_met() -> None:
    """Direct matches decide nothing among three who are tied if two of them have not met."""
    outcomes: dict[str, list[RoundOutcome]] = {name: [] for name in ("ana", "bea", "cira", "dora")}
    match(outcomes, 1, "bea", "ana", (10, 5))
    match(outcomes, 2, "ana", "dora", (10, 5))
    assert ranks(standing(outcomes, ["direct"])) == {"bea": 1, "ana": 2, "cira": 3, "dora": 3}
    match(outcomes, 3, "cira", "dora", (10, 5))
    assert ranks(standing(outcomes, ["direct"])) == {"ana": 1, "bea": 1, "cira": 1, "dora": 4}


def test_partners_that_rotate_count_both_opponents() -> None:
    """With rotating partners, Buchholz adds the wins of both opponents."""
    outcomes: Outcomes = {
        "ana": [outcome(1, "match", True, 100, 0, ("cira", "dora"))],
        "bea": [outcome(1, "match", True, 100, 0, ("cira", "dora"))],
        "cira": [outcome(1, "match", False, 0, 100, ("ana", "bea"))],
        "dora": [outcome(1, "match", False, 0, 100, ("ana", "bea"))],
    }
    assert value("buchholz", "cira", outcomes, ()) == 2
    assert value("sonneborn_berger", "ana", outcomes, ()) == 0


def ranks(places: list[StandingPlace]) -> dict[str, int]:
    return {place.id: place.rank for place in places}


@st.composite
def tournaments(draw: st.DrawFn) -> Outcomes:
    """Any rounds of up to eight competitors, with byes, walkovers and absences."""
    ids = [f"p{number}" for number in range(draw(st.integers(1, 8)))]
    outcomes: dict[str, list[RoundOutcome]] = {id_: [] for id_ in ids}
    for number in range(1, draw(st.integers(1, 5))):
        order = draw(st.permutations(ids))
        for winner, loser in zip(order[::2], order[1::2], strict=False):
            kind: OutcomeKind = draw(st.sampled_from(["match", "match", "walkover", "double_absence"]))
            scores = sorted(draw(st.tuples(st.integers(0, 9), st.integers(0, 9))), reverse=True)
            if kind == "match":
                match(outcomes, number, winner, loser, (scores[0], scores[1]))
            else:
                outcomes[winner].append(outcome(number, kind, kind == "walkover"))
                outcomes[loser].append(outcome(number, kind, False))
        if len(order) % 2:
            outcomes[order[-1]].append(outcome(number, "bye", True, 5))
    return outcomes


@given(tournaments(), st.lists(st.sampled_from(ALL), unique=True))
def test_places_are_in_order_and_equal_ones_share_a_rank(outcomes: Outcomes, tie_breaks: list[TieBreak]) -> None:
    """A rank is one more than the number of better competitors, and the values explain it."""
    places = standing(outcomes, tie_breaks)
    assert sorted(place.id for place in places) == sorted(outcomes)
    keys = [(place.won, *place.values) for place in places]
    assert keys == sorted(keys, reverse=True)
    assert [place.rank for place in places] == [1 + sum(other > key for other in keys) for key in keys]
    for one, other in pairwise(places):
        assert one.rank < other.rank or one.id < other.id


@given(tournaments(), st.sampled_from(ALL))
def test_a_value_is_the_sum_of_its_parts(outcomes: Outcomes, tie_break: TieBreak) -> None:
    """The terms of each round and opponent add up to the value; `best_hand` is the largest term instead.

    `direct` has neither value nor terms where not all who are level have met.
    """
    for id_ in outcomes:
        found = terms(tie_break, id_, outcomes, [*outcomes])
        of_rounds = {one.round for one in outcomes[id_]}
        assert {part.round for part in found} <= of_rounds
        counted = [part.value for part in found if part.counts]
        total = max(counted, default=0) if tie_break == "best_hand" else sum(counted)
        found_value = value(tie_break, id_, outcomes, [*outcomes])
        assert found_value == total or (tie_break, found_value, counted) == ("direct", None, [])


def test_the_hands_of_a_forfeited_match_are_nobodys_best() -> None:
    """A forfeited match counts like a walkover, and the 90 points of its hand are nobody's best hand."""
    table = TableOfRound(1, (("ana",), ("bea",)), games=(("m1",),))
    forfeited = MatchSummary("forfeited", 1, (90, 20), (90, 20), begun=True)
    result = table_result(table, {"m1": forfeited}, PointRules(200, (True, 100, 0), (True, 100, 0)))
    assert result == TableResult("forfeited", 1, (0, 100), (90, 20), best_hands=(0, 0))
