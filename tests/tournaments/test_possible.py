"""Bounds of final ranks: no outcome that is still possible leads to a rank outside them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from itertools import product
from random import Random

import pytest
from random_tournaments import PlayedTournament

from league.domain.refusals import Refusal
from league.tournaments.domain.outcomes import MatchSummary, outcomes
from league.tournaments.domain.possible import rounds_of
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


def final_ranks(state: TournamentState, played: PlayedTournament, results: dict[str, MatchSummary]) -> dict[str, int]:
    assert state.plan is not None
    return {place.id: place.rank for place in standing(outcomes(state, results, played.points), state.plan.tie_breaks)}


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
    of = played.state.rounds[-1]
    decided = played.chance.randint(0, len(of.tables))
    for table in of.tables[:decided]:
        played._decide(table)  # a step of the same player
    bounds = played.seen.possible()
    for results in endings(played, list(of.tables[decided:])):
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
    tables = list(played.state.rounds[-1].tables)
    for table in tables[:-2]:
        played._decide(table)  # a step of the same player
    bounds = played.seen.possible()
    for results in endings(played, tables[-2:]):
        after = copy(played)
        after.results, after.drawings, after.events = results, dict(played.drawings), []
        with suppress(Refusal):  # there is no other round
            after.draw()
        last = list(after.state.rounds[-1].tables) if len(after.state.rounds) > len(played.state.rounds) else []
        for final in endings(after, last):
            for id_, rank in final_ranks(after.state, after, final).items():
                assert bounds[id_].best <= rank <= bounds[id_].worst


def test_bounds_are_the_ranks_once_all_is_decided(rng: Random) -> None:
    """Once everything is decided, the best and the worst rank are the rank itself."""
    played = PlayedTournament(Random(rng.random()), most=8)
    played.play()
    ranks = {place.id: place.rank for place in played.seen.standing()}
    assert {id_: (one.best, one.worst) for id_, one in played.seen.possible().items()} == {
        id_: (rank, rank) for id_, rank in ranks.items()
    }
