"""The ranks that are still possible in a tournament, and how many rounds it has (rules, Tournaments)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from league.tournaments.domain.outcomes import UNDECIDED, PointRules, Results, table_result
from league.tournaments.domain.standing import StandingPlace
from league.tournaments.domain.state import TournamentState


class RankBounds(Struct, frozen=True):
    """The best and the worst final rank that a competitor can still reach, from 1."""

    best: int
    worst: int


def possible(
    state: TournamentState, places: Sequence[StandingPlace], results: Results, points: PointRules
) -> dict[str, RankBounds]:
    """The bounds of each competitor's final rank.

    They follow from matches won alone: two competitors who can still be level may end in either order, because any
    tie-break can still change. So the bounds never exclude a possible rank. Once nobody can win another match, the
    bounds are the rank itself.
    """
    if state.ended:
        return {place.id: RankBounds(place.rank, place.rank) for place in places}
    chances = _chances(state, results, points)
    if not any(chances.values()):
        return {place.id: RankBounds(place.rank, place.rank) for place in places}
    least = {place.id: place.won for place in places}
    most = {place.id: place.won + chances[place.id] for place in places}
    return {
        id_: RankBounds(
            1 + sum(least[other] > most[id_] for other in least),
            1 + sum(most[other] >= least[id_] for other in least if other != id_),
        )
        for id_ in least
    }


def _chances(state: TournamentState, results: Results, points: PointRules) -> Mapping[str, int]:
    """How many matches each competitor can still win: one at each undecided table, and one in each round to come."""
    left = max(0, rounds_of(state) - len(state.published))
    chances = {id_: left if entry.withdrawn_at is None else 0 for id_, entry in state.entries.items()}
    for _, table in state.tables():
        if table_result(table, results, points).status in UNDECIDED:
            for id_ in table.competitors:
                chances[id_] += 1
    return chances


def rounds_of(state: TournamentState) -> int:
    """How many rounds the tournament has, by its plan or else by its format."""
    if state.known_plan.rounds is not None:
        return max(state.known_plan.rounds, len(state.published))
    if state.known_plan.format == "round_robin":
        count = len(state.rounds[0].order if state.published else state.available())
        return max(0, count - 1 + count % 2) * state.known_plan.legs
    return len(state.published)
