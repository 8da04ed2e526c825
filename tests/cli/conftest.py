"""Commands run in this process, each test in a folder and with a database of its own."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import SECRET
from commands import MATCHES, League, runner
from databases import MIGRATED, Template, copy_of
from leagues import announced, at, catch_up, import_cuban, league_at, part_of_season, send
from served_by_workers import Running, two_workers
from terminals import Terminal
from waiting import LIMIT

from league.application.following import follow
from league.domain.league import OpenSeason
from league.domain.player import RegisterPlayer


def _four_players(url: str) -> None:
    names = {"p1": "Íñigo", "p2": "Ana", "p3": "Ana", "p4": "Eva"}
    with league_at(url) as made:
        made.create("Liga", "America/Havana", "test")
        send(made, *(RegisterPlayer(player, name, None) for player, name in names.items()))
        send(made, announced("m1", ("p1", "p2"), 0, (150, 0)), announced("m2", ("p1", "p2", "p3", "p4"), 2))
        send(made, announced("m3", ("p4", "p1"), 24 * 40), OpenSeason("s1", "Spring", at(24 * 30)))
        catch_up(made)


def _first_matches(url: str) -> None:
    with league_at(url) as made, tempfile.TemporaryDirectory() as folder:
        made.create("Domino league", "UTC", "test")
        import_cuban(made, part_of_season(Path(folder), MATCHES))
        catch_up(made)


LEAGUES = {
    "players": Template("four_players", _four_players, MIGRATED),
    "imported_season": Template("imported_season", _first_matches, MIGRATED),
}
"""What the database of a test has that uses one of these fixtures."""


@pytest.fixture
def database_url(request: pytest.FixtureRequest, postgres: str) -> Iterator[str]:
    """The URL of a database of this test's own: that of its league, or one without a league."""
    [template] = [LEAGUES[name] for name in LEAGUES if name in request.fixturenames] or [MIGRATED]
    with copy_of(postgres, template) as url:
        yield url


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
def players() -> None:
    """Four players, two of whom share a name, and three matches are in the database of the test."""


@pytest.fixture
def imported_season() -> None:
    """The first matches of the recorded season are in the database of the test, as `league import` stores them."""


@pytest.fixture
def workers(
    own_environment: None,  # noqa: ARG001  # by its effect
    league_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Running]:
    """A league of six players, served by two workers, and projected.

    If it still runs in the end, Ctrl-C ends it well, as a terminal tells all processes of a command.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # the folder of their figures is left behind when they are killed
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("LEAGUE_DATABASE_URL", league_url)
    monkeypatch.setenv("LEAGUE_SECRET", SECRET)
    monkeypatch.setenv("LEAGUE_LOG_LEVEL", "error")
    ended = threading.Event()
    with league_at(league_url) as league, two_workers() as running:
        projector = threading.Thread(target=follow, args=(league, ended.is_set))
        projector.start()
        try:
            yield running
            if running.parent.is_running():
                os.killpg(running.parent.pid, signal.SIGINT)
                assert running.parent.wait(LIMIT) == 0
        finally:
            ended.set()
            projector.join()


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """The terminals that a test starts; they are closed at its end."""
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()
