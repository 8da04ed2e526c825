"""The ratings that rank competitors before the first round."""

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.infra.database import connect
from league.tournaments.domain.state import TournamentState

RATINGS = """
    SELECT id, rating FROM ratings JOIN official_run USING (run)
    WHERE subject = 'player' AND mode = %s AND id = ANY(%s)
"""


def ratings_of(league: League, state: TournamentState) -> dict[str, float]:
    """The rating of each competitor in the mode; of a pair the mean of both. Who has none has that of a beginner."""
    assert state.plan is not None, "it is planned"
    now = league.dispatcher.clock()
    start = float(StreamStates(league.store, now).rulebook().at(now).rating.start)
    with connect(league.database.url) as conn:
        rows = conn.execute(RATINGS, [state.plan.mode, sorted(state.players())]).fetchall()
    found: dict[str, float] = dict(rows)
    return {
        entry.id: sum(found.get(player, start) for player in entry.players) / len(entry.players)
        for entry in state.entries.values()
    }
