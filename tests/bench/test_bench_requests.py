"""The part of the bench that measures what requests cost, with few requests."""

from __future__ import annotations

import pytest
from hostile_requests import ALLOWED, HOSTILE
from leagues import catch_up

from bench import requests
from league.application.bootstrap import League

pytestmark = pytest.mark.heavy


def test_the_bench_of_requests_runs(
    league: League, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for a refused request and one for an allowed one, each with its cost and the longest wait beside it."""
    catch_up(league)
    monkeypatch.setattr(requests, "TIMES", 1)
    monkeypatch.setattr(requests, "CHEAPEST", 1)
    monkeypatch.setattr(requests, "HOSTILE", {"tokens": HOSTILE["tokens"]})
    monkeypatch.setattr(requests, "ALLOWED", {"tokens": ALLOWED["tokens"]})
    requests.bench_requests(league)
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "tokens" in line]
    assert [line[0] for line in lines] == ["refused:", "allowed:"]
    assert all(float(line[-3]) > 0 for line in lines)
