"""How heavy pages are for a phone: bytes and requests of a cold visit, and the time until something is painted.

Chromium paints them as over a bad mobile network on a slow phone. Skipped where there is no browser. `make bench` runs
it; alone it is `python -m tests.bench.page_weight`.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct
from playwright.sync_api import Browser, sync_playwright

from league.api.auth.web_sessions import NewSession, WebSessions
from league.application.bootstrap import League, open_league
from league.domain.match import OpenMatch
from league.infra.database import engine as engine_of
from league.infra.settings import Settings
from league.tables.domain.commands_and_events import OpenTable, TakeSeat
from tests.bench.made_league import RULESET, make_league
from tests.bench.measure import say
from tests.bench.requests import serving
from tests.bench.tournaments import play_evening

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HANDS, PLAYERS = 5_000, 40
LATENCY, BYTES_A_SECOND, SLOWDOWN = 400, 50_000, 4
"""The network in milliseconds and bytes a second, and how much slower the processor of the phone is."""
QUIET = 1_500
"""Milliseconds after a page is loaded in which more may come, such as what its modules import."""
RUNS = 5
PHONE = {"width": 390, "height": 844}
WANTED = "home at most 60 kB, 10 requests and 2,200 ms"
"""What is wanted of the first page, cold and over plain HTTP."""
PAINTED = """() => new Promise(found => new PerformanceObserver((list, watching) => {
    for (const one of list.getEntriesByName('first-contentful-paint')) { watching.disconnect(); found(one.startTime); }
}).observe({type: 'paint', buffered: true}))"""


class Visit(Struct, frozen=True):
    """What a cold visit to a page took."""

    bytes: int
    """Bytes that came over the network, with headers."""
    requests: int
    painted: float
    """Milliseconds until something of the page was painted."""


def bench_page_weight() -> None:
    """Print bytes, requests and paint of each page."""
    if CHROMIUM is None:
        say("weight of pages: skipped, there is no browser\n")
        return
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder:
        data = Path(folder) / "data"
        with open_league(Settings(data_dir=data, table_secret="of the bench" * 4), prepare=True) as league:
            cookie = fill(league)
            with (
                serving(DATABASE_URL=league.database.url, LOG_LEVEL="error") as server,
                sync_playwright() as playwright,
            ):
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                say(f"weight of pages, cold: {LATENCY} ms, {BYTES_A_SECOND // 1000} kB/s, {SLOWDOWN} times slower")
                say(f"{'':<30}{'kB':>8}{'requests':>10}{'first paint ms':>16}")
                for name, path, signed_in in pages():
                    seen = [visit(browser, server.port, path, cookie if signed_in else None) for _ in range(RUNS)]
                    say_visits(name, seen)
                browser.close()
                say(f"  wanted: {WANTED}\n")


def fill(league: League) -> str:
    """Make the league that the pages show. Returns the cookie of a scorekeeper."""
    league.create("Club de Dominó", "America/Santo_Domingo", "bench")
    make_league(league, HANDS, PLAYERS)
    play_evening(league, "copa", 16)
    send = league.dispatcher.send
    send(OpenTable("mesa", RULESET, "2v2", "casual"), "bench")
    for seat in range(4):
        send(TakeSeat("mesa", seat, f"p{seat:05}"), "bench")
    send(OpenMatch("open", RULESET, "2v2", "casual", tuple(f"p{seat:05}" for seat in range(4))), "bench")
    league.project()
    engine = engine_of(league.database.url, pool_size=1)
    try:
        new = NewSession("kim", ("scorekeeper",), datetime.now(UTC) + timedelta(hours=1))
        return WebSessions(engine).begin(new, "the bench")
    finally:
        engine.dispose()


def pages() -> Iterator[tuple[str, str, bool]]:
    """The pages: what they are called, their address, and whether the visitor has signed in."""
    yield "home", "/", False
    yield "a board", "/boards/one_on_one", False
    yield "a match", "/matches/m0000001", False
    yield "a player", "/players/p00001", False
    yield "the evening of a tournament", "/tournaments/copa", False
    yield "a live table", "/tables/mesa", False
    yield "home of a scorekeeper", "/", True
    yield "recording a hand", "/matches/open/record", True


def visit(browser: Browser, port: int, path: str, cookie: str | None) -> Visit:
    """Visit a page with nothing in the browser's cache."""
    context = browser.new_context(viewport=PHONE, locale="es", is_mobile=True, service_workers="block")
    try:
        if cookie is not None:
            context.add_cookies([{"name": "league", "value": cookie, "url": f"http://127.0.0.1:{port}/"}])
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        devtools.send("Network.enable")
        network = {"latency": LATENCY, "downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND}
        devtools.send("Network.emulateNetworkConditions", {"offline": False, **network})
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        lengths: list[float] = []
        devtools.on("Network.loadingFinished", lambda event: lengths.append(event["encodedDataLength"]))
        answer = page.goto(f"http://127.0.0.1:{port}{path}", wait_until="load")
        assert answer is not None
        assert answer.ok, (path, answer.status)
        painted: Any = page.evaluate(PAINTED)
        page.wait_for_timeout(QUIET)
        return Visit(int(sum(lengths)), len(lengths), painted)
    finally:
        context.close()


def say_visits(name: str, seen: list[Visit]) -> None:
    """Print the median of some visits."""
    size, requests, painted = (
        statistics.median(getattr(one, what) for one in seen) for what in ("bytes", "requests", "painted")
    )
    say(f"  {name:<28}{size / 1000:>8.1f}{requests:>10.0f}{painted:>16,.0f}")


if __name__ == "__main__":
    bench_page_weight()
