"""Cached answers equal fresh ones whatever happens to the league, in several processes that share only the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from random import Random
from typing import Any

import httpx
import psycopg
import pytest
from leagues import PLAYERS, announced, league_at, revised
from leagues import send as send_to
from prometheus_client.parser import text_string_to_metric_families
from served_by_workers import Running
from waiting import wait_until

from league.api.graphql.live.listening import LISTENER
from league.application.bootstrap import League
from league.domain.match import VoidMatch
from league.domain.player import ErasePlayer, MovePlayer, RenamePlayer
from league.domain.refusals import Refusal
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.replays.replay import ReplayPeriod, replay

pytestmark = pytest.mark.heavy

STEPS = 6
QUERIES = (
    "{ board { places(first: 20) { nodes { rank value matches player { displayName region } } } } }",
    "{ players { nodes { displayName journal { nodes { cause before after } } ratings { mode value } } } }",
    "{ matches(first: 50) { nodes { matchId status score winner seats { player { displayName } } } } }",
    "{ editions { nodes { number title } } timeline { start edition { number hash } } }",
)
RULES = ("rating.start = 1600", "rating.cap = false", "rulesets.cuban-150.target = 100")


class Happenings:
    """Things that happen to the league, by chance; it may refuse them."""

    def __init__(self, league: League, rng: Random) -> None:
        self._league, self._rng = league, rng
        self._url = league.database.url
        self._count = 0

    def happen(self) -> None:
        """Let something happen."""
        match, rename, erase, void, promote, keep, back, cut = (
            self._match, self._rename, self._erase, self._void, self._promote, self._keep, self._roll_back, self._cut,
        )  # fmt: skip
        anything: list[Callable[[], Any]] = (
            [match] * 5 + [rename] * 2 + [erase, void, promote, promote, keep, back, cut]
        )
        self._count += 1
        try:
            self._rng.choice(anything)()
        except Refusal:
            return

    def _send(self, *commands: Any) -> None:
        send_to(self._league, *commands)

    def _match(self) -> None:
        self._send(announced(f"m{self._count}", self._rng.sample(PLAYERS, 2), self._rng.randrange(100)))

    def _rename(self) -> None:
        player = self._rng.choice(PLAYERS)
        self._send(RenamePlayer(player, f"Name {self._count}"), MovePlayer(player, self._rng.choice(["Here", None])))

    def _erase(self) -> None:
        self._send(ErasePlayer(self._rng.choice(PLAYERS)))

    def _void(self) -> None:
        self._send(VoidMatch(f"m{self._rng.randrange(self._count)}", "by chance"))

    def _keep(self) -> int:
        return replay(self._url, revised(self._rng.choice(RULES)), ReplayPeriod())

    def _promote(self) -> None:
        self._league.promoter.promote(self._keep(), AppendRequest("admin", "manual"))

    def _roll_back(self) -> None:
        self._league.promoter.roll_back(AppendRequest("admin", "manual"))

    def _cut(self) -> None:
        with psycopg.connect(self._url) as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = %s AND datname = current_database()", [LISTENER],
            )  # fmt: skip


@pytest.fixture
def state(league_url: str) -> Iterator[Callable[[], Any]]:
    """The state of the read side."""
    with connect(league_url, autocommit=True) as conn:
        yield lambda: conn.execute("SELECT read_state()").fetchone()


def ask(client: httpx.Client, query: str) -> Any:
    """The data of an answer without errors."""
    response = client.post("/graphql", json={"query": query})
    assert "errors" not in response.json(), response.text
    return response.json()["data"]


def ask_afresh(client: httpx.Client, query: str) -> Any:
    """The data computed anew in another snapshot: one fresh field keeps a whole answer out of the cache."""
    data = ask(client, query.replace("{", "{ league { name }", 1))
    del data["league"]
    return data


def hits(client: httpx.Client) -> float:
    """How many answers were sent from the cache."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    samples = (sample for family in families for sample in family.samples)
    return sum(s.value for s in samples if s.name == "league_kept_answers_total" and s.labels["result"] == "hit")


def test_cached_answers_equal_fresh_ones(
    workers: Running, league_url: str, state: Callable[[], Any], rng: Random
) -> None:
    """While events come in, they are compared after a fresh answer of the same process; at the end, after a moment."""
    with ExitStack() as opened:
        league = opened.enter_context(league_at(league_url))
        happenings, writer = Happenings(league, rng), opened.enter_context(ThreadPoolExecutor(1))
        clients = opened.enter_context(workers.clients())
        compared = 0
        for _ in range(STEPS):
            happening: Future[None] = writer.submit(happenings.happen)
            while not happening.done():
                client, query, before = rng.choice(clients), rng.choice(QUERIES), state()
                ask(client, query)
                fresh, cached = ask_afresh(client, query), ask(client, query)
                if state() == before:
                    assert cached == fresh
                    compared += 1
            happening.result()
            wait_until(lambda: league.reached() >= league.store.head())
            for query in QUERIES:
                fresh = ask_afresh(clients[0], query)
                for client in reversed(clients):
                    wait_until(lambda client=client, query=query, fresh=fresh: ask(client, query) == fresh)
        assert compared > 0
        assert hits(clients[0]) > STEPS
