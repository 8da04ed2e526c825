"""The final ranks that are still possible in a tournament (rules, Tournaments)."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from league.tournaments.domain.outcomes import (
    UNDECIDED,
    PointRules,
    Results,
    annulled,
    may_count_again,
    outcomes,
    table_result,
)
from league.tournaments.domain.schedule import rounds_of
from league.tournaments.domain.standing import StandingPlace, won
from league.tournaments.domain.state import TournamentState


class RankBounds(Struct, frozen=True):
    """The best and the worst final rank that a competitor can still reach, from 1."""

    best: int
    worst: int


def possible(
    state: TournamentState, places: Sequence[StandingPlace], results: Results, points: PointRules
) -> dict[str, RankBounds]:
    """The bounds of each competitor's final rank. Competitors who will have no rank are left out.

    They follow from matches won alone: two competitors who can still be level may end in either order, because any
    tie-break can still change. So the bounds never exclude a possible rank. Once nobody can win another match, the
    bounds are the rank itself.
    """
    ranked = {place.id: place for place in places if place.rank is not None}
    exact = {id_: RankBounds(place.rank, place.rank) for id_, place in ranked.items() if place.rank is not None}
    if state.ended:
        return exact
    out = annulled(state, results)
    unsettled = may_count_again(state, results, out)
    chances = _chances(state, results, points, out - unsettled)
    if not unsettled and not any(chances.values()):
        return exact
    least = at_most = {id_: place.won for id_, place in ranked.items()}
    if unsettled:  # who left may still count again, with all matches against them
        again = outcomes(state, results, points, out=out - unsettled)
        at_most = {id_: won(again[id_]) for id_ in (*ranked, *unsettled)}
    most = {id_: wins + chances[id_] for id_, wins in at_most.items()}
    # Sorted once: comparing everybody with everybody takes 200 ms among 1,000 competitors.
    all_least, all_most = sorted(least.values()), sorted(most.values())
    return {
        id_: RankBounds(
            1 + len(all_least) - bisect_right(all_least, most[id_]),
            len(all_most) - bisect_left(all_most, least.get(id_, 0)),
        )
        for id_ in most
    }


def _chances(state: TournamentState, results: Results, points: PointRules, out: Collection[str]) -> Mapping[str, int]:
    """How many matches each competitor can still win: one at each undecided table, and one in each round to come.

    `out`: competitors whose tables count for nobody.
    """
    left = max(0, rounds_of(state) - len(state.published))
    chances = {id_: left if entry.withdrawn_at is None else 0 for id_, entry in state.entries.items()}
    for _, table in state.tables():
        if table_result(table, results, points).status in UNDECIDED and not set(out) & set(table.competitors):
            for id_ in table.competitors:
                chances[id_] += 1
    return chances
