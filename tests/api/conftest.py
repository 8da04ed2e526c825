"""Served leagues: one with a part of the recorded season, for reading, and a small one for writing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import Served, served
from leagues import catch_up, empty_league, found, import_cuban, own_database, part_of_season


@pytest.fixture(scope="session")
def season(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The first 60 matches of the recorded season, served; for reading."""
    folder: Path = part_of_season(tmp_path_factory.mktemp("season"), 60)
    with own_database(embedded_server) as url:
        with empty_league(url) as league:
            league.create("Liga Cubana", "America/Havana", "test")
            import_cuban(league, folder)
            catch_up(league)
        with served(url) as server:
            yield server


@pytest.fixture(scope="module")
def small(embedded_server: str) -> Iterator[Served]:
    """A league of six players, served, for the tests of one file to write into."""
    with own_database(embedded_server) as url:
        with empty_league(url) as league:
            found(league)
            catch_up(league)
        with served(url) as server:
            yield server
