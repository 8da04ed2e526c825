"""The part of the bench that reads tournaments, with few competitors and few requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import islice

import pytest
from graphql import parse, validate

from bench import tournaments
from bench.tournaments import queries
from league.api.schema import core
from league.application.bootstrap import League


def test_random_queries_fit_the_schema() -> None:
    """Each is a valid document, and equal seeds give equal queries."""
    made = list(islice(queries(5), 20))
    assert made == list(islice(queries(5), 20))
    for query in made:
        assert not validate(core, parse(query)), query


@pytest.mark.heavy
def test_the_bench_of_tournaments_runs(
    open_on_server: Callable[..., AbstractContextManager[League]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A board page first; then each request about a tournament has its points and its ratio to that page."""
    monkeypatch.setattr(tournaments, "open_league", open_on_server)
    for name, few in {"HANDS": 400, "TIMES": 1, "RANDOM": 1, "RUNS": 1, "CHEAPEST": 1}.items():
        monkeypatch.setattr(tournaments, name, few)
    tournaments.bench_tournaments((40,))
    lines = capsys.readouterr().out.splitlines()
    points = [line.split()[-4] for line in lines if "board page of 50" in line or "40 competitors  " in line]
    assert len(points) == 3
    assert all(int(each) > 100 for each in points)
