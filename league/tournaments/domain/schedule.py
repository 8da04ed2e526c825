"""How many rounds a tournament has, how many meetings in them, and the time of each (rules, Tournaments)."""

from collections import Counter
from datetime import datetime, timedelta

from league.tournaments.domain.drawn import meetings
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.state import TournamentState


def rounds_of(state: TournamentState) -> int:
    """How many rounds the tournament has, by its plan or else by its format."""
    if state.known_plan.rounds is not None:
        return max(state.known_plan.rounds, len(state.published))
    if state.known_plan.format == "round_robin":
        count = len(state.rounds[0].order if state.published else state.available())
        return max(0, count - 1 + count % 2) * state.known_plan.legs
    return len(state.published)


def published_meetings(state: TournamentState) -> Counter[str]:
    """How many meetings each competitor has in the published rounds. Walkovers and absences are meetings too."""
    return Counter(id_ for _, table in state.tables() for id_ in table.competitors)


def scheduled_meetings(state: TournamentState) -> Counter[str]:
    """How many meetings each competitor of a round robin has in all its rounds, also with others who left."""
    found = published_meetings(state)
    if state.published:
        for number in range(len(state.published) + 1, rounds_of(state) + 1):
            to_come = meetings(state.known_plan.legs, number, state.rounds[0].order)
            found.update(id_ for two in to_come for id_ in two)
    return found


def time_of(plan: Plan, published_at: datetime | None) -> tuple[datetime, datetime] | None:
    """When the time of a round begins and ends; None if it is not published, or untimed (rules, Tournaments, Time)."""
    if plan.minutes is None or published_at is None:
        return None
    begins_at = published_at + timedelta(minutes=plan.setup_minutes)
    return begins_at, begins_at + timedelta(minutes=plan.minutes)
