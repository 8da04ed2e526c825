"""The part of the bench that records hands, with few of them."""

from __future__ import annotations

import pytest

from bench import recording
from bench.recording import bench_recording

pytestmark = pytest.mark.heavy


def test_the_bench_of_recording_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each number of clients, with the CPU of a hand."""
    for name, value in {"CLIENTS": (1, 2), "HANDS": 20, "WARM_UP": 4, "ROUNDS": 1}.items():
        monkeypatch.setattr(recording, name, value)
    bench_recording()
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  recordHand")]
    assert [line[1] for line in lines] == ["1", "2"]
    assert all(float(figure) > 0 for line in lines for figure in (line[2], line[4], line[5]))
