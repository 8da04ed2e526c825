"""Groups of a tournament: their standings, and who of them enters the knock-out (rules, Tournaments, `groups`)."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain.drawn import tie_value
from league.tournaments.domain.outcomes import Outcomes, RoundOutcome
from league.tournaments.domain.plan import USUAL_ADVANCE, Plan, TieBreak
from league.tournaments.domain.standing import StandingPlace, standing
from league.tournaments.domain.state import TournamentState

LEAST_IN_GROUP = 3


class GroupPlace(Struct, frozen=True):
    """A competitor's place in their group."""

    place: StandingPlace
    """With `group` and `group_rank`. Its rank is that in the group; None: out of the standing."""
    won_share: Fraction
    """Matches won, divided by the meetings of the group that are not annulled."""
    difference_share: Fraction
    """The sum of the differences, divided likewise."""


def group_places(
    state: TournamentState, found: Outcomes, tie_breaks: Sequence[TieBreak], out: Collection[str]
) -> dict[str, GroupPlace]:
    """The places in all groups, by competitor. `found`: outcomes of the group rounds; `out`: who is annulled."""
    places = {}
    for group, members in enumerate(state.groups, 1):
        counting = {id_ for id_ in members if id_ not in out}
        for place in standing({id_: found[id_] for id_ in members}, tie_breaks, out):
            both = shares(place.id, found[place.id], counting, state.known_plan.legs)
            places[place.id] = GroupPlace(replace(place, group=group, group_rank=place.rank), *both)
    return places


def shares(id_: str, own: Sequence[RoundOutcome], counting: Collection[str], legs: int) -> tuple[Fraction, Fraction]:
    """The shares of a member of a group. `counting`: members whose meetings count."""
    meetings = legs * (len(counting) - (id_ in counting))
    return _share(sum([one.won for one in own]), meetings), _share(sum([one.difference for one in own]), meetings)


def comparable_shares(places: Collection[GroupPlace]) -> dict[str, tuple[int, int]]:
    """Both shares of each over a denominator that all have in common. Fractions are slow to compare."""
    common = lcm(*{share.denominator for one in places for share in (one.won_share, one.difference_share)})
    return {one.place.id: (_over(common, one.won_share), _over(common, one.difference_share)) for one in places}


def _over(common: int, share: Fraction) -> int:
    return share.numerator * (common // share.denominator)


def strengths(places: Collection[GroupPlace]) -> dict[str, int]:
    """The shared rank of each by both shares, the highest first."""
    keys = comparable_shares(places)
    best_last = sorted(keys.values())
    return {id_: 1 + len(best_last) - bisect_right(best_last, key) for id_, key in keys.items()}


def candidates(plan: Plan, places: Iterable[GroupPlace], gone: Collection[str]) -> list[GroupPlace]:
    """Who may enter the knock-out: the first of each group who are there, and those who share the rank of the last."""
    there: dict[int | None, list[GroupPlace]] = defaultdict(list)
    for one in places:
        if one.place.rank is not None and one.place.id not in gone:
            there[one.place.group].append(one)
    found = []
    for own in there.values():
        ranks = sorted(one.place.rank or 0 for one in own)[: plan.advance or USUAL_ADVANCE]
        found += [one for one in own if (one.place.rank or 0) <= ranks[-1]]
    return found


class Entrant(Struct, frozen=True):
    """Somebody who enters the knock-out from a group."""

    id: str
    group: int
    seed: int
    """From 1."""


def seeded(plan: Plan, candidates: Mapping[str, tuple[int, int, int]], seed: str) -> list[list[Entrant]]:
    """Who enters the knock-out: the winners of the groups, then the seconds, and so on, each list by seed.

    `candidates`: group, rank in the group and strength of each; `seed`: of the first drawing of the knock-out.
    """
    classes: list[list[str]] = [[] for _ in range(plan.advance or USUAL_ADVANCE)]
    for group in sorted({group for group, _, _ in candidates.values()}):
        own = [id_ for id_, one in candidates.items() if one[0] == group]
        own.sort(key=lambda id_: (candidates[id_][1], tie_value(seed, "place", id_)))
        for class_, id_ in zip(classes, own, strict=False):
            class_.append(id_)
    found, before = [], 0
    for class_ in classes:
        ordered = sorted(class_, key=lambda id_: (candidates[id_][2], tie_value(seed, "place", id_)))
        found.append([Entrant(id_, candidates[id_][0], number) for number, id_ in enumerate(ordered, before + 1)])
        before += len(ordered)
    return found


@lru_cache(4_096)
def _share(sum_: int, meetings: int) -> Fraction:
    return Fraction(sum_, meetings) if meetings else Fraction(0)
