"""The part of the bench that publishes a tournament, with few competitors."""

from __future__ import annotations

import pytest

from bench import publishing
from bench.publishing import bench_publishing

pytestmark = pytest.mark.heavy


def test_the_bench_of_publishing_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each number of competitors, with its pages, and the growth of a page."""
    monkeypatch.setattr(publishing, "ROUNDS", 1)
    bench_publishing((2, 4))
    lines = capsys.readouterr().out.splitlines()
    few, many = (int(line.split()[2].replace(",", "")) for line in lines if " pages " in line)
    assert 20 < few < many
    assert [line for line in lines if "growth of a page" in line]
