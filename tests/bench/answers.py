"""How many answers a second the API gives, and how soon, beside a plain endpoint that answers the same board page."""

from __future__ import annotations

import json
import multiprocessing
import statistics
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from itertools import count, cycle, islice, repeat
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import httpx
import msgspec
import psycopg
from msgspec import Struct
from sqlalchemy import Engine, event, text

from league.application.bootstrap import League, clock, open_league
from league.domain.match import OpenMatch, RecordHand
from league.infra.database import engine
from league.infra.settings import Settings
from league.projections.boards.board import BoardKey
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import PlaceRow, read_places, read_places_with_players
from league.projections.queries.snapshot import Snapshot, take_snapshot
from tests.bench.load import CLIENTS, Load, load
from tests.bench.made_league import RULESET, made_hand, make_league
from tests.bench.measure import say
from tests.bench.requests import Server, free_port, serving, wait_until_up

SPAWN = multiprocessing.get_context("spawn")
GLOBAL = BoardKey("global")
HANDS, PLAYERS = 40_000, 5_000
"""The size of the league."""
FEW_HANDS, FEW_PLAYERS = 20_000, 200
"""The size of the small league."""
PAGE = 50
ROUNDS = 5
SECONDS = 2.0
"""How long a round asks each question."""
MOST_REQUESTS = 6_000
"""Limit on the requests of one question in one round. Each request differs from the others."""
PAUSE = 1.0
"""Seconds between two events, where some arrive."""
PEER_NEEDS = ("orjson", "uvloop")

TARGETS = (
    """  wanted: a kept page 1.0 with at most the peer's p99, 0.5 while events arrive; a fresh page 0.2, better 0.37"""
)

BOARD = """query Page($after: String) { board { places(first: 50, after: $after) { nodes {
  rank value matches player { playerId displayName } } } } }"""
MATCH = """query Match($id: ID!) { match(id: $id) { matchId status score terms { rule points }
  seats { player { displayName } } hands { number winner points terms { rule points } leftover { pips } } } }"""
PROFILE = """query Profile($id: ID!, $points: Int!) { player(id: $id) { displayName ratings { mode value }
  ratingSeries(points: $points) { points { decidedAt rating } } } }"""
CHANGE = """query Why($match: ID!, $of: ID!) { ratingChange(match: $match, of: $of) { before after explanation {
  statement value terms { name value text facts { name value } } } } }"""


class Question(Struct):
    """Something that clients ask under load."""

    name: str
    port: int
    requests: Iterator[bytes]
    """Endless."""
    beside: bool = False
    """Whether an event a second arrives meanwhile."""
    found: list[Load] = []


def bench_answers() -> None:
    """Print how many requests a second each question is answered, and how soon, as a ratio to the peer's."""
    if missing := [name for name in PEER_NEEDS if find_spec(name) is None]:
        say(f"answers: the peer needs {', '.join(missing)}: not installed\n")
        return
    say(f"answers: a page of {PAGE} places and others, {CLIENTS} clients, medians of {ROUNDS} rounds")
    ask_league(HANDS, PLAYERS, questions_to)
    ask_league(FEW_HANDS, FEW_PLAYERS, pages_of)
    say(TARGETS + "\n")


def ask_league(hands: int, players: int, wanted: Callable[[Engine, int, int], Iterator[Question]]) -> None:
    """Make a league, ask it and the peer, and print what was found."""
    with TemporaryDirectory(prefix="league-bench-") as folder:
        data = Path(folder) / "data"
        with open_league(Settings(data_dir=data), prepare=True) as league:
            league.create("Bench", "UTC", "bench")
            make_league(league, hands, players)
            league.project()
            with psycopg.connect(league.database.url, autocommit=True) as conn:
                # PostgreSQL does so by itself within a minute, and then reads a page from the index alone.
                conn.execute("VACUUM ANALYZE")
            database = engine(league.database.url)
            with peer(league, page_statement(database)) as peer_port, serving(DATA_DIR=str(data)) as server:
                check_equal(server, peer_port, next(afters(database)))
                questions = list(wanted(database, peer_port, server.port))
                measure(questions, data)
            database.dispose()
    say_found(f"a league of {players:,} players and {hands:,} hands", questions)


def pages_of(database: Engine, peer_port: int, port: int) -> Iterator[Question]:
    """A board page of the peer, and the same of the API, where no request is repeated."""
    yield Question("peer: a board page", peer_port, map(peer_request, afters(database)))
    yield Question("a fresh board page", port, (post(BOARD, after=cursor_of(after)) for after in afters(database)))


def questions_to(database: Engine, peer_port: int, port: int) -> Iterator[Question]:
    """What is asked under load. No request is repeated, except of a kept page."""
    yield from pages_of(database, peer_port, port)
    same = post(BOARD, after=cursor_of(next(afters(database))))
    yield Question("a kept board page", port, repeat(same))
    yield Question("  an event a second", port, repeat(same), beside=True)
    documents = (BOARD.replace("Page", f"Page{number}") for number in count())
    cursor = cursor_of(next(afters(database)))
    yield Question("a fresh page, another document", port, (post(document, after=cursor) for document in documents))
    with database.connect() as conn:
        changes = conn.execute(text("SELECT match_id, id FROM changes JOIN official_run USING (run)")).all()
        players = conn.execute(text("SELECT player_id FROM players")).scalars().all()
    matches = dict.fromkeys(match for match, _ in changes)
    profiles = ((player, most) for most in count(100) for player in players)
    yield Question("a match with hands and terms", port, (post(MATCH, id=match) for match in cycle(matches)))
    yield Question("a profile with its series", port, (post(PROFILE, id=id_, points=most) for id_, most in profiles))
    yield Question("a change explained", port, (post(CHANGE, match=match, of=of) for match, of in cycle(changes)))


def measure(questions: Sequence[Question], data: Path) -> None:
    """Ask each question in turn, several times over; the first round warms up and does not count."""
    with ProcessPoolExecutor(1, SPAWN) as apart:
        for number in range(ROUNDS + 1):
            for question in questions:
                asked = list(islice(question.requests, MOST_REQUESTS))
                with writing(data) if question.beside else nullcontext():
                    found = apart.submit(load, question.port, asked, SECONDS).result()
                if number > 0:
                    question.found = [*question.found, found]


def say_found(league: str, questions: Sequence[Question]) -> None:
    """The medians of all rounds."""
    say(f"  {league}\n  {'':<32}{'requests/s':>12}{'to peer':>9}{'p50 ms':>9}{'p99 ms':>9}")
    peer_rate = statistics.median(found.rate for found in questions[0].found)
    for question in questions:
        rate = statistics.median(found.rate for found in question.found)
        p50 = statistics.median(found.p50 for found in question.found)
        p99 = statistics.median(found.p99 for found in question.found)
        say(f"  {question.name:<32}{rate:>12,.0f}{rate / peer_rate:>9.3f}{p50:>9.1f}{p99:>9.1f}")


def post(query: str, **variables: Any) -> bytes:
    """A request with an operation."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    head = f"POST /graphql HTTP/1.1\r\nHost: league\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def peer_request(after: float) -> bytes:
    """A request for the page of the peer that begins after this rating."""
    return f"GET /board?after={after!r} HTTP/1.1\r\nHost: peer\r\n\r\n".encode()


def afters(database: Engine) -> Iterator[float]:
    """Values after each of which a whole page of the board follows, of established players; endless, seeded."""
    with reading(database) as snapshot:
        highest = read_places(snapshot, PlaceRow, GLOBAL, PageRequest(1)).rows[0]
        last = read_places(snapshot, PlaceRow, GLOBAL, PageRequest(PAGE)).rows[-1]
    random = Random(1)
    while True:
        yield random.uniform(highest.below, last.below)


def cursor_of(after: float) -> str:
    """The cursor of a place of this value, which nobody needs to have."""
    return urlsafe_b64encode(msgspec.json.encode(("provisional,below,id", False, after, ""))).decode().rstrip("=")


def page_statement(database: Engine) -> tuple[str, dict[str, Any]]:
    """The statement by which the API reads a page after the value `after`, and its other parameters."""
    marker = 0.0625
    with reading(database) as snapshot:
        executed: list[tuple[str, dict[str, Any]]] = []
        event.listen(database, "before_cursor_execute", lambda *called: executed.append((called[2], called[3])))
        read_places_with_players(snapshot, PlaceRow, GLOBAL, PageRequest(PAGE, cursor_of(marker)))
    statement, parameters = next(one for one in executed if marker in one[1].values())
    name = next(name for name, value in parameters.items() if value == marker)
    places = statement.replace(f"%({name})s", "%(after)s")
    wanted = f"SELECT rank, value, matches, id, name FROM ({places}) AS page LIMIT {PAGE}"  # noqa: S608  # its own text
    return wanted, {key: value for key, value in parameters.items() if key != name}


@contextmanager
def reading(database: Engine) -> Iterator[Snapshot]:
    """The league as the API reads it."""
    snapshot = take_snapshot(database)
    try:
        yield snapshot
    finally:
        snapshot.conn.close()


@contextmanager
def peer(league: League, statement: tuple[str, dict[str, Any]]) -> Iterator[int]:
    """The peer, in a process of its own; its port."""
    port = free_port()
    with NamedTemporaryFile("w", suffix=".json") as asked:
        asked.write(json.dumps(statement, default=str))
        asked.flush()
        command = [sys.executable, "-m", "tests.bench.peer", league.database.url, str(port), asked.name]
        with subprocess.Popen(command) as running:
            try:
                with httpx.Client(base_url=f"http://127.0.0.1:{port}") as http:
                    wait_until_up(http, running)
                yield port
            finally:
                running.terminate()


def check_equal(server: Server, peer_port: int, after: float) -> None:
    """The peer gives the data that the API gives."""
    ours = server.post(BOARD, {"after": cursor_of(after)}).json()
    theirs = httpx.get(f"http://127.0.0.1:{peer_port}/board", params={"after": repr(after)}).json()
    assert ours["data"] == theirs["data"], "the peer answers something else"
    assert len(ours["data"]["board"]["places"]["nodes"]) == PAGE


@contextmanager
def writing(data: Path) -> Iterator[None]:
    """A process that records a hand a second."""
    ended = SPAWN.Event()
    process = SPAWN.Process(target=keep_writing, args=(data, ended))
    process.start()
    try:
        yield
    finally:
        ended.set()
        process.join()


def keep_writing(data: Path, ended: Event) -> None:
    """Record one hand after the other, in matches of many hands."""
    random = Random()
    with open_league(Settings(data_dir=data), prepare=False) as league:
        for number in count():
            if number % 20 == 0:
                match = f"beside-{clock():%H%M%S%f}"
                seats = tuple(f"p{player:05}" for player in random.sample(range(PLAYERS), 2))
                league.dispatcher.send(OpenMatch(match, RULESET, "1v1", "casual", seats), "bench")
            league.dispatcher.send(RecordHand(match, made_hand(number % 2, 5, 2, random).facts), "bench")
            if ended.wait(PAUSE):
                return
