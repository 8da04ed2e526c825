"""Projects of node that tests run: their packages are installed once for each lock file."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def node_project(project: Path, into: Path) -> Path:
    """A copy of a project with its packages, in `into`. Without node the test is skipped; in CI it fails."""
    if shutil.which("npm") is None:
        _give_up("node and npm are not installed")
    copy = into / project.name
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(_installed(project) / "node_modules")
    return copy


def run(project: Path, *command: str) -> str:
    """What a command of the project's packages prints. Fails the test when it fails."""
    path = f"{project / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=project, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _installed(project: Path) -> Path:
    """A folder with the packages of the project's lock file."""
    lock = (project / "package-lock.json").read_bytes()
    folder = Path(tempfile.gettempdir()) / f"league-node-{os.getuid()}-{hashlib.sha256(lock).hexdigest()[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(project / name, folder)
            install = subprocess.run(["npm", "ci"], cwd=folder, capture_output=True, text=True, check=False)
            if install.returncode != 0:
                _give_up(f"`npm ci` failed: {install.stderr}")
            (folder / "done").touch()
    return folder


def _give_up(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
