"""What corrections after a drawing would have changed. A round in play never changes; people see what would have."""

from collections.abc import Sequence

from msgspec.structs import replace

from league.tournaments.domain.drawn import Table
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.standing import Place
from league.tournaments.pairing.pairing import pair


def would_change(
    plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str], now: Sequence[Place]
) -> list[Table]:
    """The tables that the round would have, and does not have, with the standing before it as it is now."""
    corrected = as_now(drawing, now)
    if corrected == drawing:
        return []
    as_drawn = pair(plan, drawing, seed, first_order)
    instead = pair(plan, corrected, seed, first_order)
    met = {_who(table) for table in as_drawn.tables}
    return [table for table in instead.tables if _who(table) not in met]


def as_now(drawing: RoundDrawn, now: Sequence[Place]) -> RoundDrawn:
    """The drawing with the inputs that it would have now; the same one if no input was corrected."""
    if drawing.meetings is not None or drawing.round == 1:
        return drawing
    places = {place.id: place for place in now}
    corrected = tuple(replace(one, won=places[one.id].won, rank=places[one.id].rank) for one in drawing.competitors)
    return replace(drawing, competitors=corrected)


def _who(table: Table) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(side) for side in table.sides)
