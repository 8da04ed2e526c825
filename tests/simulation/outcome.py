"""What came of a plan: whether everything held, and what happened meanwhile."""

from __future__ import annotations

import io
import time
import traceback
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.simulation.end import check_end
from tests.simulation.people import EACH
from tests.simulation.planted import Plant
from tests.simulation.run import Plan, Simulation, Violation
from tests.simulation.server import SimulationServer


class Outcome(Struct, frozen=True):
    """A simulated league."""

    plan: Plan
    violation: str | None
    """What did not hold; None: everything did."""
    where: str
    """The traceback of the violation."""
    steps: int
    asked: int
    accepted: int
    events: int
    days: int
    """Simulated days of play."""
    faults: dict[str, int]
    seconds: float
    trace: list[tuple[str, str]]
    """Which actor made each step, and what went wrong with it."""


def simulate(plan: Plan, server: SimulationServer, plant: Plant = lambda _: nullcontext()) -> Outcome:
    """Simulate a league in a database of its own, and check it. `plant`: plants a fault in the program first."""
    started, violation, where = time.monotonic(), None, ""
    with (
        server.database() as url,
        server.database() as sequential,
        server.database() as restored,
        TemporaryDirectory() as place,
    ):
        simulation = Simulation(plan, url, str(Path(place, "photos")), server.restart)
        try:
            with plant(url):
                simulation.run()
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):  # the progress of checks
                check_end(simulation, sequential, restored)
        except Violation as found:
            violation, where = str(found), traceback.format_exc()
        except Exception as error:  # noqa: BLE001  # no process may end with one that nothing foresees
            violation, where = f"{type(error).__name__}: {error}", traceback.format_exc()
    return Outcome(
        plan,
        violation,
        where,
        simulation.schedule.steps,
        len(simulation.asked),
        sum(asked.position is not None for asked in simulation.asked),
        simulation.head,
        (EACH * simulation.world.opened).days,
        {**simulation.schedule.faults, **simulation.redis.faults},
        time.monotonic() - started,
        list(simulation.schedule.trace),
    )
