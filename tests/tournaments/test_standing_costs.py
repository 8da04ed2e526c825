"""What the standings of the API compute, and what they leave until somebody asks."""

from __future__ import annotations

from random import Random

import pytest
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


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "groups", "knockout", "rotating_partners"])
def test_the_ranks_on_a_score_card_are_those_of_the_standings_after_each_round(rng: Random, format_: str) -> None:
    """They are found without computing the standings, also where somebody left or entered on the way."""
    for _ in range(3):
        played = PlayedTournament(rng, most=12, format_=format_)
        played.play()
        seen = played.seen
        for competitor in seen.state.entries:
            after = [{place.id: place for place in seen.after(of.number).standing()} for of in seen.state.published]
            expected = [places.get(competitor) for places in after]
            found = [*seen.places_after_rounds(competitor)]
            assert [(one.rank, one.won) for one in found] == [
                (None, 0) if one is None else (one.rank, one.won) for one in expected
            ]


def test_the_standing_after_a_round_is_computed_once(rng: Random) -> None:
    """Whoever asks next for this round gets the same places, as long as few other rounds were asked for."""
    played = PlayedTournament(rng, most=8, plan=PLAN)
    for _ in range(6):
        played.draw()
        played.play_round()
    seen = played.seen
    first = seen.after(1).standing()
    assert seen.after(1).standing() is first
    for number in range(2, 7):
        seen.after(number)
    assert seen.after(1).standing() is not first
