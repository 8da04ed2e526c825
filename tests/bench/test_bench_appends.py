"""The part of the bench that appends events beside Message DB, with few of them."""

from __future__ import annotations

import os
import shutil

import pytest

from bench import appends
from bench.appends import bench_appends

pytestmark = pytest.mark.heavy


def test_the_bench_of_appends_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each number of sessions; beside the peer, where npm is there."""
    for name, value in {"SESSIONS": (1, 2), "EVENTS": 8, "ROUNDS": 1}.items():
        monkeypatch.setattr(appends, name, value)
    bench_appends()
    has_peer = shutil.which("npm") is not None or os.environ.get("CI") == "true"
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:] if line.strip()]
    assert [line[0] for line in lines[:2]] == ["1", "2"]
    assert all((line[-1] != "-") == has_peer for line in lines[:2])
