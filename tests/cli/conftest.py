"""Commands run in this process, each test in a folder and with a database of its own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import MATCHES, League, runner
from leagues import announced, at, empty_league, part_of_season, send

from league.domain.player import RegisterPlayer
from league.domain.season import OpenSeason


@pytest.fixture
def own_environment(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder and a database of the test's own, and no settings of the machine."""
    for name in [name for name in os.environ if name.startswith("LEAGUE_") and "TEST" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LEAGUE_DATABASE_URL", database_url)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    handlers = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    yield
    for name, handler in handlers.items():
        signal.signal(name, handler)


@pytest.fixture
def league(
    own_environment: None,  # noqa: ARG001  # commands read it
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> League:
    """Run a command in this process."""
    return runner(monkeypatch, capsys)


@pytest.fixture
def season(tmp_path: Path) -> Path:
    return part_of_season(tmp_path / "season", MATCHES)


@pytest.fixture
def players(league: League, database_url: str, own_environment: None) -> None:  # noqa: ARG001  # used by its effect
    """Four players, two of whom share a name, and three matches."""
    league("init", "--time-zone", "America/Havana")
    names = {"p1": "Íñigo", "p2": "Ana", "p3": "Ana", "p4": "Eva"}
    with empty_league(database_url) as made:
        send(made, *(RegisterPlayer(player, name, None) for player, name in names.items()))
        send(made, announced("m1", ("p1", "p2"), 0, (150, 0)), announced("m2", ("p1", "p2", "p3", "p4"), 2))
        send(made, announced("m3", ("p4", "p1"), 24 * 40), OpenSeason("s1", "Spring", at(24 * 30)))
