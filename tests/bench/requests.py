"""What hostile requests cost the server in CPU, to the end of the work, and how long `/healthz` waits beside them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import httpx
import psutil
from graphql import GraphQLError

from league.api.graphql.executing.documents import cost_of, faults_of
from league.api.schema import core
from league.application.bootstrap import League
from tests.bench.measure import say
from tests.hostile_requests import ALLOWED, HOSTILE

SECRET = "of the bench" * 4
CHEAPEST = 300
"""How often `{ __typename }` is measured."""
TIMES = 5
"""How often each request is measured."""
TICK = 0.01
"""Seconds: the unit in which the system counts CPU."""
QUIET = 0.2
"""Seconds without any work after which the server is taken to have finished."""


different = count()


class Server(NamedTuple):
    """A server in a process of its own."""

    process: psutil.Process
    http: httpx.Client
    port: int

    def post(self, query: str, variables: dict[str, Any]) -> httpx.Response:
        """The answer to an operation, which is no kept one: each request has another body."""
        body = json.dumps({"query": query, "variables": variables, "different": next(different)})
        return self.http.post("/graphql", content=body, headers={"Content-Type": "application/json"})

    def cpu(self) -> float:
        """Seconds of CPU that the process has taken."""
        times = self.process.cpu_times()
        return float(times.user + times.system)


def bench_requests(league: League) -> None:
    """Print what each request costs, as a multiple of `{ __typename }`."""
    with serving(DATABASE_URL=league.database.url, LOG_LEVEL="error") as server:
        cheapest = cost(server, "{ __typename }", {}, CHEAPEST)
        say(f"requests: `{{ __typename }}` takes {cheapest * 1000:.2f} ms of the server's CPU")
        say(f"{'':<54}{'CPU ms':>10}{'ratio':>8}{'points':>8}{'us a point':>12}{'longest /healthz ms':>22}")
        for name, (query, variables, _, _) in HOSTILE.items():
            say_cost(server, f"refused: {name}", query, variables, cheapest)
        for name, (query, variables) in ALLOWED.items():
            say_cost(server, f"allowed: {name}", query, variables, cheapest)
        say("  wanted: at most 1,000 times the least; where it is dear, 5 to 30 us a point\n")


def say_cost(server: Server, name: str, query: str, variables: dict[str, Any], cheapest: float) -> None:
    """Print what one request costs."""
    answer = server.post(query, variables)
    assert answer.status_code < 500, (name, answer.status_code, answer.text[:200])
    assert ('"code":"TOO_COMPLEX"' in answer.text) == name.startswith("refused"), (name, answer.text[:200])
    took = cost(server, query, variables, TIMES)
    waited = longest_wait(server, query, variables)
    points = 0 if faults_of_bounded(query) else cost_of(core, query, None)
    price = f"{points:>8}{took / points * 1e6:>12.1f}" if points else f"{'':>20}"
    say(f"  {name:<52}{took * 1000:>10.1f}{took / cheapest:>8.0f}{price}{waited * 1000:>22.0f}")


def faults_of_bounded(query: str) -> bool:
    """Whether a document is not executed: it is too large, or not valid."""
    try:
        return bool(faults_of(core, query))
    except GraphQLError:
        return True


def cost(server: Server, query: str, variables: dict[str, Any], times: int) -> float:
    """Seconds of CPU that one request costs, counted until the server rests again."""
    server.post(query, variables)
    rest(server)
    before = server.cpu()
    for _ in range(times):
        server.post(query, variables)
    return max(rest(server) - before, TICK) / times


def rest(server: Server) -> float:
    """Wait until the server has no more work; its CPU seconds then."""
    while True:
        before = server.cpu()
        time.sleep(QUIET)
        if server.cpu() - before <= TICK:  # the calendar and the projector look around now and then
            return before


def longest_wait(server: Server, query: str, variables: dict[str, Any]) -> float:
    """The longest that `/healthz` takes while one client repeats the request."""
    longest = 0.0
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(lambda: [server.post(query, variables) for _ in range(TIMES)])
        while not asked.done():
            started = time.perf_counter()
            server.http.get("/healthz").raise_for_status()
            longest = max(longest, time.perf_counter() - started)
    asked.result()
    return longest


@contextmanager
def serving(**settings: str) -> Iterator[Server]:
    """`league serve` with these settings, each the end of the name of a variable."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="league-bench-") as folder:
        given = {"DATA_DIR": folder, "SECRET": SECRET, **settings}
        environment = {**os.environ, **{f"LEAGUE_{name}": value for name, value in given.items()}}
        command = [sys.executable, "-m", "league", "serve", "--port", str(port)]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as running:
            try:
                with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as http:
                    wait_until_up(http, running)
                    yield Server(psutil.Process(running.pid), http, port)
            finally:
                running.terminate()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_until_up(http: httpx.Client, running: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    while True:
        assert running.poll() is None, "the server ended"
        try:
            http.get("/healthz")
            return
        except httpx.TransportError:
            time.sleep(0.1)
