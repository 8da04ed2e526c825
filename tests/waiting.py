"""How long tests wait for something to come about: one limit, far beyond what any machine needs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LIMIT = 300.0
"""In seconds. To start the whole program can take more than 60 on two cores that others use, too.

A test that reaches the limit has failed; no test measures how long anything takes (`make bench` does).
"""


SHORTEST, LONGEST = 0.02, 0.2
"""Seconds between two looks."""


def wait_until(holds: Callable[[], T]) -> T:
    """Wait until something holds, and return it.

    A look may be a request that takes as much of the processor as what is waited for: the longer it takes, the rarer.
    """
    began = time.monotonic()
    while not (found := holds()):
        waited = time.monotonic() - began
        assert waited < LIMIT, f"it did not come about in {LIMIT:.0f} seconds"
        time.sleep(min(max(SHORTEST, waited / 10), LONGEST))
    return found
