"""What a command answered, and what the tests of commands share."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from waiting import LIMIT

from league import cli

MATCHES = 12


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


League = Callable[..., Said]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> League:
    """Runs a command in this process."""

    def run(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["league", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    return run


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    command = [sys.executable, "-m", "league", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT, **more)


def head(url: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT coalesce(max(position), 0) FROM stored_events").fetchone()
    assert row is not None
    return int(row[0])


def matches_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "matches.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def write_matches(folder: Path, matches: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(match) + "\n" for match in matches)
    (folder / "matches.jsonl").write_text(text, encoding="utf-8")
