"""The next round as it could come out, for those who are there now. Nothing is stored."""

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.domain.refusals import WrongState
from league.tournaments.application.competitor_ratings import ratings_of
from league.tournaments.application.locked_pairs import locked_pairs
from league.tournaments.application.tournament_states import points_in, results_of, tournament_state
from league.tournaments.domain.drawn import Paired, placed, seed_of
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import fixed_tables, inputs
from league.tournaments.domain.rounds import check_many
from league.tournaments.pairing.apart import pair_apart


def preview_round(league: League, tournament: str) -> tuple[str, Paired] | None:
    """A seed that the round will not have, and the tables; None where no round can be drawn."""
    states = StreamStates(league.store, league.dispatcher.clock(), league.dispatcher.kept_states)
    state = tournament_state(states, tournament)
    if state.plan is None or state.ended:
        return None
    number, available = len(state.published) + 1, state.available()
    results, points = results_of(state.matches(), states), points_in(state, states)
    ranked = inputs(state, number, available, results, points, ratings_of(state, states))
    try:
        check_many(len(ranked), state.plan)
    except WrongState:
        return None
    drawing = RoundDrawn(number, ranked, locked_pairs(state.plan, available, states), fixed_tables(available))
    seed = seed_of("preview", tournament, number)
    first = state.rounds[0].order if state.published else tuple(one.id for one in placed(ranked, seed))
    return seed, pair_apart(state.plan, drawing, seed, first)
