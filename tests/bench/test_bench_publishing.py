"""The part of the bench that publishes a tournament, with few competitors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from bench import publishing
from bench.publishing import bench_publishing
from league.application.bootstrap import League

pytestmark = pytest.mark.heavy


def test_the_bench_of_publishing_runs(
    open_on_server: Callable[..., AbstractContextManager[League]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A line for a number of competitors, with its pages, and the growth of a page: none, where it is the only one."""
    monkeypatch.setattr(publishing, "open_league", open_on_server)
    monkeypatch.setattr(publishing, "ROUNDS", 1)
    bench_publishing((2,))
    lines = capsys.readouterr().out.splitlines()
    [pages] = (int(line.split()[2].replace(",", "")) for line in lines if " pages " in line)
    assert pages > 20
    assert "  growth of a page 1.00" in lines
