"""What is still possible: the best and the worst final rank of each competitor (rules, Tournaments)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from league.tournaments.domain.results import UNDECIDED, Points, Results, table_result
from league.tournaments.domain.standing import Place
from league.tournaments.domain.state import TournamentState


class Bounds(Struct, frozen=True):
    """Ranks that a competitor can still reach, from 1."""

    best: int
    worst: int


def possible(state: TournamentState, places: Sequence[Place], results: Results, points: Points) -> dict[str, Bounds]:
    """The bounds of each competitor's final rank.

    They follow from matches won alone: whoever can still be level may be above or below by any tie-break. So they
    never exclude a rank that can still come about. Once nobody can win anything more, they are the rank itself.
    """
    if state.ended:
        return {place.id: Bounds(place.rank, place.rank) for place in places}
    chances = _chances(state, results, points)
    if not any(chances.values()):
        return {place.id: Bounds(place.rank, place.rank) for place in places}
    least = {place.id: place.won for place in places}
    most = {place.id: place.won + chances[place.id] for place in places}
    return {
        id_: Bounds(
            1 + sum(least[other] > most[id_] for other in least),
            1 + sum(most[other] >= least[id_] for other in least if other != id_),
        )
        for id_ in least
    }


def _chances(state: TournamentState, results: Results, points: Points) -> Mapping[str, int]:
    """How many matches each can still win: at tables that are not decided, and one in each round to come."""
    left = max(0, rounds_of(state) - len(state.published))
    chances = {id_: left if entry.withdrawn_at is None else 0 for id_, entry in state.entries.items()}
    for _, table in state.tables():
        if table_result(table, results, points).status in UNDECIDED:
            for id_ in table.competitors:
                chances[id_] += 1
    return chances


def rounds_of(state: TournamentState) -> int:
    """How many rounds the tournament has: those of the plan, or those that its format gives."""
    assert state.plan is not None, "it is planned"
    if state.plan.rounds is not None:
        return max(state.plan.rounds, len(state.published))
    if state.plan.format == "round_robin":
        count = len(state.rounds[0].order if state.published else state.available())
        return max(0, count - 1 + count % 2) * state.plan.legs
    return len(state.published)
