"""Pairing a large field in a process of its own: it takes seconds, and would starve the other requests of a server."""

from collections.abc import Sequence

from league.infra.processes import process_pool
from league.tournaments.domain.drawn import Paired
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.pairing.pairing import pair

MOST_IN_THREAD = 60
"""Competitors: their round takes less time than the start of a process."""


def pair_apart(plan: Plan, drawing: RoundDrawn, seed: str, first_order: Sequence[str]) -> Paired:
    """The tables that follow from a drawing, as `pair` gives them. Blocks, without keeping other threads waiting."""
    if len(drawing.competitors) <= MOST_IN_THREAD:
        return pair(plan, drawing, seed, first_order)
    with process_pool(1) as process:
        return process.submit(pair, plan, drawing, seed, first_order).result()
