"""Simulated leagues hold, replay from their seed, and notice what protects them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from tests.simulation.__main__ import given, plan_of
from tests.simulation.outcome import simulate
from tests.simulation.planted import PLANTED
from tests.simulation.run import Plan
from tests.simulation.schedule import Fault
from tests.simulation.server import SimulationServer, simulation_server
from tests.simulation.shorten import command_of, shortened

pytestmark = [
    pytest.mark.heavy,
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
"""Those that the first league finds, and what it says; `make simulate ARGS=--planted` looks for all of them."""


@pytest.fixture(scope="module")
def server() -> Iterator[SimulationServer]:
    """The server of the simulation."""
    with simulation_server() as running:
        yield running


@pytest.mark.parametrize("seed", [1, 5])
def test_everything_holds_in_simulated_leagues(server: SimulationServer, seed: int) -> None:
    """Seed 5 once opened a match at a table for somebody who was erased; 1 replayed a league without rules."""
    outcome = simulate(Plan(seed), server)
    assert outcome.violation is None, f"{outcome.where}\n{command_of(outcome.plan)}"
    assert outcome.accepted > 10


def test_a_seed_gives_the_same_interleaving_again(server: SimulationServer) -> None:
    """The same actors make the same steps, and the same goes wrong."""
    plan = Plan(5, commands=8)
    first, second = simulate(plan, server), simulate(plan, server)
    assert first.violation is second.violation is None
    assert first.trace == second.trace
    assert first.steps > 300


@pytest.mark.parametrize("name", QUICK)
def test_a_protection_that_is_taken_away_is_missed(server: SimulationServer, name: str) -> None:
    """Some league finds it, and says so."""
    outcomes = (simulate(Plan(seed), server, PLANTED[name]) for seed in range(1, BUDGET + 1))
    assert any(QUICK[name] in (outcome.violation or "") for outcome in outcomes)


def test_a_failing_plan_is_made_smaller() -> None:
    """Only what it takes to fail is left; the command says the rest."""

    def fails(plan: Plan) -> bool:
        return plan.commands >= 5 and plan.clients >= 2 and "killed" in plan.faults

    smaller = shortened(Plan(7), fails)
    assert smaller == Plan(7, 5, 2, *[0] * 10, faults=("killed",))
    assert command_of(Plan(7, 5, 2)) == 'make simulate ARGS="--seed 7 --seeds 1 --commands=5 --clients=2"'


@pytest.mark.parametrize("faults", [(), ("killed", "redis")])
def test_the_command_of_a_plan_simulates_it(faults: tuple[Fault, ...]) -> None:
    """Also of one in which nothing goes wrong."""
    plan = Plan(7, 5, 2, *[0] * 10, faults=faults)
    assert plan_of(given(shlex.split(shlex.split(command_of(plan))[-1].removeprefix("ARGS=")))) == plan
