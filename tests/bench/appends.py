"""How many events a second sessions append, beside `write_message` of Message DB in the same server.

Both are functions of the database that sessions call with an expected version, on streams of their own. Ours also
chains hashes, counts positions without gaps and stores the record of the request; Message DB locks a category, here
the only one.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from psycopg import Connection

from league.application.bootstrap import open_league
from league.eventlog.recorder import insert_next
from league.infra.database import ACT_AS_WRITER
from league.infra.settings import Settings
from tests.bench.measure import npm_installed, say

SESSIONS = (1, 8, 64)
EVENTS = 1_280
"""Events of a round, of all sessions together."""
ROUNDS = 5
STATE = b'{"actor":"bench","body":{"ended":{"by":"domino","seat":0},"leftover":[{"pips":0},{"pips":21}],"starter":0}}'
PROJECT = Path(__file__).parent / "message_db"
SCHEMA = ("schema/message-store", "types/message", "tables/messages")
INDEXES = ("indexes/messages-id", "indexes/messages-stream", "indexes/messages-category")
WRITE = "SELECT write_message(%s, %s, 'HandRecorded', %s::jsonb, NULL, %s)"

Append = Callable[["Connection[tuple[object, ...]]", str, int], None]
"""Appends an event to a stream, as this version of it, from 1."""


def bench_appends() -> None:
    """Print the medians of the rounds, both in turn."""
    with (
        tempfile.TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder) / "data"), prepare=True) as league,
    ):
        league.create("Bench", "UTC", "bench")
        url = league.database.url
        peer = message_db(url, Path(folder))
        say(f"appended events{'sessions':>12}{'events/s':>11}{'Message DB':>13}{'ratio':>8}")
        for sessions in SESSIONS:
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(rate(url, ACT_AS_WRITER, sessions, append))
                if peer:
                    theirs.append(rate(url, "SET search_path = message_store", sessions, write_message))
            own = statistics.median(ours)
            other = statistics.median(theirs) if theirs else None
            compared = f"{'-':>13}{'-':>8}" if other is None else f"{other:>13,.0f}{own / other:>8.2f}"
            say(f"{sessions:>27}{own:>11,.0f}{compared}")
        say("" if peer else "  Message DB is not there: it needs npm\n")


def append(connection: Connection[tuple[object, ...]], stream: str, version: int) -> None:
    """Ours."""
    events = [(f"match:{stream}", version, "hand-recorded/1", STATE)]
    insert_next(connection, events, ["bench", uuid.uuid4().hex, "hash"], channel="bench")


def write_message(connection: Connection[tuple[object, ...]], stream: str, version: int) -> None:
    """That of Message DB, whose versions begin at 0."""
    parameters = [str(uuid.uuid4()), f"match-{stream}", STATE.decode(), version - 2]
    connection.execute(WRITE, parameters, prepare=True)


def rate(url: str, configure: str, sessions: int, one: Append) -> float:
    """Events a second that so many sessions append, each to its own stream."""
    each, ready = EVENTS // sessions, threading.Barrier(sessions + 1)

    def work(connection: Connection[tuple[object, ...]]) -> None:
        stream = str(uuid.uuid4())
        one(connection, stream, 1)
        ready.wait()
        for version in range(2, each + 2):
            one(connection, stream, version)

    with connected(url, configure, sessions) as connections:
        threads = [threading.Thread(target=work, args=(connection,)) for connection in connections]
        for thread in threads:
            thread.start()
        ready.wait()
        started = time.perf_counter()
        for thread in threads:
            thread.join()
        return each * sessions / (time.perf_counter() - started)


@contextmanager
def connected(url: str, configure: str, sessions: int) -> Iterator[list[Connection[tuple[object, ...]]]]:
    """Sessions, each of them configured."""
    with ExitStack() as opened:
        connections = [opened.enter_context(psycopg.connect(url, autocommit=True)) for _ in range(sessions)]
        for connection in connections:
            connection.execute(configure.encode())
        yield connections


def message_db(url: str, folder: Path) -> bool:
    """Install Message DB into the database, from its package. Returns False without npm."""
    if not npm_installed(PROJECT, folder):
        return False
    sources = folder / "node_modules" / "@eventide" / "message-db" / "database"
    functions = sorted(path.relative_to(sources).with_suffix("") for path in sources.glob("functions/*.sql"))
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("SET check_function_bodies = off")
        for name in (*SCHEMA, *functions, *INDEXES):
            text = (sources / name).with_suffix(".sql").read_text(encoding="utf-8")
            conn.execute("SET search_path = message_store, public")
            conn.execute(text.encode())
    return True


if __name__ == "__main__":
    bench_appends()
