"""How soon all sockets that watch one board have what an event has changed, and how often the board was computed."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from msgspec import Struct
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import ClientConnection, connect

from league.application.bootstrap import open_league
from league.domain.player import RenamePlayer
from league.infra.settings import Settings
from tests.bench.made_league import make_league
from tests.bench.measure import say
from tests.bench.requests import serving

HANDS, PLAYERS = 2_000, 100
SOCKETS = (1, 1_000)
AT_ONCE = 50
"""Sockets that are opened together."""
EVENTS = 5
FILES = 4_096
"""Open files that server and clients need."""

BOARD = """subscription { boardChanged { places(first: 50) { nodes {
  rank value matches player { playerId displayName } } } } }"""
LEADER = "{ board { places(first: 1) { nodes { player { playerId } } } } }"


class Watched(Struct, frozen=True):
    """What clients saw."""

    first: float
    """Seconds until all had the first state."""
    event: float
    """Seconds from a command to its effect at the last of them; the median of several."""


def bench_sockets() -> None:
    """Print it for one socket and for many, and how many results were computed for them."""
    more_open_files()
    with TemporaryDirectory(prefix="league-bench-") as folder:
        data = Path(folder) / "data"
        with open_league(Settings(data_dir=data), prepare=True) as league:
            league.create("Bench", "UTC", "bench")
            make_league(league, HANDS, PLAYERS)
            league.project()
            with serving(DATA_DIR=str(data)) as server:
                leader = server.post(LEADER, {}).json()["data"]["board"]["places"]["nodes"][0]["player"]["playerId"]
                say(f"sockets: a board of 50 places, a first state and {EVENTS} events, medians")
                say(f"  {'':<16}{'first state ms':>16}{'after an event ms':>20}{'computed':>10}")
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
                    for number in SOCKETS:
                        before = computed(server.http)
                        found = apart.submit(watch, server.port, data, leader, number).result()
                        times = computed(server.http) - before
                        shown = f"{found.first * 1000:>16.0f}{found.event * 1000:>20.0f}{times:>10.0f}"
                        say(f"  {f'{number:,} sockets':<16}{shown}")
    say(f"  wanted: computed once for each state, {EVENTS + 1} in all, however many sockets\n")


def more_open_files() -> None:
    """Let this process, and those that it starts, open as many files as the sockets need."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard))


def computed(http: httpx.Client) -> float:
    """How many results of subscriptions the server has computed."""
    families = text_string_to_metric_families(http.get("/metrics").text)
    samples = (sample for family in families for sample in family.samples)
    return sum(sample.value for sample in samples if sample.name == "league_subscription_computations_total")


def watch(port: int, data: Path, leader: str, sockets: int) -> Watched:
    """Open so many sockets, and change the name of the board's leader again and again."""
    with open_league(Settings(data_dir=data), prepare=False) as league:

        def rename(number: int) -> None:
            league.dispatcher.send(RenamePlayer(leader, f"Name {number} before {sockets} sockets"), "bench")

        return asyncio.run(watched(port, sockets, rename))


async def watched(port: int, number: int, rename: Callable[[int], object]) -> Watched:
    """What the clients of so many sockets see while the leader gets other names."""
    sockets: list[ClientConnection] = []
    while len(sockets) < number:
        sockets += await asyncio.gather(*(_opened(port) for _ in range(min(AT_ONCE, number - len(sockets)))))
    started = time.perf_counter()
    for socket in sockets:
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": {"query": BOARD}}))
    await _same(sockets)
    first = time.perf_counter() - started
    took = []
    for event in range(EVENTS):
        started = time.perf_counter()
        await asyncio.to_thread(rename, event)
        await _same(sockets)
        took.append(time.perf_counter() - started)
    await asyncio.gather(*(socket.close() for socket in sockets))
    return Watched(first, statistics.median(took))


async def _opened(port: int) -> ClientConnection:
    socket = await connect(f"ws://127.0.0.1:{port}/graphql", subprotocols=["graphql-transport-ws"], compression=None)  # type: ignore[list-item]
    await socket.send(json.dumps({"type": "connection_init"}))
    await socket.recv()
    return socket


async def _same(sockets: list[ClientConnection]) -> None:
    """The next message of each socket, the same one."""
    messages = set(await asyncio.gather(*(socket.recv() for socket in sockets)))
    assert len(messages) == 1
    assert all('"next"' in str(message) for message in messages), messages
