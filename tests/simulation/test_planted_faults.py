"""Simulated leagues notice what protects them. A file of its own, so that a second worker can run it."""

from __future__ import annotations

import pytest

from tests.simulation.outcome import simulate
from tests.simulation.planted import PLANTED
from tests.simulation.run import Plan
from tests.simulation.server import SimulationServer

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.slow,
    pytest.mark.timeout(3600),  # a league that takes a minute takes ten on a busy machine
    # A killed process leaves its connections behind.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

BUDGET = 3
"""Leagues in which a planted fault has to be found."""
QUICK = {
    "no_lock_of_the_log": "same version of a stream",
    "no_idempotency_key": "was acknowledged",
    "no_seal_of_hands": "has the secret of a hand",
    "no_hiding_of_tiles": "seat None of",
}
"""Planted faults that the first league finds, with what the run says. `make simulate ARGS=--planted` tries all."""


@pytest.mark.parametrize("name", QUICK)
def test_a_protection_that_is_taken_away_is_missed(server: SimulationServer, name: str) -> None:
    """Some league finds it, and says so."""
    outcomes = (simulate(Plan(seed), server, PLANTED[name]) for seed in range(1, BUDGET + 1))
    assert any(QUICK[name] in (outcome.violation or "") for outcome in outcomes)
