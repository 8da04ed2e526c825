"""Read replicas: fresh pages a second beside the primary alone, and writes that are read back at once.

`python -m tests.bench.replicas --writes 10000` pauses one replica after the other meanwhile, and kills one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from random import Random
from typing import Any

import httpx
from rich.progress import track
from sqlalchemy import Engine

from league.api.auth.tokens import issue_token
from league.application.bootstrap import open_league
from league.infra.database import engine
from league.infra.settings import Settings
from tests.bench.answers import BOARD, FEW_HANDS, FEW_PLAYERS, MOST_REQUESTS, ROUNDS, afters, cursor_of, post
from tests.bench.load import load
from tests.bench.made_league import make_league
from tests.bench.measure import say
from tests.bench.requests import SECRET, Server, serving
from tests.replica_servers import ReplicaServer, own_server, replica_of

SECONDS = 2.0
"""For which pages are asked for in a round."""
WRITERS = 8
PAUSES, CALM = (0.2, 4.0), (0.2, 2.0)
"""Seconds for which a replica is paused, and between two pauses; from and to."""
REGISTER = """mutation ($input: RegisterPlayerInput!) { registerPlayer(input: $input) {
    ... on Success { position } ... on UserError { message } } }"""
READ = "query ($id: ID!) { player(id: $id) { displayName } }"
READ_AT = "query ($id: ID!, $p: BigInt!) @readFrom(afterPosition: $p) { player(id: $id) { displayName } }"


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--writes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    bench_replicas(**vars(parser.parse_args()))


def bench_replicas(writes: int, seed: int) -> None:
    """Print what was found."""
    with ExitStack() as kept_up:
        url = kept_up.enter_context(own_server())
        with open_league(Settings(database_url=url), prepare=True) as league:
            league.create("Bench", "UTC", "bench")
            make_league(league, FEW_HANDS, FEW_PLAYERS)
            league.project()
        replicas = [kept_up.enter_context(replica_of(url)) for _ in range(2)]
        pages(url, replicas)
        read_back(url, replicas, writes, Random(seed), seed)


def pages(url: str, replicas: list[ReplicaServer]) -> None:
    """Fresh board pages a second: from the primary alone, and with replicas."""
    database, alone = engine(url), 0.0
    for count in range(len(replicas) + 1):
        with served(url, replicas[:count]) as server:
            rates = sorted(load(server.port, fresh(database), SECONDS).rate for _ in range(ROUNDS))
        rate = rates[ROUNDS // 2]
        alone = alone or rate
        say(f"replicas: {rate:,.0f} fresh pages a second with {count}, {rate / alone:.2f} of the primary alone")
    database.dispose()


def fresh(database: Engine) -> list[bytes]:
    """Requests for board pages, each another one."""
    return [post(BOARD, after=cursor_of(after)) for after in islice(afters(database), MOST_REQUESTS)]


@contextmanager
def served(url: str, replicas: list[ReplicaServer]) -> Iterator[Server]:
    """`league serve` and `league project`, with replicas that are used."""
    read_urls = " ".join(replica.url for replica in replicas)
    settings = {"LEAGUE_DATABASE_URL": url, "LEAGUE_LOG_LEVEL": "error"}
    projector = subprocess.Popen([sys.executable, "-m", "league", "project"], env={**os.environ, **settings})
    with serving(DATABASE_URL=url, READ_URLS=read_urls, LOG_LEVEL="error", RATE_LIMIT="1000000000") as server:
        while not all(one["standing"] == "used" for one in server.http.get("/readyz").json().get("replicas", ())):
            time.sleep(0.05)
        try:
            yield server
        finally:
            projector.terminate()
            projector.wait()


def read_back(url: str, replicas: list[ReplicaServer], writes: int, random: Random, seed: int) -> None:
    """Write, and read each write at once: by its position without a token, or without one as who has written."""
    found, disturbed, ended = Counter[str](), Counter[str](), threading.Event()
    standings = Counter[str]()
    with served(url, replicas) as server, ThreadPoolExecutor(WRITERS) as threads:
        clients = [httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) for _ in range(WRITERS)]
        disturbing = threading.Thread(target=disturb, args=(replicas, random, ended, disturbed))
        disturbing.start()
        try:
            outcomes = threads.map(lambda number: write_and_read(clients[number % WRITERS], number), range(writes))
            for number, outcome in enumerate(track(outcomes, "writes", total=writes)):
                found[outcome] += 1
                if number % 100 == 0:
                    standings.update(one["standing"] for one in server.http.get("/readyz").json()["replicas"])
        finally:
            ended.set()
            disturbing.join()
    say(f"replicas: {writes:,} writes read back (seed {seed}): {dict(found)}; meanwhile {dict(disturbed)}")
    say(f"  standings of both, looked at after every 100: {dict(standings)}\n")
    assert set(found) == {"seen"}, "a write was not seen"


def write_and_read(client: httpx.Client, number: int) -> str:
    """`seen`, `stale`, or the error."""
    token = issue_token(SECRET, f"writer-{number % WRITERS}", ["admin"], 86_400)
    signed = {"Authorization": f"Bearer {token}"}
    given = {"input": {"playerId": f"new-{number}", "name": f"New {number}"}}
    written = ask(client, REGISTER, signed, **given)["data"]["registerPlayer"]
    if number % 2:
        read = ask(client, READ_AT, {}, id=f"new-{number}", p=written["position"])
    else:
        read = ask(client, READ, signed, id=f"new-{number}")
    if "errors" in read:
        return str(read["errors"][0]["extensions"]["code"])
    return "stale" if read["data"]["player"] is None else "seen"


def ask(client: httpx.Client, query: str, headers: dict[str, str], **variables: Any) -> Any:
    """The answer to an operation."""
    return client.post("/graphql", json={"query": query, "variables": variables}, headers=headers).json()


def disturb(replicas: list[ReplicaServer], random: Random, ended: threading.Event, done: Counter[str]) -> None:
    """Pause the replicas in turn, and now and then kill one and make it anew."""
    while not ended.wait(random.uniform(*CALM)):
        replica = random.choice(replicas)
        if random.random() < 0.1 or (not done["killed and made again"] and sum(done.values()) > 3):
            replica.kill()
            ended.wait(random.uniform(*PAUSES))
            replica.make()
            done["killed and made again"] += 1
        elif random.random() < 0.5:
            replica.freeze()
            ended.wait(random.uniform(*PAUSES))
            replica.thaw()
            done["stopped"] += 1
        else:
            with replica.standing_still():
                ended.wait(random.uniform(*PAUSES))
            done["replay paused"] += 1


if __name__ == "__main__":
    main()
