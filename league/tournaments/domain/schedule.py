"""How many rounds a tournament has, how many meetings in them, and the time of each (rules, Tournaments)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import repeat
from typing import Literal

from league.tournaments.domain.brackets import rounds_of_bracket, ties_in
from league.tournaments.domain.drawn import berger_round, rounds_of_leg, sits_out_of_round
from league.tournaments.domain.plan import USUAL_ADVANCE, WITH_KNOCKOUT, Plan
from league.tournaments.domain.state import RoundState, TournamentState

Groups = Sequence[Sequence[str]]
"""The members of each group, in the order of the pots."""


def rounds_of(state: TournamentState) -> int:
    """How many rounds the tournament has, by its plan or else by its format."""
    plan = state.known_plan
    if plan.rounds is not None:
        return max(plan.rounds, len(state.published))
    count = len(state.rounds[0].order if state.published else state.available())
    match plan.format:
        case "round_robin":
            return rounds_of_leg(count) * plan.legs
        case "knockout":
            return rounds_of_bracket(count) if count > 1 else 0
        case "groups":
            return _rounds_with_groups(state, count)
    return len(state.published)


def _rounds_with_groups(state: TournamentState, count: int) -> int:
    plan = state.known_plan
    if not plan.groups or count < plan.groups:
        return 0
    groups = state.groups or [range(-(-count // plan.groups))]
    entrants = len(state.knockout[0].bracket) if state.knockout else plan.groups * (plan.advance or USUAL_ADVANCE)
    return rounds_of_leg(max(map(len, groups))) * plan.legs + rounds_of_bracket(entrants)


def rounds_of_groups(groups: Groups, legs: int) -> int:
    """How many rounds the groups play. The largest group decides."""
    return rounds_of_leg(max(map(len, groups), default=0)) * legs


def is_knockout(plan: Plan, groups: Groups, number: int) -> bool:
    """Whether a round belongs to the knock-out of its tournament."""
    if plan.format == "groups":
        return number > 1 and number > rounds_of_groups(groups, plan.legs)
    return plan.format == "knockout"


def stage_of(state: TournamentState, of: RoundState) -> Literal["group", "knockout"] | None:
    """The part of the tournament to which a round belongs; None in formats with one part."""
    plan = state.known_plan
    if plan.format not in WITH_KNOCKOUT:
        return None
    return "knockout" if is_knockout(plan, state.groups or of.groups, of.number) else "group"


def ties_of_round(state: TournamentState, of: RoundState) -> int | None:
    """How many ties of the bracket a published or withdrawn round has place for; None outside of knock-outs."""
    bracket = of.bracket or (state.knockout[0].bracket if state.knockout else ())
    if stage_of(state, of) != "knockout" or not bracket:
        return None
    first = state.knockout[0].number if state.knockout else of.number
    return ties_in(len(bracket), of.number - first + 1)


def meetings_of_groups(groups: Groups, legs: int, number: int) -> list[tuple[str, str]]:
    """The meetings of a round in all groups. A group that is through has none."""
    return [two for members in _in_play(groups, legs, number) for two in berger_round(number, members)]


def sit_out(groups: Groups, legs: int, number: int) -> set[str]:
    """Who has a bye in a round, because their group has an odd number of members."""
    playing = {id_ for two in meetings_of_groups(groups, legs, number) for id_ in two}
    return {id_ for members in _in_play(groups, legs, number) for id_ in members} - playing


def _in_play(groups: Groups, legs: int, number: int) -> list[Sequence[str]]:
    """The groups that are not through before a round."""
    return [members for members in groups if number <= rounds_of_leg(len(members)) * legs]


def published_meetings(state: TournamentState) -> Counter[str]:
    """How many meetings each competitor has in the published rounds. Walkovers and absences are meetings too."""
    return Counter(id_ for _, table in state.tables() if table.best_of is None for id_ in table.competitors)


def scheduled_meetings(state: TournamentState) -> Counter[str]:
    """How many meetings each competitor has in a round robin or a group, also with others who left."""
    if state.known_plan.format == "groups":
        legs = state.known_plan.legs
        return Counter({id_: legs * (len(members) - 1) for members in state.groups for id_ in members})
    found = published_meetings(state)
    if state.published:
        found.update(_of_berger(state.rounds[0].order, range(len(state.published) + 1, rounds_of(state) + 1)))
    return found


def scheduled_round_by_round(state: TournamentState) -> Iterator[Mapping[str, int]]:
    """The `scheduled_meetings` as they were after each published round. Tables that are paired by hand change them."""
    if state.known_plan.format == "groups" or not state.published:
        yield from repeat(scheduled_meetings(state), len(state.published))
        return
    order = state.rounds[0].order
    found = _of_berger(order, range(1, rounds_of(state) + 1))
    for of in state.published:
        found.update(id_ for table in of.tables for id_ in table.competitors)
        found.subtract(_of_berger(order, range(of.number, of.number + 1)))
        yield found


def _of_berger(order: Sequence[str], rounds: range) -> Counter[str]:
    """How many meetings each competitor has in these rounds of Berger's tables."""
    found = Counter(dict.fromkeys(order, len(rounds)))
    if len(order) % 2:
        found.subtract(sits_out_of_round(number, order) for number in rounds)
    return found


def time_of(plan: Plan, published_at: datetime | None) -> tuple[datetime, datetime] | None:
    """When the time of a round begins and ends; None if it is not published, or untimed (rules, Tournaments, Time)."""
    if plan.minutes is None or published_at is None:
        return None
    begins_at = published_at + timedelta(minutes=plan.setup_minutes)
    return begins_at, begins_at + timedelta(minutes=plan.minutes)
