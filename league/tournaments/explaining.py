"""Why the tables of a round came about, and which ones it would have today. Both take as long as pairing a round."""

from dataclasses import dataclass, field
from functools import lru_cache

from league.tournaments.domain.drawn import Table
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.state import RoundState
from league.tournaments.pairing.why import MOST, Choice, why
from league.tournaments.pairing.would_change import would_change
from league.tournaments.projections.seen import SeenTournament


@dataclass(frozen=True)
class _Asked:
    """A table of a round. The same seed and the same sides follow from the same drawing."""

    seed: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    plan: Plan = field(compare=False)
    drawing: RoundDrawn = field(compare=False)
    first: tuple[str, ...] = field(compare=False)


@lru_cache(maxsize=2_000)
def _why(asked: _Asked) -> list[Choice]:
    return why(asked.plan, asked.drawing, asked.seed, asked.first, Table(0, asked.sides))


def choices_of(seen: SeenTournament, drawing: RoundDrawn, table: int) -> list[Choice]:
    """The choices that made a table; none where somebody paired it by hand, or entered who meets."""
    state, of = seen.state, seen.state.rounds[drawing.round - 1]
    found = of.table(table)
    assert state.plan is not None, "it is planned"
    if found is None or found.by_hand or drawing.meetings is not None:
        return []
    return _why(_Asked(of.seed, found.sides, state.plan, drawing, state.rounds[0].order))


def tables_today(seen: SeenTournament, of: RoundState, drawing: RoundDrawn) -> list[Table]:
    """The tables that a round would have on the results of today, and does not have; none with more than 64."""
    assert seen.state.plan is not None, "it is planned"
    if of.root is None or len(of.order) > MOST:
        return []
    first = seen.state.rounds[0].order
    return would_change(seen.state.plan, drawing, of.seed, first, seen.standing(before=of.number))
