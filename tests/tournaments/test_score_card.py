"""The score card of a competitor, and the standing after each round."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from random_tournaments import PlayedTournament

from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.score_card import CardRound, score_card

PLAN = {"name": "Copa", "format": "swiss", "ruleset": "cuban-150", "mode": "1v1", "rounds": 4}


class Five(PlayedTournament):
    """A few players, five if no number is given; the one with the lower name wins each match, by 100."""

    def __init__(self, chance: Random, most: int = 5, plan: dict[str, Any] = PLAN) -> None:
        super().__init__(chance, most=most, plan=plan)

    def round(self) -> None:
        """Draw a round and play it."""
        self.draw()
        for table in self.state.rounds[-1].tables:
            if table.absent:
                continue
            winner = int(table.sides[1] < table.sides[0])
            self.results[table.match or ""] = MatchSummary(
                "completed", winner, (150, 50)[:: 1 - 2 * winner], begun=True
            )


def card(played: PlayedTournament, competitor: str) -> list[CardRound]:
    seen = played.seen
    return score_card(seen.state, seen.results, seen.points, seen.outcomes(), competitor)


@pytest.fixture
def five(rng: Random) -> Five:
    return Five(rng)


def test_a_card_has_a_line_for_each_round_with_the_table_and_what_it_came_to(five: Five) -> None:
    """A bye has no table, an open match no outcome, and a round before somebody entered is empty."""
    five.round()
    five.round()
    five.draw()
    opened = five.state.rounds[2].tables[0]
    for id_ in five.state.entries:
        rounds = card(five, id_)
        assert [one.of.number for one in rounds] == [1, 2, 3]
        for one in rounds:
            if one.table is None:
                assert (one.kind, one.outcome is not None and one.outcome.own) == ("bye", 75)
            else:
                assert id_ in one.table.sides[one.side or 0]
                assert one.kind == "match"
                assert (one.outcome is None) == (one.of.number == 3)
    assert card(five, opened.sides[1][0])[2].side == 1


def test_the_rank_after_a_round_counts_that_round_and_those_before(five: Five) -> None:
    """The rank after the last round is the present one, and a correction moves the ranks after all later rounds."""
    for _ in range(3):
        five.round()
    seen = five.seen
    assert seen.after(3).standing() == seen.standing()
    assert {place.won for place in seen.after(1).standing()} == {0, 1}
    before = [won_after(five, number) for number in (1, 2)]
    first = five.state.rounds[0].tables[0]
    five.results[first.match or ""] = MatchSummary("voided", begun=True)
    assert [won_after(five, number) for number in (1, 2)] == [won - 1 for won in before]


def won_after(played: PlayedTournament, number: int) -> int:
    return sum(place.won for place in played.seen.after(number).standing())


def test_the_standing_after_a_round_has_who_left_later(rng: Random) -> None:
    """Who left a round robin after two of five rounds had been there after the first one, with a rank."""
    plan = {"name": "Copa", "format": "round_robin", "ruleset": "cuban-150", "mode": "1v1"}
    played = Five(rng, most=6, plan=plan)
    played.round()
    leaver = "p001"  # wins each match
    played.round()
    before = [played.seen.after(1).standing()]
    played._leave(leaver)  # a step of the player
    played.round()
    assert {place.id: place.rank for place in played.seen.standing()}[leaver] is None
    assert [played.seen.after(1).standing()] == before
    assert {place.id: place.rank for place in played.seen.after(2).standing()}[leaver] is None


def test_the_standing_after_a_round_lacks_who_entered_later(rng: Random) -> None:
    """A late entrant is first in the standing on which the first round that they could play is drawn."""
    played = Five(rng, plan={**PLAN, "late_entries": 3})
    played.round()
    played.round()
    played.enter(["p090"])
    played.round()
    known = [{place.id for place in played.seen.after(number).standing()} for number in (1, 2, 3)]
    assert ["p090" in ids for ids in known] == [False, True, True]
