"""How long it takes until all who watch a board have been told of a change, beside a single one."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from msgspec import Struct
from websockets.asyncio.client import ClientConnection, connect

from league.application.bootstrap import League, clock, open_league
from league.domain.match import OpenMatch, RecordResult
from league.domain.result import Announced
from league.infra.settings import Settings
from tests.bench.made_league import RULESET
from tests.bench.measure import say

WATCHERS = 1_000
EVENTS = 5
SETTLED = 0.5
"""Seconds after which the server has looked at an event that changes no board."""
WATCH = "subscription { boardChanged { places(first: 50) { nodes { rank value player { playerId displayName } } } } }"
COMPUTED = "league_subscription_computations_total"


class Told(Struct):
    """Seconds from the commit of an event until all had its board, and how often that was computed."""

    seconds: float
    computations: float


def bench_sockets(port: int, data: Path) -> None:
    """Print what telling many takes, and what telling one does. Runs beside a server, in a process of its own."""
    with open_league(Settings(data_dir=data), prepare=False) as league:
        one, all_ = (asyncio.run(told(league, port, count)) for count in (1, WATCHERS))
    say(f"sockets: a changed board, from the commit of its event to the last of {WATCHERS:,} sockets")
    for count, found in ((1, one), (WATCHERS, all_)):
        seconds = statistics.median(each.seconds for each in found)
        computed = statistics.median(each.computations for each in found)
        say(f"  {count:>6,} watching: {seconds * 1000:.0f} ms, computed {computed:g} times")
    say()


async def told(league: League, port: int, count: int) -> list[Told]:
    """Change the board several times while so many watch it."""
    found = []
    async with AsyncExitStack() as sockets:
        watching = [await sockets.enter_async_context(watcher(port)) for _ in range(count)]
        firsts = [await message(socket) for socket in watching]
        places = firsts[0]["payload"]["data"]["boardChanged"]["places"]["nodes"]
        players = [place["player"]["playerId"] for place in places]
        for seats in list(zip(players[::2], players[1::2], strict=True))[:EVENTS]:
            match = f"watched-{clock():%H%M%S%f}"
            league.dispatcher.send(OpenMatch(match, RULESET, "1v1", "special", seats), "bench")
            await asyncio.sleep(SETTLED)
            before = await computations(port)
            league.dispatcher.send(RecordResult(match, Announced(0, (150, 90))), "bench")
            started = time.perf_counter()
            await asyncio.gather(*(message(socket) for socket in watching))
            seconds = time.perf_counter() - started
            found.append(Told(seconds, await computations(port) - before))
    return found


@asynccontextmanager
async def watcher(port: int) -> AsyncIterator[ClientConnection]:
    """A socket that watches the board."""
    url = f"ws://127.0.0.1:{port}/graphql"
    async with connect(url, subprotocols=["graphql-transport-ws"], compression=None) as socket:  # type: ignore[list-item]
        await socket.send('{"type": "connection_init"}')
        await socket.recv()
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": {"query": WATCH}}))
        yield socket


async def message(socket: ClientConnection) -> Any:
    """The next board."""
    received = json.loads(await socket.recv())
    assert received["type"] == "next", received
    return received


async def computations(port: int) -> float:
    """How many results of subscriptions the server has computed."""
    async with httpx.AsyncClient() as http:
        page = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
    return float(next(line for line in page.splitlines() if line.startswith(COMPUTED)).split()[-1])
