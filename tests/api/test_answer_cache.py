"""Cached answers: what is sent again, to whom, and what drops it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest
from api_server import Served, served, token
from databases import MIGRATED, copy_of
from leagues import SIXTY_MATCHES, SMALL_LEAGUE, catch_up, found, league_at, send
from psycopg.conninfo import conninfo_to_dict
from test_metrics import figures
from waiting import wait_until

from league.api.graphql.executing import answer_cache
from league.api.graphql.executing.answer_cache import AnswerCache, AnswerKey, AnswerRecord, is_cacheable
from league.api.graphql.executing.metrics import Metrics
from league.api.graphql.live.listening import LISTENER, Live
from league.api.schema import core
from league.domain.player import ErasePlayer, RenamePlayer
from league.projections.runs import ReadState

BOARD = "{ board { places(first: 3) { nodes { rank value player { displayName } } } } }"
NAMES = "{ players { nodes { playerId displayName } } }"
STATE = ReadState(1, 1, 10)


@pytest.fixture(scope="module")
def league(embedded_server: str) -> Iterator[Served]:
    """Sixty matches, served, to write into."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as server:
        yield server


def counted(league: Served, result: str) -> float:
    """How many cacheable answers were sent from the cache (`hit`) or computed (`miss`)."""
    return figures(league).get(("league_kept_answers_total", result), 0)


def asked_twice(league: Served, ask: Any) -> str:
    """Whether the second of two equal requests was a hit, a miss, or neither."""
    ask()
    before = {result: counted(league, result) for result in ("hit", "miss")}
    ask()
    return next((result for result, count in before.items() if counted(league, result) > count), "fresh")


def test_equal_requests_get_the_cached_answer(league: Served) -> None:
    """Byte for byte, also where the rows were not read again; with the media type that each asked for."""
    first = league.post(BOARD)
    assert asked_twice(league, lambda: league.post(BOARD)) == "hit"
    again = league.post(BOARD)
    assert (again.content, again.headers["content-type"]) == (first.content, "application/json")
    as_graphql = {"Accept": "application/graphql-response+json"}
    assert asked_twice(league, lambda: league.post(BOARD, headers=as_graphql)) == "hit"
    assert league.post(BOARD, headers=as_graphql).headers["content-type"] == "application/graphql-response+json"
    assert asked_twice(league, lambda: league.post(BOARD, variable=1)) == "hit"


@pytest.mark.parametrize(
    ("query", "with_token"),
    [
        (BOARD, True),
        ("{ board { kind } league { head } }", False),
        ("query @readFrom(run: 1) { board { places { nodes { rank } } } }", False),
        ("{ match(id: 1) { id } players(first: 1000) { nodes { id } } }", False),
        ("{ board { ", False),
    ],
)
def test_others_are_computed_each_time(league: Served, query: str, with_token: bool) -> None:
    """Answers with a token, with a fresh field, from a run that is not official, and with errors are never cached."""
    sent = token("admin") if with_token else None
    assert asked_twice(league, lambda: league.post(query, sent)) == "fresh"


def test_only_a_request_that_a_computed_answer_accepts_gets_a_cached_one(league: Served) -> None:
    """`text/plain` is what any page may send without asking the league first."""
    body = json.dumps({"query": BOARD}).encode()
    assert asked_twice(league, lambda: post_as(league, body, "application/json; charset=utf-8")) == "hit"
    assert post_as(league, body, "text/plain;application/json").status_code == 400


def post_as(league: Served, body: bytes, media_type: str) -> httpx.Response:
    """The answer to a request whose body says that it is of this media type."""
    return league.http.post("/graphql", content=body, headers={"Content-Type": media_type})


def test_an_event_drops_what_was_cached(league: Served) -> None:
    """The next answer is the one of the new state, and is cached as well."""
    assert asked_twice(league, lambda: league.post(NAMES)) == "hit"
    player = league.ask(NAMES)["players"]["nodes"][0]["playerId"]
    position = send(league.league, RenamePlayer(player, "Somebody Else"))
    after = "query ($position: BigInt) @readFrom(afterPosition: $position) { players { nodes { displayName } } }"
    assert league.ask(after, position=position)["players"]["nodes"][0]["displayName"] == "Somebody Else"
    assert league.ask(NAMES)["players"]["nodes"][0]["displayName"] == "Somebody Else"
    assert asked_twice(league, lambda: league.post(NAMES)) == "hit"


@pytest.mark.heavy
def test_an_erasure_drops_what_was_cached_before_it_is_projected(embedded_server: str) -> None:
    """Its transaction raises the generation, and no projector needs to run."""
    with (
        copy_of(embedded_server, SMALL_LEAGUE) as url,
        league_at(url) as small,
        served(url, projecting=False) as league,
    ):
        catch_up(small)
        wait_until(lambda: asked_twice(league, lambda: league.post(NAMES)) == "hit")
        player = league.ask(NAMES)["players"]["nodes"][0]
        send(small, ErasePlayer(player["playerId"]))
        wait_until(lambda: player["displayName"] not in league.post(NAMES).text)


@pytest.mark.heavy
def test_what_was_read_before_there_was_a_run_is_not_cached(embedded_server: str) -> None:
    """Nor when the process hears of the first run while it reads."""
    waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with (
        copy_of(embedded_server, MIGRATED) as url,
        league_at(url) as empty,
        served(url, projecting=False) as league,
        psycopg.connect(url, autocommit=True) as superuser,
        ThreadPoolExecutor(1) as apart,
    ):
        found(empty)
        with psycopg.connect(url) as blocks:
            blocks.execute("LOCK TABLE seasons IN ACCESS EXCLUSIVE MODE")
            reading = apart.submit(league.post, "{ seasons { nodes { name } } }")
            wait_until(lambda: superuser.execute(waits).rowcount)
            catch_up(empty)
            wait_until(lambda: asked_twice(league, lambda: league.post(NAMES)) == "hit")
            missed = counted(league, "miss")
        assert reading.result().json()["data"] == {"seasons": {"nodes": []}}
        assert counted(league, "miss") == missed


@pytest.mark.heavy
def test_a_process_that_does_not_listen_caches_nothing(embedded_server: str) -> None:
    """It computes each answer until it listens again and has read the state."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, projecting=False) as league:
        wait_until(lambda: asked_twice(league, lambda: league.post(NAMES)) == "hit")
        name = conninfo_to_dict(url)["dbname"]
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND datname = %s"
        with psycopg.connect(url, dbname="postgres", autocommit=True) as superuser:
            superuser.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
            superuser.execute(cut, [LISTENER, name])
            wait_until(lambda: figures(league)["league_kept_bytes",] == 0)
            assert asked_twice(league, lambda: league.post(NAMES)) == "miss"
            superuser.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())
        wait_until(lambda: asked_twice(league, lambda: league.post(NAMES)) == "hit")


def test_over_get_a_client_learns_that_nothing_has_changed(league: Served) -> None:
    """The entity tag is a hash of the body, for caches that ask each time; no cache may store an uncacheable answer."""
    first = league.http.get("/graphql", params={"query": BOARD})
    assert first.json()["data"]["board"]
    assert first.headers["Cache-Control"] == "public, no-cache"
    assert first.headers["Vary"].startswith("Accept, Accept-Encoding, Accept-Language, Authorization")
    for known in (first.headers["ETag"], f'"other", {first.headers["ETag"].removeprefix("W/")}', "*"):
        again = league.http.get("/graphql", params={"query": BOARD}, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    changed = league.http.get("/graphql", params={"query": BOARD}, headers={"If-None-Match": '"other"'})
    assert (changed.status_code, changed.content) == (200, first.content)
    fresh = league.http.get("/graphql", params={"query": "{ league { head } }"})
    viewed = league.http.get("/graphql", params={"query": BOARD}, headers={"Authorization": f"Bearer {token()}"})
    for response in (fresh, viewed, league.post(BOARD), league.http.get("/graphql", params={"query": "{"})):
        assert response.headers["Cache-Control"] == "no-store"
        assert "ETag" not in response.headers


@pytest.mark.heavy
def test_a_cached_answer_costs_a_point(embedded_server: str) -> None:
    """The first one costs what it takes; a client without points is refused both."""
    elsewhere = {"X-Forwarded-For": "192.0.2.1"}
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, rate_limit=200) as league:
        wait_until(lambda: asked_twice(league, lambda: league.post(NAMES)) == "hit")
        before = league.post("{ __typename }", headers=elsewhere).headers["RateLimit"]
        assert before.startswith('"points";r=199;')
        assert league.post(NAMES, headers=elsewhere).headers["RateLimit"].startswith('"points";r=198;')
        statuses = [league.post(NAMES, headers=elsewhere).status_code for _ in range(200)]
        assert statuses == [200] * 198 + [429] * 2


@pytest.mark.heavy
def test_equal_requests_wait_for_the_one_that_is_in_work(league: Served) -> None:
    """A request known to be cacheable is computed once in each state, however many ask at the same time."""
    league.post(NAMES)
    url, waits = league.league.database.url, "SELECT FROM pg_locks WHERE NOT granted"
    missed, hit = counted(league, "miss"), counted(league, "hit")
    with psycopg.connect(url, autocommit=True) as superuser, ThreadPoolExecutor(10) as apart:
        with psycopg.connect(url) as blocks:
            blocks.execute("LOCK TABLE players IN ACCESS EXCLUSIVE MODE")
            superuser.execute("SELECT raise_generation()")
            wait_until(lambda: figures(league)["league_kept_bytes",] == 0)
            asked = [apart.submit(league.post, NAMES) for _ in range(10)]
            wait_until(lambda: superuser.execute(waits).rowcount)
        assert len({answer.result().content for answer in asked}) == 1
    assert (counted(league, "miss"), counted(league, "hit")) == (missed + 1, hit + 9)


def test_whoever_asks_meanwhile_gets_the_same_answer() -> None:
    """Without computing it; unless a newer state was heard of before the request came."""

    async def run() -> None:
        live = Live("")
        live._is_listening = True
        live.hear_of(STATE)
        answers = AnswerCache(live, Metrics())
        asked = AnswerKey(is_get=False, content=b"{}", as_graphql=False, language="en")
        answered = AnswerRecord(STATE, None, (), 1)
        answers.add(asked, b"before", answered)
        live.hear_of(ReadState(1, 1, 11))
        assert answers.find(asked) is None
        with answers.in_work(asked) as in_work:
            waiting = asyncio.create_task(answers.wait(asked))
            await asyncio.sleep(0)
            live.hear_of(ReadState(1, 1, 12))
            assert await answers.wait(asked) is None
            in_work.set_result(answers.add(asked, b"between", AnswerRecord(ReadState(1, 1, 11), None, (), 1)))
        found = await waiting
        assert found is not None
        assert found.body == b"between"
        assert answers.find(asked) is None  # it is older than what was heard of

    asyncio.run(run())


def test_memory_is_bounded() -> None:
    """The answers that were asked for longest ago go first."""
    live = Live("")
    live._is_listening = True
    live.hear_of(STATE)
    answers = AnswerCache(live, Metrics(), most_bytes=10 * (answer_cache.OVERHEAD + 1_000))
    requests = [
        AnswerKey(is_get=False, content=str(number).encode(), as_graphql=False, language="en") for number in range(20)
    ]
    for asked in requests:
        answers.add(asked, b"." * 990, AnswerRecord(STATE, None, (), 1))
        answers.find(requests[0])
    assert [asked for asked in requests if answers.find(asked)] == [requests[0], *requests[-9:]]


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("Query.viewer", "{ viewer { sub } }"),
        ("Query.replays", "{ replays { nodes { number } } }"),
        ("Query.signedHead", "{ signedHead { position } }"),
        ("League.head", "{ league { head } }"),
        ("Player.series", '{ player(id: "p001") { series { month { month } } } }'),
    ],
)
def test_what_is_wrongly_declared_is_an_error(
    league: Served, monkeypatch: pytest.MonkeyPatch, field: str, query: str
) -> None:
    """A cacheable field gets neither viewer nor clock, and the database refuses tables that change without an event."""
    assert "errors" not in league.post(query).json()
    kind, name = field.split(".")
    resolver = core.type_map[kind].fields[name].extensions["strawberry-definition"].base_resolver.wrapped_func
    monkeypatch.setattr(resolver, "is_cacheable", True, raising=False)
    is_cacheable.cache_clear()
    try:
        assert league.error(query)["extensions"]["code"] == "INTERNAL"
    finally:
        is_cacheable.cache_clear()
