"""Bounds of final ranks: no outcome that is still possible leads to a rank outside them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace
from random_tournaments import PlayedTournament

from league.domain.refusals import Refusal
from league.tournaments.domain.commands import Withdraw
from league.tournaments.domain.entering import withdraw
from league.tournaments.domain.leaving import annulled
from league.tournaments.domain.outcomes import outcomes
from league.tournaments.domain.plan import tie_breaks_of
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.schedule import rounds_of
from league.tournaments.domain.standing import standing
from league.tournaments.domain.state import TableOfRound, TournamentState


def endings(played: PlayedTournament, tables: list[TableOfRound]) -> Iterator[dict[str, MatchSummary]]:
    """Every combination of winners at the open tables, by a wide and by a narrow margin."""
    for chosen in product([(160, 0), (160, 150), (0, 160), (150, 160)], repeat=len(tables)):
        found = dict(played.results)
        for table, score in zip(tables, chosen, strict=True):
            assert table.match is not None
            found[table.match] = MatchSummary("completed", int(score[1] > score[0]), score, begun=True)
        yield found


def to_play(played: PlayedTournament) -> list[TableOfRound]:
    """The tables of the last round that have a match. In a round robin those of somebody who left have none."""
    return [table for table in played.state.rounds[-1].tables if table.match is not None]


def final_ranks(state: TournamentState, played: PlayedTournament, results: dict[str, MatchSummary]) -> dict[str, int]:
    """The ranks by competitor, without those who are out of the standing."""
    assert state.plan is not None
    found = outcomes(state, results, played.points)
    places = standing(found, tie_breaks_of(state.plan), annulled(state, results))
    return {place.id: place.rank for place in places if place.rank is not None}


@pytest.mark.parametrize("number", range(40))
def test_no_outcome_of_the_last_round_is_excluded(rng: Random, number: int) -> None:
    """Bounds hold for up to six competitors, however the open tables of the last round end."""
    played = PlayedTournament(Random(rng.random() + number), most=6)
    played.draw()
    while len(played.state.rounds) < rounds_of(played.state) and played.chance.random() < 0.6:
        before = len(played.state.rounds)
        played.play_round()
        with suppress(Refusal):  # too few may be left
            played.draw()
        if len(played.state.rounds) == before:
            return
    tables = to_play(played)
    decided = played.chance.randint(0, len(tables))
    for table in tables[:decided]:
        played._decide(table)  # a step of the same player
    bounds = played.seen.possible()
    for results in endings(played, tables[decided:]):
        for id_, rank in final_ranks(played.state, played, results).items():
            assert bounds[id_].best <= rank <= bounds[id_].worst


@pytest.mark.parametrize("number", range(12))
def test_no_outcome_of_a_round_to_be_drawn_is_excluded(rng: Random, number: int) -> None:
    """Bounds hold for up to six competitors, whatever the outcomes from which the last round is drawn."""
    played = PlayedTournament(Random(rng.random() + number), most=6)
    played.draw()
    while len(played.state.rounds) < rounds_of(played.state) - 1:
        played.play_round()
        try:
            played.draw()
        except Refusal:  # too few are left
            return
    tables = to_play(played)
    for table in tables[:-2]:
        played._decide(table)  # a step of the same player
    bounds = played.seen.possible()
    for results in endings(played, tables[-2:]):
        after = copy(played)
        after.results, after.events = results, [*played.events]
        with suppress(Refusal):  # there is no other round
            after.draw()
        last = to_play(after) if len(after.state.rounds) > len(played.state.rounds) else []
        for final in endings(after, last):
            for id_, rank in final_ranks(after.state, after, final).items():
                assert bounds[id_].best <= rank <= bounds[id_].worst


@pytest.mark.parametrize("number", range(24))
def test_no_outcome_is_excluded_after_somebody_left_a_round_robin(rng: Random, number: int) -> None:
    """Who left may still play what is open, and rounds may be cut, so that what was annulled counts again."""
    played = PlayedTournament(Random(rng.random() + number), most=6, format_="round_robin")
    played.draw()
    for _ in range(played.chance.randint(0, 2)):
        played.play_round()
        with suppress(Refusal):  # too few are left
            played.draw()
    open_ = [table for table in to_play(played) if table.match not in played.results]
    for table in open_[: played.chance.randint(0, len(open_))]:
        played._decide(table)  # a step of the same player
        open_.remove(table)
    leaver = played.chance.choice(played.state.available())
    played._take(withdraw(Withdraw("copa", leaver.id), played.state))  # a step of the same player
    bounds = played.seen.possible()
    plan = played.state.known_plan
    cut = replace(played.state, plan=replace(plan, rounds=len(played.state.published)))
    for results in endings(played, open_):
        for state in (cut, played.state) if rounds_of(played.state) == len(played.state.published) else (cut,):
            for id_, rank in final_ranks(state, played, results).items():
                assert bounds[id_].best <= rank <= bounds[id_].worst


def test_bounds_are_the_ranks_once_all_is_decided(rng: Random) -> None:
    """Once everything is decided, the best and the worst rank are the rank itself."""
    played = PlayedTournament(Random(rng.random()), most=8)
    played.play()
    ranks = {place.id: place.rank for place in played.seen.standing() if place.rank is not None}
    assert {id_: (one.best, one.worst) for id_, one in played.seen.possible().items()} == {
        id_: (rank, rank) for id_, rank in ranks.items()
    }
