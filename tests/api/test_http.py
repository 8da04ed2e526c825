"""GraphQL over HTTP: methods, media types, status codes, ids of requests, and what load balancers ask."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest
import structlog
from api_server import ORIGIN, Served, served, token
from leagues import league_at
from starlette.requests import Request
from structlog.testing import capture_logs
from structlog.typing import EventDict
from waiting import wait_until

from league.api.graphql.executing.operations import for_log
from league.api.graphql.shaping.loaders import players
from league.api.server import monitoring
from league.api.server.monitoring import Readiness
from league.application.following import WITHOUT
from league.infra.outages import DatabaseProbe

NEW = "application/graphql-response+json"


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("{ regions }", 200),
        ("{ regions", 400),
        ("{ nothing }", 400),
        ("query ($n: Int!) { edition(number: $n) { hash } }", 400),
        ('{ players(first: 1, after: "x") { totalCount } }', 200),
    ],
)
def test_status_codes_are_real_for_those_who_know_the_media_type(season: Served, query: str, status: int) -> None:
    """400 for what could not be executed, with the new media type; else 200 as ever."""
    response = season.post(query, headers={"Accept": NEW})
    assert (response.status_code, response.headers["content-type"]) == (status, NEW)
    assert ("data" in response.json()) == (status == 200)
    old = season.post(query)
    assert (old.status_code, old.headers["content-type"]) == (200, "application/json")


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"Authorization": "Bearer nonsense"}, b'{"query": "{ regions }"}', 401),
        ({}, b"no JSON", 400),
        ({"Content-Type": "text/plain"}, b'{"query": "{ regions }"}', 400),
        ({}, b" " * 300_000, 413),
    ],
    ids=["token", "body", "type", "size"],
)
@pytest.mark.parametrize("accept", [NEW, "application/json", "*/*"])
def test_refusals_have_the_media_type_that_was_asked_for(
    small: Served, headers: dict[str, str], content: bytes, status: int, accept: str
) -> None:
    """Also those before GraphQL begins."""
    sent = {"Content-Type": "application/json", "Accept": accept, **headers}
    response = small.http.post("/graphql", content=content, headers=sent)
    assert response.status_code == status
    assert response.headers["content-type"] == (NEW if accept == NEW else "application/json")
    assert response.json()["errors"][0]["extensions"]["code"]


def test_a_query_may_come_by_get_and_a_mutation_may_not(season: Served) -> None:
    """A link never writes."""
    got = season.http.get("/graphql", params={"query": "{ league { name } }"})
    assert got.json()["data"] == {"league": {"name": "Liga"}}
    text = 'mutation { voidMatch(input: {match: "c-0001", reason: "r"}) { __typename } }'
    refused = season.http.get("/graphql", params={"query": text})
    assert refused.status_code == 400
    assert "errors" in refused.json()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b'{"query": 1}', b"[]", b'"x"', b"1", b"null", b'{"query": "\xff"}', b"1" * 5_000,
        b'{"query": "{ regions }", "variables": 1}', b'{"query": "{ regions }", "variables": {"a": NaN}}',
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_with_400_in_json(season: Served, content: bytes) -> None:
    """No JSON, no UTF-8, no object, or other types than those of a request."""
    response = season.http.post("/graphql", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


def test_every_request_is_logged_with_its_status(season: Served, logs: list[EventDict]) -> None:
    """Also one that is no request."""
    for content in (b'"x"', b"1", b'{"query": "\xff"}'):
        season.http.post("/graphql", content=content, headers={"Content-Type": "application/json"})
    wait_until(lambda: sum(line["event"] == "request" for line in logs) >= 3)  # one more: of the test before
    assert {line["status"] for line in logs if line["event"] == "request"} == {400}


def test_the_log_has_a_part_of_a_long_name_of_an_operation(season: Served, logs: list[EventDict]) -> None:
    """Clients choose it: one of 32 KB would fill the log."""
    season.post(f"query {'N' * 30_000} {{ __typename }}")
    wait_until(lambda: any(str(line.get("operation")).startswith("NN") for line in logs))
    assert "N" * 63 + "…" in [line.get("operation") for line in logs]


@pytest.mark.parametrize(
    ("name", "logged"),
    [
        ("Standings", "Standings"),
        ("a\nb\x1b[31m\u202e", "a\\nb\\x1b[31m\\u202e"),
        ("\x1b" * 1_000, "\\x1b" * 15 + "\\x1" + "…"),
        ("\ud800", "\\ud800"),
    ],
    ids=["plain", "control characters", "many of them", "half a character"],
)
def test_names_are_escaped_for_the_log(name: str, logged: str) -> None:
    """A terminal may show it."""
    assert for_log(name) == logged


def test_of_two_operations_one_has_to_be_named(small: Served) -> None:
    """Without a name nothing is executed, also not the first one."""
    text = 'mutation A { registerPlayer(input: {playerId: "two-ops", name: "T"}) { __typename } } query B { regions }'
    headers = {"Authorization": f"Bearer {token('admin')}"}
    response = small.http.post("/graphql", json={"query": text}, headers=headers)
    assert response.status_code == 400
    assert "operationName" in response.json()["errors"][0]["message"]
    assert small.ask('{ player(id: "two-ops") { name } }') == {"player": None}
    named = small.http.post("/graphql", json={"query": text, "operationName": "B"}, headers=headers)
    assert "regions" in named.json()["data"]


@pytest.mark.parametrize("name", [{}, [], 1, True])
def test_the_name_of_an_operation_is_a_text(season: Served, name: object) -> None:
    """Anything else is the client's fault."""
    accept = {"Accept": "application/graphql-response+json"}
    response = season.http.post("/graphql", json={"query": "{ __typename }", "operationName": name}, headers=accept)
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


def test_browsers_are_given_graphiql(season: Served) -> None:
    """At the address of the API, and by the front page."""
    page = season.http.get("/", headers={"Accept": "text/html"}, follow_redirects=True)
    assert page.status_code == 200
    assert "GraphiQL" in page.text


def test_every_answer_has_an_id(season: Served) -> None:
    """The caller's id, if it is a sensible one."""
    ids = [season.http.get("/healthz").headers["X-Request-ID"] for _ in range(2)]
    assert ids[0] != ids[1]
    given = season.http.get("/healthz", headers={"X-Request-ID": "req-12345678"})
    assert given.headers["X-Request-ID"] == "req-12345678"
    odd = season.http.get("/healthz", headers={"X-Request-ID": 'x" onload="'})
    assert odd.headers["X-Request-ID"] != 'x" onload="'


def test_pages_of_listed_origins_may_ask(season: Served) -> None:
    """And no others."""
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, x-apollo-operation-name, traceparent",
    }
    allowed = season.http.options("/graphql", headers={"Origin": ORIGIN, **asked})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, ORIGIN)
    other = season.http.options("/graphql", headers={"Origin": "https://elsewhere.example", **asked})
    assert "access-control-allow-origin" not in other.headers


def test_healthz_and_readyz_say_how_it_is(season: Served) -> None:
    """Ready: reachable, migrated, created, and the read side close behind; and which processes it lacks."""
    assert season.http.get("/healthz").json() == {"status": "ok"}
    ready = season.http.get("/readyz")
    head = season.league.store.head()
    assert ready.status_code == 200
    assert ready.json() == {
        "ready": True, "database": True, "migrated": True, "league": True, "writable": True,
        "position": head, "head": head, "lag_seconds": 0.0, "projector": True, "worker": False,
        "missing": [WITHOUT["worker"]],
    }  # fmt: skip


def test_readyz_looks_once_however_many_ask(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for no token, and must not keep the threads of the queries busy."""
    looked = []

    def look(*_: object) -> dict[str, Any]:
        looked.append(1)
        return {"ready": len(looked) == 1}

    monkeypatch.setattr(monitoring, "look", look)
    monkeypatch.setattr(monitoring, "CACHED", 3_600.0)
    readiness = Readiness(DatabaseProbe(season.league.database.url), season.league.store, season.app.state.replicas)

    async def ask() -> list[int]:
        request = Request({"type": "http"})
        together = await asyncio.gather(*(readiness.answer(request) for _ in range(8)))
        monkeypatch.setattr(monitoring, "CACHED", 0.0)
        return [response.status_code for response in (*together, await readiness.answer(request))]

    assert asyncio.run(ask()) == [200] * 8 + [503]
    assert len(looked) == 2


NO_ROOM = """
    CREATE FUNCTION league.no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON league.stored_events EXECUTE FUNCTION league.no_room();
"""


def readiness(server: Served) -> tuple[int, bool]:
    """The status of `/readyz`, and whether the database takes writes."""
    response = server.http.get("/readyz")
    return response.status_code, response.json()["writable"]


@pytest.mark.heavy
def test_a_full_disk_is_told_and_the_league_is_not_ready_until_there_is_room(league_url: str) -> None:
    """After a write that failed; a write that is rolled back finds out that there is room again."""
    with league_at(league_url) as league, served(league_url) as server:
        wait_until(lambda: server.http.get("/readyz").status_code == 200)
        head = league.store.head()
        with psycopg.connect(league_url) as superuser:
            superuser.execute(NO_ROOM)
        assert server.http.get("/readyz").status_code == 200, "no write has failed yet"
        given = {"player": "ana", "name": "Anita", "idempotencyKey": "k"}
        text = "mutation ($input: RenamePlayerInput!) { renamePlayer(input: $input) { ... on Success { position } } }"
        error = server.error(text, token("admin"), input=given)
        assert error["extensions"]["code"] == "UNAVAILABLE"
        assert error["message"] == "The disk of the database is full, so nothing was stored; try again later."
        wait_until(lambda: readiness(server) == (503, False))
        with psycopg.connect(league_url) as superuser:
            superuser.execute("DROP TRIGGER no_room ON league.stored_events")
        wait_until(lambda: readiness(server) == (200, True))
        assert league.store.head() == head, "the probe left nothing"
        assert server.ask(text, token("admin"), input=given)["renamePlayer"]["position"] == str(head + 1)


@pytest.mark.heavy
def test_a_league_that_is_not_there_is_not_ready(database_url: str) -> None:
    """503 with the figures; queries have empty answers, commands a typed refusal."""
    with served(database_url, projecting=False) as server:
        assert server.http.get("/healthz").status_code == 200
        ready = server.http.get("/readyz")
        assert (ready.status_code, ready.json()["league"], ready.json()["migrated"]) == (503, False, True)
        answer = server.ask("{ league { name } players { totalCount } board { places { nodes { rank } } } }")
        assert answer == {"league": None, "players": {"totalCount": 0}, "board": {"places": {"nodes": []}}}


def test_what_nobody_foresaw_is_masked(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client gets the id under which the log has the rest."""

    def fail(*_: object) -> None:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr(players, "players_by_id", fail)
    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        response = season.post('{ player(id: "p001") { name } }')
    error = response.json()["errors"][0]
    assert "swordfish" not in response.text
    assert error["path"] == ["player"]
    assert error["extensions"] == {"code": "INTERNAL", "requestId": response.headers["X-Request-ID"]}
    [line] = [line for line in logs if line["event"] == "unexpected error"]
    assert "swordfish" in str(line["exc_info"])
    assert line["request_id"] == response.headers["X-Request-ID"]


def test_a_batch_is_told_that_batches_are_not_supported(season: Served) -> None:
    """The message names what to send instead."""
    answer = season.http.post("/graphql", json=[{"query": "{ regions }"}])
    assert answer.status_code == 400
    assert "Batches" in answer.json()["errors"][0]["message"]
