"""Served leagues for the laboratory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, served
from databases import copy_of
from leagues import SIXTY_MATCHES


@pytest.fixture(scope="module")
def season(embedded_server: str) -> Iterator[Served]:
    """The first 60 matches of the recorded season, served, for the tests of one file to write into."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as server:
        yield server
