"""The standing of a tournament in its format, and the final ranks that are still possible (rules, Tournaments).

Groups and a knock-out have standings of their own. All other formats are ordered by matches won and the tie-breaks.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from league.tournaments.domain.groups import GroupPlace, comparable_shares, group_places, shares
from league.tournaments.domain.knockout import KnockoutPlace, knockout_places, worst_of_first_round
from league.tournaments.domain.outcomes import AfterRound, Outcomes, PointRules, round_by_round
from league.tournaments.domain.plan import USUAL_ADVANCE, WITH_KNOCKOUT, TieBreak, tie_breaks_of
from league.tournaments.domain.possible import PossibleWins, RankBounds, bounds_by_wins, possible, possible_wins
from league.tournaments.domain.results import Results
from league.tournaments.domain.standing import StandingPlace, rank_of, standing, who_has_rank
from league.tournaments.domain.state import TournamentState


def places_of(
    state: TournamentState, results: Results, found: Outcomes, tie_breaks: Sequence[TieBreak], out: frozenset[str]
) -> list[StandingPlace]:
    """The places by rank, best first; who has no rank comes last.

    `found`: the outcomes of all rounds; `out`: competitors whose meetings are annulled.
    """
    if state.known_plan.format not in WITH_KNOCKOUT:
        return standing(found, tie_breaks, out)
    in_knockout, in_groups = knockout_places(state, results), places_in_groups(state, found, tie_breaks, out)
    ranks = {id_: place.rank for id_, place in in_knockout.items()}
    others = {id_: one for id_, one in in_groups.items() if id_ not in in_knockout and one.place.rank is not None}
    shares_of = comparable_shares(others.values())
    keys = {id_: (one.place.rank or 0, *(-share for share in shares_of[id_])) for id_, one in others.items()}
    best_first = sorted(keys.values())
    ranks |= {id_: 1 + len(in_knockout) + bisect_left(best_first, key) for id_, key in keys.items()}
    if not state.published:
        ranks = {entry.id: 1 for entry in state.entries.values() if entry.withdrawn_at is None}
    nothing = (0,) * len(tie_breaks)
    places = [_place(id_, ranks.get(id_), in_knockout.get(id_), in_groups.get(id_), nothing) for id_ in state.entries]
    return sorted(places, key=lambda place: (place.rank is None, place.rank or 0, place.id))


def _place(
    id_: str, rank: int | None, tie: KnockoutPlace | None, group: GroupPlace | None, nothing: tuple[int, ...]
) -> StandingPlace:
    reached = None if tie is None else tie.reached
    if group is not None:
        return replace(group.place, rank=rank, reached=reached)
    if tie is None:
        return StandingPlace(id_, rank, 0, nothing)
    return StandingPlace(id_, rank, tie.won, (), tie.lost, reached=reached)


def places_in_groups(
    state: TournamentState, found: Outcomes, tie_breaks: Sequence[TieBreak], out: frozenset[str]
) -> Mapping[str, GroupPlace]:
    """The places in the groups, by competitor. Empty in other formats, and before the first round."""
    without_ties = {id_: [one for one in own if not one.knockout] for id_, own in found.items()}
    return group_places(state, without_ties, tie_breaks, out)


# ---------------------------------------------------------------- the places after each round


def places_after_rounds(
    state: TournamentState, results: Results, everything: Outcomes, competitor: str
) -> Iterator[StandingPlace]:
    """The rank and the matches won of a competitor after each published round; no rank before they entered.

    `everything`: the outcomes of all rounds if no meeting is annulled.
    """
    plan, place = state.known_plan, _place_after_round
    if plan.format in WITH_KNOCKOUT:
        place = _PlaceWithKnockout(results)
    for then in round_by_round(state, results, everything):
        if competitor in then.outcomes:
            rank, won = place(then, competitor)
            yield StandingPlace(competitor, rank, won, ())
        else:
            yield StandingPlace(competitor, None, 0, ())


RankAndWon = tuple[int | None, int]


def _place_after_round(then: AfterRound, id_: str) -> RankAndWon:
    return rank_of(id_, then.outcomes, then.won, tie_breaks_of(then.state.known_plan), then.out), then.won[id_]


class _PlaceWithKnockout:
    """The place of one competitor after each round of groups or of a knock-out."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._of_groups: tuple[frozenset[str], RankAndWon] | None = None
        """The place of who enters no knock-out, and who was out. It changes no more once the knock-out begins."""

    def __call__(self, then: AfterRound, id_: str) -> RankAndWon:
        in_knockout = knockout_places(then.state, self._results)
        if id_ in in_knockout:
            own, is_of_groups = in_knockout[id_], bool(then.state.groups)
            won_in_group = sum([one.won for one in then.outcomes[id_] if not one.knockout])
            return own.rank, won_in_group if is_of_groups else own.won
        if not in_knockout:
            return _rank_in_groups(then, id_), then.won[id_]
        if self._of_groups is None or self._of_groups[0] != then.out:
            order = tie_breaks_of(then.state.known_plan)
            places = places_of(then.state, self._results, then.outcomes, order, then.out)
            place = next(place for place in places if place.id == id_)
            self._of_groups = then.out, (place.rank, place.won)
        return self._of_groups[1]


def _rank_in_groups(then: AfterRound, id_: str) -> int | None:
    """The rank before the knock-out: by place in the group, then by the shares of matches won and of differences."""
    own = next((members for members in then.state.groups if id_ in members), ())
    if not own or id_ in then.out:
        return None
    order = tie_breaks_of(then.state.known_plan)

    def of(members: Sequence[str]) -> Outcomes:
        return {member: then.outcomes[member] for member in members}

    group_rank = rank_of(id_, of(own), then.won, order, then.out)
    assert group_rank is not None, "they are not out"
    rank, level = 1, dict[str, tuple[Fraction, Fraction]]()
    for members in then.state.groups:
        better, alike = who_has_rank(group_rank, of(members), then.won, order, then.out)
        rank += better
        counting = {member for member in members if member not in then.out}
        for member in alike:
            level[member] = shares(member, then.outcomes[member], counting, then.state.known_plan.legs)
    return rank + sum(both > level[id_] for both in level.values())


# ---------------------------------------------------------------- the final ranks that are still possible


def bounds_of(
    state: TournamentState, places: Sequence[StandingPlace], results: Results, points: PointRules
) -> dict[str, RankBounds]:
    """The bounds of each competitor's final rank. `places`: the standing by the plan. Who has no rank is left out."""
    if state.known_plan.format not in WITH_KNOCKOUT:
        return possible(state, places, results, points)
    exact = {place.id: RankBounds(place.rank, place.rank) for place in places if place.rank is not None}
    if state.ended:
        return exact
    in_knockout = {id_: RankBounds(one.rank, one.worst) for id_, one in knockout_places(state, results).items()}
    if state.known_plan.format == "groups":
        return {**_bounds_in_groups(state, places, results, points, in_knockout), **in_knockout}
    if in_knockout or not exact:
        return in_knockout
    return dict.fromkeys(exact, RankBounds(1, worst_of_first_round(state.known_plan, len(exact))))


def _bounds_in_groups(
    state: TournamentState,
    places: Sequence[StandingPlace],
    results: Results,
    points: PointRules,
    in_knockout: Mapping[str, RankBounds],
) -> dict[str, RankBounds]:
    """The bounds of who is in no knock-out, or not yet. They follow from matches won alone, as in `possible`.

    Before the knock-out they also hold if it is never played, because the tournament ends.
    """
    ranked = {place.id: place for place in places if place.rank is not None}
    wins = possible_wins(state, {id_: place.won for id_, place in ranked.items()}, results, points)
    if in_knockout:
        last = len(ranked) if wins is None else len(wins.most)
        return {
            id_: RankBounds(place.rank or 0, place.rank or 0)
            if wins is None
            else RankBounds(len(in_knockout) + 1, last)
            for id_, place in ranked.items()
        }
    if not state.published:
        return dict.fromkeys(ranked, RankBounds(1, len(ranked)))
    there = {id_ for id_, entry in state.entries.items() if entry.withdrawn_at is None}
    advance = state.known_plan.advance or USUAL_ADVANCE
    entrants = sum(min(advance, len(there.intersection(members))) for members in state.groups)
    last = len(ranked) if wins is None else len(wins.most)
    in_groups: dict[str, RankBounds] = {}
    found: dict[str, RankBounds] = {}
    for members in state.groups:
        bounds = _bounds_among(members, ranked, wins)
        in_groups |= bounds
        present = _bounds_among([id_ for id_ in members if id_ in there], ranked, wins)
        for id_ in bounds:
            may_enter = id_ in present and present[id_].best <= advance
            enters = id_ in present and present[id_].worst <= advance
            worst = worst_of_first_round(state.known_plan, entrants) if enters else last
            found[id_] = RankBounds(1 if may_enter else entrants + 1, worst)
    if wins is None:
        at_end = {id_: RankBounds(place.rank or 0, place.rank or 0) for id_, place in ranked.items()}
    else:
        at_end = _without_knockout(in_groups)
    return {
        id_: RankBounds(min(one.best, at_end[id_].best), max(one.worst, at_end[id_].worst))
        for id_, one in found.items()
    }


def _without_knockout(in_groups: Mapping[str, RankBounds]) -> dict[str, RankBounds]:
    """The bounds if the tournament ends before its knock-out: the place in the group decides, then the fractions."""
    worst, best = (sorted(getattr(one, end) for one in in_groups.values()) for end in ("worst", "best"))
    return {
        id_: RankBounds(1 + bisect_left(worst, one.best), bisect_right(best, one.worst))
        for id_, one in in_groups.items()
    }


def _bounds_among(
    members: Sequence[str], ranked: Mapping[str, StandingPlace], wins: PossibleWins | None
) -> dict[str, RankBounds]:
    """The places that these members of a group can have among themselves. `wins`: None if the ranks there are final."""
    if wins is not None:
        return bounds_by_wins(wins, members)
    ranks = {id_: ranked[id_].group_rank or 0 for id_ in members if id_ in ranked}
    best_first = sorted(ranks.values())
    # Who shares a rank may end before or after the others who have it.
    return {
        id_: RankBounds(1 + bisect_left(best_first, rank), bisect_right(best_first, rank))
        for id_, rank in ranks.items()
    }
