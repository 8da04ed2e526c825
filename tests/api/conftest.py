"""Served leagues: one with a part of the recorded season, for reading, and a small one for writing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, served
from databases import copy_of
from leagues import SIXTY_MATCHES, SMALL_LEAGUE


@pytest.fixture(scope="session")
def season(embedded_server: str) -> Iterator[Served]:
    """The first 60 matches of the recorded season, served; for reading."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as server:
        yield server


@pytest.fixture(scope="module")
def small(embedded_server: str) -> Iterator[Served]:
    """A league of six players, served, for the tests of one file to write into."""
    with copy_of(embedded_server, SMALL_LEAGUE) as url, served(url) as server:
        yield server
