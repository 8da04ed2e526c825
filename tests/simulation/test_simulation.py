"""Simulated leagues hold, and replay from their seed."""

from __future__ import annotations

import shlex
import time
from contextlib import suppress
from random import Random

import pytest

from league.infra.database import connect
from tests.simulation.__main__ import given, plan_of
from tests.simulation.outcome import simulate
from tests.simulation.run import Plan
from tests.simulation.schedule import OUTAGES, Fault, Killed, Schedule
from tests.simulation.server import SimulationServer
from tests.simulation.shorten import command_of, shortened

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.slow,
    pytest.mark.timeout(3600),  # a league that takes a minute takes ten on a busy machine
    # A killed process leaves its connections behind.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def test_everything_holds_in_a_simulated_league(server: SimulationServer) -> None:
    """One short league; `make simulate` tries others, and longer ones."""
    outcome = simulate(Plan(1, commands=8), server)
    assert outcome.violation is None, f"{outcome.where}\n{command_of(outcome.plan)}"
    assert outcome.accepted > 10


def test_a_seed_gives_the_same_interleaving_again(server: SimulationServer) -> None:
    """Two runs of a seed have equal steps of equal actors, and equal faults."""
    plan = Plan(5, commands=3)
    first, second = simulate(plan, server), simulate(plan, server)
    assert first.violation is second.violation is None
    assert first.trace == second.trace
    assert first.steps > 300


def test_no_actor_goes_on_when_its_league_has_failed(server: SimulationServer) -> None:
    """One that outlived its league tried again for ever, and slowed all tests that followed."""

    def fail() -> None:
        time.sleep(1)
        raise ValueError("something must not happen")

    def try_for_ever() -> None:
        while True:
            with suppress(Killed, *OUTAGES), connect(url) as conn:
                conn.execute("SELECT 1")

    with server.database() as url:
        schedule = Schedule(Random(1), url, lambda _actor: "none", server.restart)
        actors = [schedule.start("fails", fail), schedule.start("goes on", try_for_ever)]
        with pytest.raises(ValueError, match="must not happen"):
            schedule.run(lambda: None)
        schedule.close()
    assert [actor.thread.is_alive() for actor in actors] == [False, False]


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
