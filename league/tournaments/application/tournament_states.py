"""The states of tournaments, which a process keeps, and the results of their matches as the log has them."""

from collections.abc import Sequence
from typing import cast

from league.application.kept_states import KeptStates, KeptStream
from league.application.stream_states import StreamStates
from league.domain.rules import Ruleset
from league.tournaments.domain.standing import MatchResult, Points, match_result, points_of
from league.tournaments.domain.state import TournamentState, evolve

KIND = "tournament"
STREAM = f"{KIND}:"
"""How the names of the streams of tournaments begin."""
KEPT = KeptStream(KIND, TournamentState, evolve)


def tournament_state(states: StreamStates, tournament: str) -> TournamentState:
    """A tournament, with what was decided since it was stored; one without a plan if there is none."""
    return cast(TournamentState, states.kept_state(STREAM + tournament))


def stored_tournament(kept: KeptStates, tournament: str) -> TournamentState:
    """A tournament as it is stored now; one without a plan if there is none."""
    return cast(TournamentState, kept.load(STREAM + tournament))


def results_of(matches: Sequence[str], states: StreamStates) -> dict[str, MatchResult]:
    """The results of matches that were opened, under the editions in force when they began."""
    states.prefetch(f"match:{match}" for match in matches)
    found = {}
    for match in matches:
        played = states.match(match).played
        if played is not None:
            ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
            found[match] = match_result(played, ruleset)
    return found


def points_in(state: TournamentState, states: StreamStates) -> Points:
    """What byes and walkovers give, under the edition in force when the first round was published, or else now."""
    assert state.plan is not None, "it is planned"
    return points_of(state.plan, _ruleset(state, states))


def _ruleset(state: TournamentState, states: StreamStates) -> Ruleset:
    assert state.plan is not None, "it is planned"
    began_at = state.published[0].published_at if state.published else states.now
    assert began_at is not None, "a published round has a time"
    return states.rulebook().at(began_at).rulesets[state.plan.ruleset]
