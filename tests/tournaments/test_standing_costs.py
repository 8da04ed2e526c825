"""What the standings of the API compute, and what they leave until somebody asks."""

from __future__ import annotations

from random import Random

from random_tournaments import PlayedTournament

from league.tournaments.api.standings import TournamentPlace, standing_of
from league.tournaments.domain.results import MatchSummary

PLAN = {"name": "Copa", "format": "round_robin", "ruleset": "cuban-150", "mode": "1v1"}


def test_the_standing_leaves_the_provisional_one_until_somebody_asks(rng: Random) -> None:
    """An open match has a leading side, but the places of the standing do not compute the provisional ones."""
    played = PlayedTournament(rng, most=6, plan=PLAN)
    played.draw()
    open_match = next(match for match in played.state.matches())
    played.results[open_match] = MatchSummary("open", None, (40, 65), begun=True)
    seen = played.seen
    for row in standing_of(seen, None).rows:
        TournamentPlace.of(row)
    assert "provisional_standing" not in vars(seen)
    assert seen.provisional_places[seen.provisional_standing[0].id].won == 1
