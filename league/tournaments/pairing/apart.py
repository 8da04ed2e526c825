"""Pairing a large field in a process of its own: it takes seconds, and would starve the other requests of a server."""

import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

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
    # Ctrl-C reaches every process of the terminal; this one ends with the one that waits for it.
    with ProcessPoolExecutor(
        1, get_context("spawn"), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    ) as process:
        return process.submit(pair, plan, drawing, seed, first_order).result()
