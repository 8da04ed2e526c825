"""The final ranks that are still possible in a tournament (rules, Tournaments)."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from league.tournaments.domain.leaving import annulled, may_count_again
from league.tournaments.domain.outcomes import PointRules, RoundOutcome, is_undecided, outcomes
from league.tournaments.domain.results import Results
from league.tournaments.domain.schedule import rounds_of, rounds_of_groups
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
    wins = possible_wins(state, {id_: place.won for id_, place in ranked.items()}, results, points)
    return exact if wins is None else bounds_by_wins(wins)


class PossibleWins(Struct, frozen=True):
    """How many matches competitors can have won in the end. Not all of them need have a rank."""

    least: Mapping[str, int]
    """The least of each who has a rank now."""
    most: Mapping[str, int]
    """The most of each who has a rank now or may count again."""


def possible_wins(
    state: TournamentState, won_so_far: Mapping[str, int], results: Results, points: PointRules
) -> PossibleWins | None:
    """How many matches competitors can win; None if nobody can win another one. `won_so_far`: of who has a rank."""
    out = annulled(state, results)
    unsettled = may_count_again(state, results, out)
    chances = _chances(state, results, out - unsettled)
    if not unsettled and not any(chances.values()):
        return None
    at_most = won_so_far
    if unsettled:  # who left may still count again, with all matches against them
        again = outcomes(state, results, points, out=out - unsettled)
        at_most = {id_: _won_by_tables(again[id_]) for id_ in (*won_so_far, *unsettled)}
    return PossibleWins(won_so_far, {id_: wins + chances[id_] for id_, wins in at_most.items()})


def bounds_by_wins(wins: PossibleWins, among: Collection[str] | None = None) -> dict[str, RankBounds]:
    """The bounds of ranks among these competitors; None: among all."""
    ids = wins.most if among is None else [id_ for id_ in among if id_ in wins.most]
    least = {id_: wins.least[id_] for id_ in ids if id_ in wins.least}
    most = {id_: wins.most[id_] for id_ in ids}
    # Sorted once: comparing everybody with everybody takes 200 ms among 1,000 competitors.
    all_least, all_most = sorted(least.values()), sorted(most.values())
    return {
        id_: RankBounds(
            1 + len(all_least) - bisect_right(all_least, most[id_]),
            len(all_most) - bisect_left(all_most, least.get(id_, 0)),
        )
        for id_ in most
    }


def _won_by_tables(own: Sequence[RoundOutcome]) -> int:
    """Matches won, without ties of a knock-out."""
    return won(one for one in own if not one.knockout)


def _chances(state: TournamentState, results: Results, out: Collection[str]) -> Mapping[str, int]:
    """How many matches each competitor can still win: one at each undecided table, and one in each round to come.

    `out`: competitors whose tables count for nobody. Ties of a knock-out do not count.
    """
    to_come = _rounds_to_come(state)
    chances = {id_: to_come.get(id_, 0) if one.withdrawn_at is None else 0 for id_, one in state.entries.items()}
    for _, table in state.tables():
        is_open = table.best_of is None and is_undecided(table, results)
        if is_open and not set(out) & set(table.competitors):
            for id_ in table.competitors:
                chances[id_] += 1
    return chances


def _rounds_to_come(state: TournamentState) -> Mapping[str, int]:
    """How many rounds each competitor can still play, without those of a knock-out."""
    published, legs = len(state.published), state.known_plan.legs
    if state.known_plan.format == "groups":
        return {
            id_: max(0, rounds_of_groups([members], legs) - published) for members in state.groups for id_ in members
        }
    return dict.fromkeys(state.entries, max(0, rounds_of(state) - published))
