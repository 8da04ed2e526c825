"""`python -m tests.simulation`: simulates one league after the other, until the time is over or something is wrong."""

from __future__ import annotations

import argparse
import sys
import time
import traceback

import structlog

from tests.simulation.end import check_end
from tests.simulation.run import Plan, Simulation
from tests.simulation.server import simulation_server


def main() -> None:
    """Simulate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seeds", type=int, default=10**9)
    parser.add_argument("--minutes", type=float, default=1.0)
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    first = given.seed if given.seed is not None else time.time_ns() % 10**6
    ended = time.monotonic() + 60 * given.minutes
    with simulation_server() as server:
        for seed in range(first, first + given.seeds):
            started = time.monotonic()
            with server.database() as url, server.database() as other:
                simulation = Simulation(Plan(seed), url, server.restart)
                try:
                    simulation.run()
                    check_end(simulation, other)
                except BaseException:
                    traceback.print_exc()
                    sys.stdout.write(f"seed {seed}: {simulation.schedule.trace[-12:]}\n")
                    raise SystemExit(1) from None
                sys.stdout.write(
                    f"seed {seed}: {simulation.schedule.steps} steps, {len(simulation.asked)} asked, "
                    f"{sum(one.position is not None for one in simulation.asked)} accepted, "
                    f"{simulation.schedule.faults}, {time.monotonic() - started:.1f} s\n"
                )
                sys.stdout.flush()
            if time.monotonic() > ended:
                break


if __name__ == "__main__":
    main()
