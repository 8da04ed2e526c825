"""The ratings that rank competitors before the first round."""

from league.application.stream_states import StreamStates
from league.infra.database import connect
from league.tournaments.domain.inputs import ratings_of_competitors
from league.tournaments.domain.state import TournamentState

RATINGS = """
    SELECT id, rating FROM ratings JOIN official_run USING (run)
    WHERE subject = 'player' AND mode = %s AND id = ANY(%s)
"""


def ratings_of(state: TournamentState, states: StreamStates) -> dict[str, float]:
    """Where the first round goes by rating, that of each competitor in the mode; of a pair the mean of both.

    Who has none has that of a beginner.
    """
    assert state.plan is not None, "it is planned"
    if state.published or state.plan.first_round != "rating":
        return {}
    start = float(states.rulebook().at(states.now).rating.start)
    with connect(states.store.url) as conn:
        rows = conn.execute(RATINGS, [state.plan.mode, sorted(state.players())]).fetchall()
    return ratings_of_competitors(state, dict(rows), start)
