"""What corrections after a drawing would have changed. A round in play never changes; people see what would have."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from league.tournaments.domain.drawn import Table
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import rank_of
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.standing import Outcomes, standing, won
from league.tournaments.domain.state import Entry
from league.tournaments.pairing.pairing import pair


def would_change(
    plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str], entries: Mapping[str, Entry], now: Outcomes
) -> list[Table]:
    """The tables that the round would have, and does not have, with what came of the rounds before it as it is now."""
    ranks = {place.id: place.rank for place in standing(now, plan.tie_breaks)}
    corrected = tuple(
        replace(one, won=won(now[one.id]), rank=rank_of(entries[one.id], ranks, now)) for one in drawing.competitors
    )
    if corrected == drawing.competitors or drawing.meetings is not None or drawing.round == 1:
        return []
    as_drawn = pair(plan, drawing, seed, first_order)
    instead = pair(plan, replace(drawing, competitors=corrected), seed, first_order)
    met = {_who(table) for table in as_drawn.tables}
    return [table for table in instead.tables if _who(table) not in met]


def _who(table: Table) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(side) for side in table.sides)
