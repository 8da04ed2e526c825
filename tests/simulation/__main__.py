"""`python -m tests.simulation`: simulates one league after the other, until the time is over or something is wrong."""

from __future__ import annotations

import argparse
import logging
import sys
import time

import structlog

from tests.simulation.outcome import Outcome, simulate
from tests.simulation.planted import PLANTED
from tests.simulation.run import Plan
from tests.simulation.server import simulation_server


def main() -> None:
    """Simulate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="the first seed; without it one of the clock")
    parser.add_argument("--seeds", type=int, default=10**9, help="how many leagues at most")
    parser.add_argument("--minutes", type=float, default=1.0, help="for how long")
    parser.add_argument("--planted", action="store_true", help="find each of the planted faults instead")
    given = parser.parse_args()
    quiet()
    if given.planted:
        find_planted(given.seeds)
        return
    first = given.seed if given.seed is not None else time.time_ns() % 10**6
    ended, failed = time.monotonic() + 60 * given.minutes, 0
    with simulation_server() as server:
        for seed in range(first, first + given.seeds):
            if time.monotonic() > ended:
                break
            outcome = simulate(Plan(seed), server)
            failed += outcome.violation is not None
            say(outcome)
    raise SystemExit(failed > 0)


def find_planted(seeds: int) -> None:
    """How many leagues it takes to find each of the planted faults. Ends with 1 where one is not found."""
    missed = 0
    with simulation_server() as server:
        for name, plant in PLANTED.items():
            started = time.monotonic()
            outcomes = (simulate(Plan(seed), server, plant) for seed in range(1, seeds + 1))
            found = next((outcome for outcome in outcomes if outcome.violation is not None), None)
            missed += found is None
            said = "not found" if found is None else f"seed {found.plan.seed}: {found.violation}"
            sys.stdout.write(f"{name}: {said} ({time.monotonic() - started:.0f} s)\n")
            sys.stdout.flush()
    raise SystemExit(missed > 0)


def quiet() -> None:
    """Without the lines that killed processes and broken connections give."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    logging.disable(logging.CRITICAL)
    sys.unraisablehook = lambda _: None


def say(outcome: Outcome) -> None:
    """One line for each league."""
    found = outcome.violation or "holds"
    faults = ", ".join(f"{count} {fault}" for fault, count in sorted(outcome.faults.items()))
    sys.stdout.write(
        f"seed {outcome.plan.seed}: {found} | {outcome.steps} steps, {outcome.asked} commands, "
        f"{outcome.accepted} accepted, {outcome.events} events, {faults}, {outcome.seconds:.1f} s\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
