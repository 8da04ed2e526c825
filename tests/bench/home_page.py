"""How much longer the first page of the console takes than its GraphQL document; neither is a kept answer."""

from __future__ import annotations

import statistics
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from league.application.bootstrap import open_league
from league.console.site import PAGES
from league.infra.settings import Settings
from tests.bench.made_league import make_league
from tests.bench.measure import say, timed
from tests.bench.requests import Server, serving

HANDS, PLAYERS = 20_000, 200
TIMES = 200
"""Requests of each, in turn."""
WARM_UP = 20


def bench_home_page() -> None:
    """Print the median of each, and their ratio."""
    with TemporaryDirectory(prefix="league-bench-") as folder:
        data = Path(folder) / "data"
        with open_league(Settings(data_dir=data), prepare=True) as league:
            league.create("Bench", "UTC", "bench")
            make_league(league, HANDS, PLAYERS)
            league.project()
            with serving(DATA_DIR=str(data)) as server:
                compare(server)


def compare(server: Server) -> None:
    """Ask for the page and for its document in turn, so that both meet the same machine."""
    different = count()

    def page() -> None:
        server.http.get("/").raise_for_status()

    def document() -> None:
        # Another variable makes another request, which no kept answer fits; the document has no such variable.
        server.post(PAGES[0].text, {"different": next(different)}).raise_for_status()

    for _ in range(WARM_UP):
        page()
        document()
    rounds = [(timed(page), timed(document)) for _ in range(TIMES)]
    of_page, of_document = (statistics.median(times) * 1000 for times in zip(*rounds, strict=True))
    say(f"home page     {of_page:>10.1f} ms, its document {of_document:.1f} ms   ratio {of_page / of_document:.2f}")
    say("  wanted: at most 2\n")
