"""The laboratory: what its questions cost, how fast it searches, and a replay of ratings beside a full one."""

from __future__ import annotations

import os
import statistics
import time
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

from league.api.auth.tokens import issue_token
from league.application.bootstrap import League, open_league
from league.domain.match import OpenMatch, RecordResult, VoidMatch
from league.domain.result import AnnouncedResult
from league.domain.rulebook import parse_rulebook
from league.infra.database import connect, engine
from league.infra.settings import Settings
from league.lab.columns import MatchColumns
from league.lab.fitting import TuningRequest, fit
from league.lab.forecasts import TuningLimits
from league.lab.ranges import usual_ranges
from league.projections import runs
from league.projections.difference.totals import totals
from league.projections.difference.two_runs import two_runs
from league.projections.replays import replay as replays
from league.projections.writers import catalogue
from league.rulebook import shipped_edition
from tests.bench.made_league import HANDS_A_MATCH, RULESET, make_league
from tests.bench.measure import say, timed
from tests.bench.requests import SECRET, Server, serving

SIZES = (1_000, 10_000, 125_000)
"""Matches."""
PLAYERS = 2_000
QUESTIONS = 20
CANDIDATES = 200
"""The number of candidates in each of two searches."""
ASKED = """
query ($settings: String!, $after: BigInt!) @readFrom(afterPosition: $after) {
  whatIf(settings: $settings) {
    ... on UserError { message }
    ... on WhatIf {
      board(board: GLOBAL, first: 20) { nodes { rank rankBefore value valueBefore competitor { displayName } } }
      movers(board: GLOBAL, first: 5) { nodes { change competitor { displayName } } }
      predictions { month before { logLoss brier } after { logLoss brier classes { expected won sides } } }
      drift(mode: TWO_ON_TWO) { month before { mean } after { mean } }
    }
  }
}
"""
different = count()


def bench_laboratory(sizes: tuple[int, ...] = SIZES) -> None:
    """Print a line for each size; for the largest one, searches and replays too."""
    say("what if           matches   loaded ms   CPU ms   wall ms   after a match   after a correction   (CPU ms)")
    for size in sizes:
        with TemporaryDirectory(prefix="league-bench-") as folder:
            data = Path(folder) / "data"
            with open_league(Settings(data_dir=data), prepare=True) as league:
                league.create("Bench", "UTC", "bench")
                make_league(league, size * HANDS_A_MATCH, PLAYERS)
                league.project()
                with serving(DATA_DIR=str(data)) as server:
                    say(line_of(server, league, size))
                if size == sizes[-1]:
                    say("  wanted: at most 100 ms of CPU at 125,000 matches\n")
                    say(searched(league))
                    say(replayed(league))


def line_of(server: Server, league: League, size: int) -> str:
    """What a question costs: at first, again and again, after a match, and after the first match was voided."""
    token = issue_token(SECRET, "root", ["admin"], 86_400)
    server.http.headers["Authorization"] = f"Bearer {token}"
    loaded = timed(lambda: _ask(server, league)) * 1000
    costs = [_cost(server, league) for _ in range(QUESTIONS)]
    opened = OpenMatch("m-new", RULESET, "1v1", "casual", ("p00001", "p00002"))
    league.dispatcher.send_all([opened, RecordResult("m-new", AnnouncedResult(0, (150, 90)))], "bench")
    league.project()
    after_match, _ = _cost(server, league)
    league.dispatcher.send(VoidMatch("m0000000", "not played at all"), "bench")
    league.project()
    after_correction, _ = _cost(server, league)
    cpu, wall = (statistics.median(each) for each in zip(*costs, strict=True))
    return f"{size:>25,} {loaded:>11.0f} {cpu:>8.0f} {wall:>9.0f} {after_match:>15.0f} {after_correction:>20.0f}"


def _cost(server: Server, league: League) -> tuple[float, float]:
    """Milliseconds of the server's CPU, and until the answer."""
    before = server.cpu()
    wall = timed(lambda: _ask(server, league))
    return (server.cpu() - before) * 1000, wall * 1000


def _ask(server: Server, league: League) -> None:
    settings = f"rating.k.standard = {20 + next(different)}"
    answer: Any = server.post(ASKED, {"settings": settings, "after": league.store.head()}).json()
    assert "board" in answer["data"]["whatIf"], answer


def searched(league: League) -> str:
    """Settings that a search tries in a minute."""
    with connect(league.database.url) as conn:
        run = runs.official_run(conn)
        assert run is not None
        rules = catalogue.rules_of_run(conn, run)
        columns = MatchColumns().refreshed(conn, run, rules)
    edition = shipped_edition(1)
    workers = os.cpu_count() or 1
    wanted = TuningRequest(usual_ranges(edition), "log-loss", TuningLimits(), 1, CANDIDATES, 1, workers)
    times: list[float] = []
    fit(columns, rules, edition, ZoneInfo("UTC"), wanted, lambda *_: times.append(time.perf_counter()))
    each = (times[-1] - times[0]) / (len(times) - 1)
    return (
        f"tune          {60 / each:>10,.0f} settings/min   ({len(columns):,} matches, {workers} workers)\n"
        "  wanted: at least 1,000\n"
    )


def replayed(league: League) -> str:
    """A replay that changes ratings alone and its difference, beside the same replay by a full fold."""
    quick, quick_difference = _replay(league, 33)
    with patch.object(replays, "changes_ratings_alone", lambda *_: False):
        full, full_difference = _replay(league, 34)
    return (
        f"replay        {quick:>10.2f} s, its difference {quick_difference:.2f} s\n"
        f"  full replay {full:>10.2f} s, its difference {full_difference:.2f} s"
        f"   ratio {(quick + quick_difference) / (full + full_difference):.2f}\n"
    )


def _replay(league: League, k: int) -> tuple[float, float]:
    url, run = league.database.url, 0

    def fold() -> None:
        nonlocal run
        candidate = parse_rulebook(f"rating.k.provisional = {k}", shipped_edition(1))
        run = replays.replay(url, candidate, replays.ReplayPeriod())

    def compare() -> None:
        pool = engine(url, pool_size=1)
        with pool.connect() as conn, connect(url) as apart:
            official = runs.official_run(apart)
            assert official is not None
            totals(conn, two_runs(conn, official, run))
        pool.dispose()

    return timed(fold), timed(compare)
