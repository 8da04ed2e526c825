"""Leagues served with their pages: one with a part of the recorded season, for reading, and a small one for writing."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from api_server import Served, served
from databases import copy_of
from leagues import SIXTY_MATCHES, SMALL_LEAGUE

from league.application.jobs import Jobs
from league.console.site import create_site


@pytest.fixture(scope="session")
def season_site(embedded_server: str) -> Iterator[Served]:
    """The first 60 matches of the recorded season, with pages; for reading."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, create=create_site) as server:
        yield server


@pytest.fixture(scope="module")
def small_site(embedded_server: str) -> Iterator[Served]:
    """A league of six players, with pages, for the tests of one file to write into."""
    with copy_of(embedded_server, SMALL_LEAGUE) as url, served(url, create=create_site) as server:
        yield server


@pytest.fixture
def worker(small_site: Served) -> Iterator[None]:
    """A worker of the served league."""
    ended = threading.Event()
    jobs = Jobs(small_site.league.database.url, None)
    thread = threading.Thread(target=jobs.work, args=(ended.is_set,))
    thread.start()
    yield
    ended.set()
    thread.join()
