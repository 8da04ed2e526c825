"""Makes a plan that fails smaller, as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import asdict, replace

from tests.simulation.run import Plan

ACTORS = (
    "photographers",
    "workers",
    "directors",
    "players",
    "clocks",
    "admins",
    "signers",
    "keepers",
    "readers",
    "projectors",
    "clients",
)
"""Kinds of actors, in the order in which they are left out."""


def shortened(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """A plan that fails, and of which no smaller one that is tried does."""
    while (smaller := next((one for one in smaller_plans(plan) if fails(one)), None)) is not None:
        plan = smaller
    return plan


def smaller_plans(plan: Plan) -> Iterator[Plan]:
    """Plans with less in them, those with least first."""
    for commands in (plan.commands // 2, plan.commands - 1):
        if 0 < commands < plan.commands:
            yield replace(plan, commands=commands)
    if plan.faults:
        yield replace(plan, faults=())
    if len(plan.faults) > 1:
        for fault in plan.faults:
            yield replace(plan, faults=tuple(other for other in plan.faults if other != fault))
    for name in ACTORS:
        count = getattr(plan, name)
        if count > (name == "clients"):
            yield replace(plan, **{name: count - 1})


def command_of(plan: Plan) -> str:
    """What simulates a plan again."""
    usual = asdict(Plan(plan.seed))
    given = {name: value for name, value in asdict(plan).items() if name != "seed" and value != usual[name]}
    options = (f" --{name}={','.join(value) if name == 'faults' else value}" for name, value in given.items())
    return f'make simulate ARGS="--seed {plan.seed} --seeds 1{"".join(options)}"'
