"""How many pages of a board a second the API gives, and what one costs, beside PostGraphile over the same SQL.

PostGraphile calls a function of the database with the statement by which the API reads the page, so that both do as
much work in a league of any size. No request is repeated, so the API answers none from its cache.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import psutil
import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine

from league.application.bootstrap import League, open_league
from league.infra.database import SEARCH_PATH, engine
from league.infra.settings import Settings
from tests.bench.answers import (
    BOARD,
    HANDS,
    MOST_REQUESTS,
    PLAYERS,
    ROUNDS,
    SECONDS,
    SPAWN,
    afters,
    cursor_of,
    page_statement,
    post,
)
from tests.bench.load import CLIENTS, load
from tests.bench.made_league import make_league
from tests.bench.measure import npm_installed, say
from tests.bench.recording import backends
from tests.bench.requests import Server, free_port, serving, wait_until_up

PROJECT = Path(__file__).parent / "postgraphile"
PEER = """
CREATE SCHEMA peer;
CREATE TYPE peer.place AS (
    rank integer, value double precision, matches integer, player_id text, display_name text
);
CREATE FUNCTION peer.board_page(below double precision) RETURNS SETOF peer.place LANGUAGE sql STABLE AS $peer$
    SELECT rank::integer, value, matches, id, name FROM ({statement}) AS places
$peer$;
"""
PAGE = """query Page($below: Float!) { boardPageList(below: $below) {
  rank value matches playerId displayName } }"""


class PageCost(Struct, frozen=True):
    """What a server did while clients asked for pages."""

    rate: float
    """Pages a second."""
    web: float
    """Milliseconds of CPU a page, in the server."""
    database: float
    """Milliseconds of CPU a page, in the sessions of PostgreSQL."""


def bench_postgraphile(hands: int = HANDS, players: int = PLAYERS) -> None:
    """Print the medians of the rounds, both in turn."""
    with (
        tempfile.TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder) / "data"), prepare=True) as league,
    ):
        if not npm_installed(PROJECT, Path(folder)):
            say("board pages: PostGraphile is not there: it needs npm\n")
            return
        league.create("Bench", "UTC", "bench")
        make_league(league, hands, players)
        league.project(rebuild=True)
        with psycopg.connect(league.database.url, autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")
        database = engine(league.database.url)
        make_peer(league, database)
        with (
            postgraphile(league.database.url, Path(folder)) as peer,
            serving(DATABASE_URL=league.database.url, LOG_LEVEL="error", RATE_LIMIT="100000000") as ours,
        ):
            check_equal(ours, peer, next(afters(database)))
            say_found(measured(league, database, ours, peer))
        database.dispose()


def make_peer(league: League, database: Engine) -> None:
    """Make the function that PostGraphile calls: the statement of the API, with the value after which a page begins."""
    statement, parameters = page_statement(database)
    with psycopg.connect(league.database.url, autocommit=True) as conn:
        conn.execute(f"SET search_path = {SEARCH_PATH}".encode())
        text = psycopg.ClientCursor(conn).mogrify(statement.replace("%(after)s", "below"), parameters)
        conn.execute(PEER.format(statement=text).encode())


@contextmanager
def postgraphile(url: str, folder: Path) -> Iterator[Server]:
    """PostGraphile in a process of its own, over the schema `peer`."""
    port, server = free_port(), folder / "server.mjs"
    server.write_bytes((PROJECT / "server.mjs").read_bytes())
    with subprocess.Popen(["node", server, url_of_node(url), str(port)], stderr=subprocess.DEVNULL) as running:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as http:
                wait_until_up(http, running)
                yield Server(psutil.Process(running.pid), http, port)
        finally:
            running.terminate()


def url_of_node(url: str) -> str:
    """The URL as node's client reads it, with the settings of the API's own connections."""
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    user, password, database = (quote(parts.pop(name, "")) for name in ("user", "password", "dbname"))
    given = {**parts, "options": f"-c search_path={SEARCH_PATH.replace(' ', '')} -c jit=off"}
    who = f"{user}:{password}" if password else user
    return f"postgresql://{who}@/{database}?{urlencode(given, quote_via=quote)}"


def check_equal(ours: Server, peer: Server, after: float) -> None:
    """Both give the same places."""
    nodes = ours.post(BOARD, {"after": cursor_of(after)}).json()["data"]["board"]["places"]["nodes"]
    places = [{**node.pop("player"), **node} for node in nodes]
    theirs = peer.post(PAGE, {"below": after}).json()
    assert theirs == {"data": {"boardPageList": places}}, theirs


def measured(league: League, database: Engine, ours: Server, peer: Server) -> dict[str, list[PageCost]]:
    """The rounds of both; the first one warms up and does not count."""
    values = afters(database)
    asked: dict[str, tuple[Server, Iterator[bytes]]] = {
        "the API": (ours, (post(BOARD, after=cursor_of(after)) for after in values)),
        "PostGraphile": (peer, (post(PAGE, below=after) for after in values)),
    }
    found: dict[str, list[PageCost]] = {name: [] for name in asked}
    with ProcessPoolExecutor(1, SPAWN) as apart, psycopg.connect(league.database.url, autocommit=True) as conn:
        for number in range(ROUNDS + 1):
            for name, (server, requests) in asked.items():
                cost = round_of(conn, server, list(islice(requests, MOST_REQUESTS)), apart)
                if number > 0:
                    found[name].append(cost)
    return found


def round_of(
    conn: psycopg.Connection[Any], server: Server, requests: list[bytes], apart: ProcessPoolExecutor
) -> PageCost:
    """One round of one server."""
    web, database = server.cpu(), backends(conn)
    done = apart.submit(load, server.port, requests, SECONDS).result()
    after = backends(conn)
    pages = done.rate * SECONDS
    used = sum(seconds - database.get(pid, 0.0) for pid, seconds in after.items())
    return PageCost(done.rate, (server.cpu() - web) / pages * 1000, used / pages * 1000)


def say_found(found: dict[str, list[PageCost]]) -> None:
    """Print the medians, and the ratios of the API to the peer."""

    def median(name: str, of: Callable[[PageCost], float]) -> float:
        return statistics.median(of(cost) for cost in found[name])

    def rate(name: str) -> float:
        return median(name, lambda cost: cost.rate)

    def cpu(name: str) -> float:
        return median(name, lambda cost: cost.web + cost.database)

    say(f"board pages{'pages/s':>20}{'web ms':>9}{'database ms':>13}   of 50 places, {CLIENTS} clients")
    for name in found:
        web, database = median(name, lambda cost: cost.web), median(name, lambda cost: cost.database)
        say(f"  {name:<20}{rate(name):>9,.0f}{web:>9.2f}{database:>13.2f}")
    ours, peer = found
    ratios = f"{rate(ours) / rate(peer):.2f} of its pages a second, {cpu(ours) / cpu(peer):.2f} of its CPU a page"
    say(f"  to PostGraphile: {ratios}\n")


if __name__ == "__main__":
    bench_postgraphile()
