"""`make simulate`: simulates one league after the other, until the time is over.

A league in which something does not hold is made smaller, and the command is printed that simulates it again.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import cast, get_args

import structlog
from msgspec.structs import replace

from tests.simulation.outcome import Outcome, simulate
from tests.simulation.planted import PLANTED
from tests.simulation.run import Plan
from tests.simulation.schedule import Fault
from tests.simulation.server import SimulationServer, simulation_server
from tests.simulation.shorten import ACTORS, command_of, shortened

OPTIONS = ("commands", *reversed(ACTORS))
"""The options that are numbers of a plan."""


def main() -> None:
    """Simulate."""
    asked = given(sys.argv[1:])
    quiet()
    with simulation_server() as server:
        if asked.planted is not None:
            raise SystemExit(not find_planted(server, asked.planted or list(PLANTED), asked.seeds or 25))
        raise SystemExit(not simulate_many(server, plan_of(asked), asked.seeds, asked.minutes))


def given(arguments: Sequence[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="the first seed; without it one of the clock")
    parser.add_argument("--seeds", type=int, help="how many leagues at most")
    parser.add_argument("--minutes", type=float, default=1.0, help="for how long")
    parser.add_argument(
        "--planted", nargs="*", choices=list(PLANTED), help="find each of the planted faults instead, or only these"
    )
    usual = Plan(0)
    for name in OPTIONS:
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    parser.add_argument("--faults", default=",".join(usual.faults), help="of " + ", ".join(get_args(Fault)[1:]))
    return parser.parse_args(arguments)


def plan_of(asked: argparse.Namespace) -> Plan:
    """The plan of the first league."""
    first = asked.seed if asked.seed is not None else time.time_ns() % 10**6
    faults = cast(tuple[Fault, ...], tuple(fault for fault in asked.faults.split(",") if fault))
    return Plan(first, faults=faults, **{name: getattr(asked, name) for name in OPTIONS})


def simulate_many(server: SimulationServer, plan: Plan, most: int | None, minutes: float) -> bool:
    """Simulate leagues like the plan, each of the next seed. Returns whether everything held in all."""
    ended, outcomes = time.monotonic() + 60 * minutes, list[Outcome]()
    for seed in count(plan.seed) if most is None else range(plan.seed, plan.seed + most):
        if time.monotonic() > ended:
            break
        outcome = simulate(replace(plan, seed=seed), server)
        outcomes.append(outcome)
        say(line_of(outcome))
        if outcome.violation is not None:
            smaller = shortened(outcome.plan, lambda one: simulate(one, server).violation is not None)
            say(f"{outcome.where}\n  again: {command_of(smaller)}")
    failed = sum(outcome.violation is not None for outcome in outcomes)
    faults = sum((Counter(outcome.faults) for outcome in outcomes), Counter[str]())
    say(
        f"{len(outcomes)} leagues, {failed} in which something did not hold; {sum(o.steps for o in outcomes):,} steps, "
        f"{sum(o.asked for o in outcomes):,} commands, {sum(o.days for o in outcomes):,} simulated days; {said(faults)}"
    )
    return failed == 0


def find_planted(server: SimulationServer, names: Sequence[str], seeds: int) -> bool:
    """How many leagues it takes to find each of these planted faults. Returns whether all were found."""
    missed = 0
    for name in names:
        started = time.monotonic()
        outcomes = (simulate(Plan(seed), server, PLANTED[name]) for seed in range(1, seeds + 1))
        found = next((outcome for outcome in outcomes if outcome.violation is not None), None)
        missed += found is None
        where = f"not found in {seeds} leagues" if found is None else f"seed {found.plan.seed}: {found.violation}"
        say(f"{name} ({time.monotonic() - started:.0f} s): {where}")
    return missed == 0


def line_of(outcome: Outcome) -> str:
    """What came of a league."""
    found = "holds" if outcome.violation is None else outcome.violation
    return (
        f"seed {outcome.plan.seed}: {found} | {outcome.steps} steps, {outcome.asked} commands, {outcome.accepted} "
        f"accepted, {outcome.events} events, {said(outcome.faults)}, {outcome.seconds:.1f} s"
    )


def said(faults: Mapping[str, int]) -> str:
    """How often what went wrong."""
    return ", ".join(f"{number} {fault}" for fault, number in sorted(faults.items())) or "no faults"


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def quiet() -> None:
    """Without the lines that killed processes and broken connections give."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    logging.disable(logging.CRITICAL)
    sys.unraisablehook = lambda _: None


if __name__ == "__main__":
    main()
