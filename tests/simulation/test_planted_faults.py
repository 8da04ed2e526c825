"""Simulated leagues notice what protects them. A file of its own, so that a second worker can run it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

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
NOBODY = Plan(
    0, clients=0, projectors=0, readers=0, admins=0, signers=0, keepers=0, players=0, clocks=0, directors=0,
    photographers=0, workers=0,
)  # fmt: skip
SCOREKEEPERS = replace(NOBODY, clients=3)
TABLES = replace(NOBODY, players=2, clocks=1)
QUICK = {
    "no_lock_of_the_log": (SCOREKEEPERS, "same version of a stream"),
    "no_idempotency_key": (SCOREKEEPERS, "was acknowledged"),
    "no_seal_of_hands": (TABLES, "has the secret of a hand"),
    "no_hiding_of_tiles": (TABLES, "seat None of"),
}
"""Planted faults that the first league finds, with those whom it meets there, and what the run says.

`make simulate ARGS=--planted` tries all faults, in whole leagues.
"""


@pytest.mark.parametrize("name", QUICK)
def test_a_protection_that_is_taken_away_is_missed(server: SimulationServer, name: str) -> None:
    """Some league finds it, and says so."""
    plan, says = QUICK[name]
    outcomes = (simulate(replace(plan, seed=seed), server, PLANTED[name]) for seed in range(1, BUDGET + 1))
    assert any(says in (outcome.violation or "") for outcome in outcomes)
