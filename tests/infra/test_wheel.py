"""The wheel: what `pip install` puts into an environment is the whole program."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from leagues import part_of_season

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[2]
SHIPPED = ("examples/cuban-2026/matches.jsonl", "examples/cuban-2026/players.jsonl", "migrations/env.py")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, beside the packages that run these tests."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    python = folder / "venv" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    [packages] = (folder / "venv").glob("lib/python*/site-packages")
    # Only the path: the .pth files in it, such as the one of an editable league, are not read.
    (packages / "pinned.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run(sys.executable, *pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, ROOT)
    [wheel] = folder.glob("*.whl")
    run(python, *pip, "install", "--no-index", "--no-deps", "--ignore-installed", wheel)
    return folder / "venv"


def test_the_wheel_brings_the_program_and_its_files(environment: Path, tmp_path: Path) -> None:
    """The package that is imported is the installed one; so are the migrations, and the season of the demo."""
    script = (
        "import sys; from league.infra.league_version import shipped; print(*map(shipped, sys.argv[1:]), sep='\\n')"
    )
    found = run(environment / "bin" / "python", "-c", script, *SHIPPED, cwd=tmp_path).splitlines()
    for path, file in zip(SHIPPED, found, strict=True):
        assert Path(file).is_relative_to(environment)
        assert Path(file).read_bytes() == (ROOT / path).read_bytes()


def test_the_wheel_brings_graphiql(environment: Path, tmp_path: Path) -> None:
    """The files that the API serves, and their licences."""
    script = "from league.api.server.graphiql_page import FILES; print(*FILES.iterdir(), sep='\\n')"
    found = [Path(file) for file in run(environment / "bin" / "python", "-c", script, cwd=tmp_path).splitlines()]
    assert all(file.is_relative_to(environment) for file in found)
    expected = {file.name for file in (ROOT / "league" / "api" / "server" / "graphiql").iterdir()}
    assert {file.name for file in found} == expected


def test_the_installed_program_runs_the_demo_from_any_folder(environment: Path, data_dir: Path, tmp_path: Path) -> None:
    """It migrates its embedded database, and has the rules that the demo replays the season under."""
    season = part_of_season(tmp_path / "season", 60)
    (tmp_path / "empty").mkdir()
    said = run(
        environment / "bin" / "league", "demo", "--no-serve", "--season", season,
        cwd=tmp_path / "empty", LEAGUE_DATA_DIR=str(data_dir),
    )  # fmt: skip
    assert "5. That season under the rules of cuban-ratings.toml" in said
    assert "Where ratings diverge first" in said


def run(*command: str | Path, cwd: Path | None = None, **settings: Any) -> str:
    """The output of a program that knows neither this checkout nor the settings of this machine."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LEAGUE_", "PYTHONPATH"))}
    said = subprocess.run(
        list(map(str, command)), check=False, capture_output=True, text=True, timeout=300, cwd=cwd, env=clean | settings
    )
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout
