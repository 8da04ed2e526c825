"""Chance in tests: a run has one seed. It is printed and can be given as LEAGUE_TEST_SEED; CI has always the same."""

from __future__ import annotations

import os
from random import Random, randrange

SEED = "LEAGUE_TEST_SEED"


def choose_seed() -> None:
    """Choose the seed of the run; the workers inherit it."""
    os.environ.setdefault(SEED, "2026" if "CI" in os.environ else str(randrange(2**32)))


def chance_of(name: str) -> Random:
    """The chance of a test or a fixture, of its own by its name."""
    return Random(f"{os.environ[SEED]} {name}")
