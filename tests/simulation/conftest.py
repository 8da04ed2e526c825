"""The server of the simulation."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.simulation.server import SimulationServer, simulation_server


@pytest.fixture(scope="module")
def server() -> Iterator[SimulationServer]:
    """A server for the leagues of one file."""
    with simulation_server() as running:
        yield running


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect what killed processes left open: else it would be found, and warned of, during other tests."""
    yield
    gc.collect()
