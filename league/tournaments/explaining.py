"""Why the tables of a round came about, and which ones it would have today. Both take as long as pairing a round."""

from dataclasses import dataclass, field
from functools import lru_cache

from league.tournaments.domain.drawn import Table
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import would_differ
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.state import RoundState
from league.tournaments.pairing.pairing import pair
from league.tournaments.pairing.why import MOST, Choice, Sides, WhyOfRound
from league.tournaments.pairing.would_change import has_other_inputs, would_change
from league.tournaments.projections.seen import SeenTournament


@dataclass(frozen=True)
class _Asked:
    """A round. The same seed and the same tables follow from the same drawing."""

    seed: str
    tables: tuple[Sides, ...]
    plan: Plan = field(compare=False)
    drawing: RoundDrawn = field(compare=False)
    first: tuple[str, ...] = field(compare=False)


@lru_cache(maxsize=8)  # rounds: each has its whole drawing
def _why_of(asked: _Asked) -> WhyOfRound:
    """What the tables of a round share."""
    return WhyOfRound(asked.plan, asked.drawing, asked.seed, asked.first, asked.tables)


def choices_of(seen: SeenTournament, drawing: RoundDrawn, table: int) -> list[Choice]:
    """The choices that made a table; none where somebody paired it by hand, or entered who meets."""
    state, of = seen.state, seen.state.rounds[drawing.round - 1]
    found = of.table(table)
    assert state.plan is not None, "it is planned"
    if found is None or found.by_hand or drawing.meetings is not None:
        return []
    first, tables = state.rounds[0].order, tuple(each.sides for each in of.tables)
    if any(each.by_hand for each in of.tables) and len(of.order) <= MOST:
        tables = tuple(each.sides for each in pair(state.plan, drawing, of.seed, first).tables)
    return _why_of(_Asked(of.seed, tables, state.plan, drawing, first)).of(found.sides)


def is_outdated(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> bool:
    """Whether a round would have other inputs now. In a published one only results of earlier rounds count."""
    assert seen.state.plan is not None, "it is planned"
    if of.status == "drawn":
        return would_differ(seen.state, drawing, of.seed, seen.results, seen.points, seen.ratings)
    return has_other_inputs(seen.state.plan, drawing, of.seed, seen.state.entries, seen.outcomes(before=of.number))


def tables_today(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> list[Table]:
    """The tables that a round would have on the results of today, and does not have; none with more than 64."""
    state = seen.state
    assert state.plan is not None, "it is planned"
    if len(of.order) > MOST:
        return []
    first, before = state.rounds[0].order, seen.outcomes(before=of.number)
    return would_change(state.plan, drawing, of.seed, first, state.entries, before)
