"""What corrections after a drawing would have changed. A round in play never changes; people see what would have."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from league.tournaments.domain.drawn import Table, placed
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
    if not has_other_inputs(plan, drawing, seed, entries, now):
        return []
    corrected = _as_now(plan, drawing, entries, now)
    as_drawn = pair(plan, drawing, seed, first_order)
    instead = pair(plan, corrected, seed, first_order)
    met = {_who(table) for table in as_drawn.tables}
    return [table for table in instead.tables if _who(table) not in met]


def has_other_inputs(plan: Plan, drawing: RoundDrawn, seed: str, entries: Mapping[str, Entry], now: Outcomes) -> bool:
    """Whether the drawing would have other inputs now: matches won, or places."""
    if drawing.meetings is not None or drawing.round == 1:
        return False
    # Ranks may differ where places do not: a recorded season has places only.
    corrected = _as_now(plan, drawing, entries, now)
    return placed(corrected.competitors, seed) != placed(drawing.competitors, seed)


def _as_now(plan: Plan, drawing: RoundDrawn, entries: Mapping[str, Entry], now: Outcomes) -> RoundDrawn:
    """The drawing with the inputs that it would have now."""
    ranks = {place.id: place.rank for place in standing(now, plan.tie_breaks)}
    corrected = tuple(
        replace(one, won=won(now[one.id]), rank=rank_of(entries[one.id], ranks, now)) for one in drawing.competitors
    )
    return replace(drawing, competitors=corrected)


def _who(table: Table) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(side) for side in table.sides)
