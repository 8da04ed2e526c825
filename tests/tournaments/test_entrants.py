"""How many competitors take part in a tournament."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from league.tournaments.domain import commands as c
from league.tournaments.domain.entering import MOST_ENTRANTS, enter, return_
from league.tournaments.domain.plan import parse_plan
from league.tournaments.domain.refusals import TournamentIsFull
from league.tournaments.domain.state import CompetitorEntry, TournamentState

PLAN = parse_plan({"name": "C", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 3})
THEN = datetime(2026, 5, 1, tzinfo=UTC)
FULL = TournamentState(
    "copa",
    plan=PLAN,
    entries={
        (id_ := f"p{number:04}"): CompetitorEntry(id_, (id_,), entered_at=THEN) for number in range(MOST_ENTRANTS)
    },
)


def entered(state: TournamentState) -> object:
    return enter(c.EnterCompetitor("copa", ("new",)), state, {"new": None}, {"new": frozenset({"new"})})


def test_a_full_tournament_takes_nobody_else() -> None:
    """The 1,025th competitor is refused, with the limit; whoever withdrew makes room, and returns only if there is."""
    with pytest.raises(TournamentIsFull, match="'copa' is without a free place: at most 1024 competitors take part"):
        entered(FULL)
    gone = replace(FULL.entries["p0007"], withdrawn_at=THEN)
    state = replace(FULL, entries={**FULL.entries, "p0007": gone})
    assert entered(state)
    assert return_(c.Return("copa", "p0007"), state)
    full = replace(state, entries={**state.entries, "new": CompetitorEntry("new", ("new",), entered_at=THEN)})
    with pytest.raises(TournamentIsFull):
        return_(c.Return("copa", "p0007"), full)
