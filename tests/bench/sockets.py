"""How soon all sockets that watch a board have what an event has changed, and what that takes of the server.

They watch the board itself, or hear which boards may have moved.
"""

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
import psutil
from msgspec import Struct
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import ClientConnection, connect

from league.application.bootstrap import open_league
from league.domain.deciders import Command
from league.domain.player import MovePlayer, RenamePlayer
from league.infra.settings import Settings
from tests.bench.made_league import make_league
from tests.bench.measure import say
from tests.bench.requests import TICK, serving

HANDS, PLAYERS = 2_000, 100
SOCKETS = (1, 1_000)
AT_ONCE = 50
"""Sockets that are opened together."""
EVENTS = 5
FILES = 4_096
"""Open files that server and clients need."""

BOARD = """subscription { boardChanged { places(first: 50) { nodes {
  rank value matches player { playerId displayName } } } } }"""
MOVED = "subscription { boardsChanged { since position boards { kind month mode regions } } }"
SUBSCRIPTIONS = {"boardChanged": BOARD, "boardsChanged": MOVED}
LEADER = "{ board { places(first: 1) { nodes { player { playerId } } } } }"


class Watched(Struct, frozen=True):
    """What clients saw."""

    first: float
    """Seconds until all had the first state."""
    event: float
    """Seconds from a command to its effect at the last of them; the median of several."""
    cpu: float
    """Seconds of CPU that the server took for an event, in the mean."""


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
                say(f"sockets: a board of 50 places, or which boards moved; a first state and {EVENTS} events, medians")
                say(f"  {'':<30}{'first state ms':>16}{'after an event ms':>20}{'CPU ms an event':>18}{'computed':>10}")
                took: dict[str, float] = {}
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
                    for number in SOCKETS:
                        for name, query in SUBSCRIPTIONS.items():
                            before = computed(server.http)
                            asked = (server.port, server.process.pid, data, leader, number, query)
                            found = apart.submit(watch, *asked).result()
                            times = computed(server.http) - before
                            took[name] = found.cpu
                            shown = f"{found.first * 1000:>16.0f}{found.event * 1000:>20.0f}{found.cpu * 1000:>18.0f}"
                            say(f"  {f'{number:,} sockets, {name}':<30}{shown}{times:>10.0f}")
                ratio = took["boardsChanged"] / took["boardChanged"]
                say(f"  boardsChanged beside boardChanged: ratio {ratio:.1f} of CPU, at most 3 wanted")
    say(f"  wanted: each computed once for each state, {EVENTS + 1} in all, however many sockets\n")


def more_open_files() -> None:
    """Let this process, and those that it starts, open as many files as the sockets need."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard))


def computed(http: httpx.Client) -> float:
    """How many results of subscriptions the server has computed."""
    families = text_string_to_metric_families(http.get("/metrics").text)
    samples = (sample for family in families for sample in family.samples)
    return sum(sample.value for sample in samples if sample.name == "league_subscription_computations_total")


def watch(port: int, process: int, data: Path, leader: str, sockets: int, query: str) -> Watched:
    """Open so many sockets, and change the name and the region of the board's leader again and again."""
    server = psutil.Process(process)

    def cpu() -> float:
        times = server.cpu_times()
        return float(times.user + times.system)

    with open_league(Settings(data_dir=data), prepare=False) as league:

        def change(number: int) -> None:
            if query == BOARD:
                command: Command = RenamePlayer(leader, f"Name {number} before {sockets} sockets")
            else:
                command = MovePlayer(leader, f"Region {number} before {sockets} sockets")
            league.dispatcher.send(command, "bench")

        return asyncio.run(watched(port, sockets, query, change, cpu))


async def watched(
    port: int, number: int, query: str, change: Callable[[int], object], cpu: Callable[[], float]
) -> Watched:
    """What the clients of so many sockets see while the leader changes, and the CPU that the server takes for it."""
    sockets: list[ClientConnection] = []
    while len(sockets) < number:
        sockets += await asyncio.gather(*(_opened(port) for _ in range(min(AT_ONCE, number - len(sockets)))))
    started = time.perf_counter()
    for socket in sockets:
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": {"query": query}}))
    await _same(sockets)
    first = time.perf_counter() - started
    took = []
    before = cpu()
    for event in range(EVENTS):
        started = time.perf_counter()
        await asyncio.to_thread(change, event)
        await _same(sockets)
        took.append(time.perf_counter() - started)
    spent = (cpu() - before) / EVENTS
    await asyncio.gather(*(socket.close() for socket in sockets))
    return Watched(first, statistics.median(took), max(spent, TICK / EVENTS))


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
