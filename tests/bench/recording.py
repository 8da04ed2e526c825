"""How many hands a second the API records, and what one costs, beside a plain endpoint that stores as much.

The server runs without a projector. Clients keep their connection, each records the hands of matches of its own.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
from msgspec import Struct

from league.api.auth.tokens import issue_token
from league.application.bootstrap import League, open_league
from league.domain.match import OpenMatch
from league.domain.player import RegisterPlayer
from league.infra.settings import Settings
from league.rulebook import shipped_edition
from tests.bench.measure import say
from tests.bench.requests import SECRET, Server, free_port, serving, wait_until_up

CLIENTS = (1, 8, 64)
HANDS = 2_000
"""Hands of a round, of all clients together."""
WARM_UP = 500
ROUNDS = 5
HANDS_A_MATCH = 40
"""Fewer than a match of `RULESET` takes where the sides win five points in turn."""
RULESET = "cuban-150"
RECORD = (
    "mutation ($input: RecordHandInput!) { recordHand(input: $input) {"
    " __typename ... on Success { position } ... on UserError { code message } } }"
)
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"


class Round(Struct, frozen=True):
    """What a server did while clients recorded hands."""

    rate: float
    """Hands a second."""
    p99: float
    """Milliseconds."""
    web: float
    """Milliseconds of CPU a hand, in the web process."""
    database: float
    """Milliseconds of CPU a hand, in the sessions of PostgreSQL."""


def bench_recording() -> None:
    """Ours and the plain endpoint in turn; the medians of the rounds."""
    with (
        tempfile.TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder) / "data"), prepare=True) as league,
    ):
        league.create("Bench", "UTC", "bench")
        players = [RegisterPlayer(f"p{number}", f"p{number}", None) for number in range(2 * max(CLIENTS))]
        league.dispatcher.send_all(players, "bench")
        url = league.database.url
        with serving(DATABASE_URL=url, LOG_LEVEL="error", RATE_LIMIT="100000000") as ours, plain(url) as peer:
            say_found(measured(league, ours, peer))


def measured(league: League, ours: Server, peer: Server | None) -> dict[tuple[str, int], list[Round]]:
    """The rounds by endpoint and number of clients."""
    found: dict[tuple[str, int], list[Round]] = {}
    for number in range(ROUNDS + 1):
        for clients in CLIENTS:
            hands = WARM_UP if number == 0 else HANDS
            rounds = {"recordHand": recorded(league, ours, bodies_of_ours(league, clients, hands), "/graphql")}
            if peer is not None:
                rounds["plain"] = recorded(league, peer, bodies_of_plain(clients, hands), "/hand")
            for name, one in rounds.items():
                if number > 0:
                    found.setdefault((name, clients), []).append(one)
    return found


def say_found(found: dict[tuple[str, int], list[Round]]) -> None:
    """Print the medians."""

    def median(name: str, clients: int, of: Callable[[Round], float]) -> float:
        return statistics.median(of(one) for one in found[name, clients])

    say(f"recorded hands{'clients':>12}{'hands/s':>10}{'to plain':>10}{'p99 ms':>9}{'web ms':>9}{'database ms':>13}")
    for name, clients in found:
        rate = median(name, clients, lambda one: one.rate)
        ratio = f"{rate / median('plain', clients, lambda one: one.rate):.2f}" if ("plain", clients) in found else "-"
        p99, web = median(name, clients, lambda one: one.p99), median(name, clients, lambda one: one.web)
        database = median(name, clients, lambda one: one.database)
        say(f"  {name:<16}{clients:>8}{rate:>10,.0f}{ratio:>10}{p99:>9.1f}{web:>9.2f}{database:>13.2f}")
    say("  milliseconds of CPU a hand; wanted: 4 in all, 0.45 of the plain endpoint with 64 clients\n")


# ---------------------------------------------------------------- the clients


def recorded(league: League, server: Server, bodies: Sequence[Sequence[bytes]], path: str) -> Round:
    """Send the bodies of each client one after the other, those of all clients at once."""
    with psycopg.connect(league.database.url, autocommit=True) as conn:
        web, database, started = server.cpu(), backends(conn), time.perf_counter()
        latencies = sorted(asyncio.run(_sent(server.port, bodies, path)))
        took, after = time.perf_counter() - started, backends(conn)
        used = sum(after[pid] - database.get(pid, 0.0) for pid in after)
    count = len(latencies)
    p99 = latencies[int(count * 0.99)] * 1000
    return Round(count / took, p99, (server.cpu() - web) / count * 1000, used / count * 1000)


def backends(conn: psycopg.Connection[Any]) -> dict[int, float]:
    """The seconds of CPU of each session of the database, by process id."""
    times = {pid: psutil.Process(pid).cpu_times() for (pid,) in conn.execute(BACKENDS)}
    return {pid: float(spent.user + spent.system) for pid, spent in times.items()}


async def _sent(port: int, bodies: Sequence[Sequence[bytes]], path: str) -> list[float]:
    latencies: list[float] = []
    token = issue_token(SECRET, "bench", ["scorekeeper"], 3_600)
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
    await asyncio.gather(*(_client(port, head.encode(), some, latencies) for some in bodies))
    return latencies


async def _client(port: int, head: bytes, bodies: Sequence[bytes], latencies: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for body in bodies:
        started = time.perf_counter()
        writer.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answered = await reader.readuntil(b"\r\n\r\n")
        length = int(answered.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        answer = await reader.readexactly(length)
        assert b'"position":' in answer, answer
        latencies.append(time.perf_counter() - started)
    writer.close()


def bodies_of_ours(league: League, clients: int, hands: int) -> list[list[bytes]]:
    """Hands of new matches, opened here."""
    edition, found = shipped_edition(1), []
    assert RULESET in edition.rulesets
    for client in range(clients):
        bodies: list[bytes] = []
        while len(bodies) < hands // clients:
            match = str(uuid.uuid4())
            seats = (f"p{2 * client}", f"p{2 * client + 1}")
            league.dispatcher.send(OpenMatch(match, RULESET, "1v1", "casual", seats), "bench")
            bodies += [_hand(match, number) for number in range(HANDS_A_MATCH)]
        found.append(bodies[: hands // clients])
    return found


def _hand(match: str, number: int) -> bytes:
    given = {"match": match, "facts": _facts(number), "idempotencyKey": uuid.uuid4().hex}
    return json.dumps({"query": RECORD, "variables": {"input": given}}).encode()


def _facts(number: int) -> dict[str, Any]:
    winner = number % 2
    leftover = [{"pips": 5 if seat != winner else 0} for seat in range(2)]
    return {"starter": 0, "ended": {"by": "DOMINO", "seat": winner, "fitsBothEnds": False}, "leftover": leftover}


def bodies_of_plain(clients: int, hands: int) -> list[list[bytes]]:
    """As many facts for the plain endpoint."""

    def bodies() -> Iterator[bytes]:
        stream = f"match:{uuid.uuid4()}"
        for number in range(hands // clients):
            given = {"stream": stream, "version": number + 1, "key": uuid.uuid4().hex, "facts": _facts(number)}
            yield json.dumps(given).encode()

    return [list(bodies()) for _ in range(clients)]


@contextmanager
def plain(url: str) -> Iterator[Server | None]:
    """The plain endpoint in a process of its own; None without the packages of the bench."""
    if find_spec("orjson") is None or find_spec("uvloop") is None:
        yield None
        return
    port = free_port()
    with subprocess.Popen([sys.executable, "-m", "tests.bench.plain_hands", url, str(port)]) as running:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as http:
                wait_until_up(http, running)
                yield Server(psutil.Process(running.pid), http, port)
        finally:
            running.terminate()


if __name__ == "__main__":
    bench_recording()
