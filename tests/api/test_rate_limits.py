"""How many points of query cost a client may spend in a minute."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, heard, served, subscribe, token
from graphql import get_introspection_query
from leagues import catch_up, found, league_at, own_database
from limits.aio.storage import MemoryStorage
from starlette.requests import HTTPConnection
from table_clients import CHANGES, TABLE
from waiting import LIMIT
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from league.api.graphql.executing import rate_limits
from league.api.graphql.executing.accounting import BYTES_A_POINT
from league.api.graphql.executing.documents import cost_of
from league.api.graphql.executing.limits import DEAREST, MUTATION
from league.api.graphql.executing.rate_limits import REFUSED, RateLimited, RateLimits, client_of
from league.api.schema import core
from league.api.server.endpoints import address_of

POINTS = 1_000
ANSWERED = '{"data":{"__typename":"Query"},"extensions":{"cost":1}}'


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the limits is at the 40th second of a minute."""
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_840.0)


@pytest.fixture(scope="module")
def strict(embedded_server: str) -> Iterator[Served]:
    """A league that gives each client 1,000 points a minute."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        with served(url, rate_limit=POINTS, projecting=False) as server:
            yield server


def ask(strict: Served, address: str, query: str = "{ __typename }", **more: str) -> Any:
    """The response to a client at an address, as a proxy on this machine forwards it."""
    return strict.http.post("/graphql", json={"query": query}, headers={"X-Forwarded-For": address, **more})


def left(response: Any) -> str:
    """The points that are left, from the header."""
    value: str = response.headers["RateLimit"]
    return value


def test_an_operation_takes_its_cost(strict: Served) -> None:
    """The headers of every answer tell how much is left, and until when."""
    query = "{ board { places(first: 20) { nodes { rank } } } }"
    cost = cost_of(core, query, None)
    response = ask(strict, "192.0.2.1", query)
    assert response.status_code == 200
    assert response.headers["RateLimit-Policy"] == '"points";q=1000;w=60'
    assert left(response) == f'"points";r={POINTS - cost};t=20'
    assert "Retry-After" not in response.headers


def test_an_admin_spends_a_tenth(strict: Served) -> None:
    """The laboratory asks again and again while a number is dragged; the price that is told is the same."""
    query = "{ board { places(first: 20) { nodes { rank } } } }"
    cost, taken = cost_of(core, query, None), -(-cost_of(core, query, None) // 10)
    response = ask(strict, "192.0.2.77", query, Authorization=f"Bearer {token('admin', sub='spender')}")
    assert response.headers["Query-Cost"] == f"{cost};taken={taken}"
    assert left(response) == f'"points";r={POINTS - taken};t=20'


def test_what_costs_more_than_is_left_is_refused(strict: Served) -> None:
    """With status 429 and a code; nothing is executed, whatever media type the client accepts."""
    dear = "{ players(first: 100) { nodes { playerId name region } } }"
    responses = [ask(strict, "192.0.2.2", f"{dear} # not cached: {number}") for number in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    refused = responses[-1]
    [error] = refused.json()["errors"]
    assert error["extensions"] == {"code": "RATE_LIMITED", "limit": POINTS, "retryAfter": 20}
    assert "data" not in refused.json()
    assert refused.headers["Retry-After"] == "20"
    again = ask(strict, "192.0.2.2", dear, Accept="application/graphql-response+json")
    assert (again.status_code, again.json()["errors"]) == (429, [error])
    # Another client is not concerned.
    assert ask(strict, "192.0.2.3").text == ANSWERED


@pytest.mark.heavy
def test_the_next_minute_begins_anew(strict: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all points."""
    while ask(strict, "192.0.2.4", "{ players(first: 100) { nodes { playerId } } }").status_code == 200:
        pass
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_860.0)
    assert left(ask(strict, "192.0.2.4")) == f'"points";r={POINTS - 1};t=60'


def test_refused_requests_cost_points_too(strict: Served) -> None:
    """Documents with faults, bodies that are none, tokens that are not accepted."""
    headers = {"X-Forwarded-For": "192.0.2.5"}
    ask(strict, "192.0.2.5", "{ nothing }")
    ask(strict, "192.0.2.5", "{")
    strict.http.post("/graphql", content="x", headers={**headers, "Content-Type": "application/json"})
    response = ask(strict, "192.0.2.5", Authorization="Bearer nonsense")
    assert (response.status_code, left(response)) == (401, f'"points";r={POINTS - 4 * REFUSED};t=20')
    while ask(strict, "192.0.2.5", Authorization="Bearer nonsense").status_code == 401:
        pass
    assert ask(strict, "192.0.2.5").status_code == 429


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "{ __typename }", "operationName": "Other"},
        {"query": "query A { __typename } query B { __typename }"},
        {"query": "subscription { boardsChanged { position } }"},
        {"query": ""},
        {"query": "{"},
        {"query": "{ nothing }"},
        {"query": 1},
    ],
    ids=["unknown name", "no name", "subscription", "nothing", "no GraphQL", "unknown field", "no text"],
)
def test_a_refused_request_is_charged_once(
    strict: Served, asked: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    """The operation charges it, or the endpoint if there is no operation."""
    headers = {"X-Forwarded-For": f"no address: {request.node.callspec.id}"}
    response = strict.http.post("/graphql", json=asked, headers=headers)
    assert left(response) == f'"points";r={POINTS - REFUSED};t=20'


def test_every_answer_tells_its_price(strict: Served) -> None:
    """The header also tells the points taken: one for a cached answer. Programs on this machine get it, too."""
    query = "{ board { places(first: 7) { nodes { rank } } } }"
    cost = cost_of(core, query, None)
    answers = [ask(strict, "192.0.2.40", query) for _ in range(2)]
    assert [one.headers["Query-Cost"] for one in answers] == [f"{cost};taken={cost}", f"{cost};taken=1"]
    assert [one.json()["extensions"] for one in answers] == [{"cost": cost}] * 2
    assert strict.http.post("/graphql", json={"query": query}).headers["Query-Cost"] == f"{cost};taken=1"
    faulty = ask(strict, "192.0.2.40", "{ nothing }")
    assert "Query-Cost" not in faulty.headers
    assert "extensions" not in faulty.json()


def test_an_answer_that_is_larger_than_its_cost_pays_for_takes_more(strict: Served) -> None:
    """How long some lists are is not known before they are read. It takes at most what the client has left."""
    headers = {"Authorization": f"Bearer {token('player', sub='reader of much')}"}
    query = '{ __type(name: "Match") { fields { description } } }'
    cost = cost_of(core, query, None)
    response = ask(strict, "192.0.2.41", query, **headers)
    paid = len(json.dumps(response.json()["data"], ensure_ascii=False, separators=(",", ":")).encode()) // BYTES_A_POINT
    assert paid > cost
    assert response.headers["Query-Cost"] == f"{cost};taken={paid}"
    assert left(response) == f'"points";r={POINTS - paid};t=20'
    limits = RateLimits(POINTS, None)
    limits.take("a", POINTS - 10)
    limits.take("a", 1_000_000)
    assert limits.allowance("a").remaining == 0


def test_each_mutation_of_a_document_takes_points_of_its_own() -> None:
    """What is added to the log stays there: to sit down and leave again and again is not for next to nothing."""
    sit, leave = 'takeSeat(input: {table: "x", seat: 0})', 'leaveSeat(input: {table: "x"})'
    many = " ".join(f"t{number}: {sit} {{ __typename }} l{number}: {leave} {{ __typename }}" for number in range(15))
    assert cost_of(core, f"mutation {{ {many} }}", None) > 30 * MUTATION
    assert cost_of(core, f"mutation {{ ...F }} fragment F on Mutation {{ {many} }}", None) > 30 * MUTATION


ENTER = "enterTournament(input: $input) { ... on UserError { code } }"


def enter_a_list(strict: Served, sub: str, *fields: str) -> Any:
    """The response to a scorekeeper who sends a list that costs more than a minute has, to each of some fields."""
    competitors = [{"players": ["ana"]}] * (POINTS // MUTATION + 1)
    document = f"mutation ($input: EnterTournamentInput!) {{ {' '.join(fields)} }}"
    asked = {"query": document, "variables": {"input": {"tournament": "none", "competitors": competitors}}}
    return strict.http.post("/graphql", json=asked, headers=of_keeper(sub))


def of_keeper(sub: str) -> dict[str, str]:
    return {"X-Forwarded-For": "192.0.2.1", "Authorization": f"Bearer {token('scorekeeper', sub=sub)}"}


@pytest.mark.parametrize("fields", [(ENTER,), (f"one: {ENTER}", f"other: {ENTER}")], ids=["one list", "two lists"])
def test_a_list_that_costs_more_than_the_limit_takes_a_whole_minute(strict: Served, fields: tuple[str, ...]) -> None:
    """The operation and the entries of its lists are one sum."""
    sub = f"lists-{len(fields)}"
    entering = enter_a_list(strict, sub, *fields)
    assert [one["code"] for one in entering.json()["data"].values()] == ["NOT_FOUND"] * len(fields)
    assert left(entering) == '"points";r=0;t=20'
    assert enter_a_list(strict, sub, *fields).status_code == 429


def test_a_list_that_costs_more_than_is_left_is_refused(strict: Served) -> None:
    """Also one that would take a whole minute: another operation has taken a part of this one."""
    ask(strict, "192.0.2.1", Authorization=of_keeper("late")["Authorization"])
    [error] = enter_a_list(strict, "late", ENTER).json()["errors"]
    assert error["extensions"]["code"] == "RATE_LIMITED"


def test_a_player_and_a_scorekeeper_remain_far_within_the_points_of_a_minute() -> None:
    """A move every two seconds, with 120 events that are heard; a hand every second."""
    move = "mutation ($i: PlayTileInput!) { playTile(input: $i) { ... on TableSuccess { table { ...T } } } } " + TABLE
    hand = "mutation ($i: RecordHandInput!) { recordHand(input: $i) { ... on Success { position } } }"
    assert 30 * cost_of(core, move, None) + 120 * cost_of(core, CHANGES, None) < 60_000 / 2
    assert 60 * cost_of(core, hand, None) < 60_000 / 5


@pytest.mark.heavy
def test_an_introspection_that_was_cached_takes_one_point(embedded_server: str) -> None:
    """Like other small answers: nothing is computed for it."""
    query = get_introspection_query() + "# of this test alone"
    cost = cost_of(core, query, None)
    with own_database(embedded_server) as url, served(url, rate_limit=2 * cost, projecting=False) as server:
        for remaining in (cost, cost - 1, cost - 2):
            assert left(ask(server, "192.0.2.1", query)) == f'"points";r={remaining};t=20'


def test_a_bad_token_costs_points_on_a_socket(strict: Served) -> None:
    """As it does over HTTP."""
    elsewhere: Any = {"subprotocols": ["graphql-transport-ws"], "additional_headers": {"X-Forwarded-For": "192.0.2.10"}}
    with connect(f"ws://127.0.0.1:{strict.port}/graphql", **elsewhere) as socket:
        socket.send('{"type": "connection_init", "payload": {"Authorization": "Bearer nonsense"}}')
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(LIMIT)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403
    assert left(ask(strict, "192.0.2.10")) == f'"points";r={POINTS - REFUSED - 1};t=20'


def test_refused_requests_for_metrics_cost_points(strict: Served) -> None:
    """Without a token, with a bad one or one that has not the role; then there is no answer until the next minute."""
    headers = {"X-Forwarded-For": "192.0.2.11"}
    bad = {**headers, "Authorization": "Bearer nonsense"}
    assert [strict.http.get("/metrics", headers=sent).status_code for sent in (headers, bad)] == [401, 401]
    assert left(ask(strict, "192.0.2.11")) == f'"points";r={POINTS - 2 * REFUSED - 1};t=20'
    while strict.http.get("/metrics", headers=bad).status_code == 401:
        pass
    assert ask(strict, "192.0.2.11").status_code == 429
    player = {**headers, "Authorization": f"Bearer {token('player', sub='pia')}"}
    assert strict.http.get("/metrics", headers=player).status_code == 403
    assert left(ask(strict, "192.0.2.12", Authorization=player["Authorization"])) == (
        f'"points";r={POINTS - REFUSED - 1};t=20'
    )


def test_tokens_have_points_of_their_own(strict: Served) -> None:
    """Counted by their subject, from wherever it asks."""
    anas, beas = (f"Bearer {token('player', sub=sub)}" for sub in ("ana", "bea"))
    assert left(ask(strict, "192.0.2.6", Authorization=anas)) == f'"points";r={POINTS - 1};t=20'
    assert left(ask(strict, "192.0.2.7", Authorization=anas)) == f'"points";r={POINTS - 2};t=20'
    assert left(ask(strict, "192.0.2.6", Authorization=beas)) == f'"points";r={POINTS - 1};t=20'
    assert left(ask(strict, "192.0.2.6")) == f'"points";r={POINTS - 1};t=20'


def test_only_what_a_trusted_proxy_adds_is_believed(strict: Served) -> None:
    """The last address that is no trusted proxy: those before it were written by the client."""
    assert left(ask(strict, "192.0.2.66, 192.0.2.8")) == f'"points";r={POINTS - 1};t=20'
    assert left(ask(strict, "192.0.2.67, 192.0.2.8, 127.0.0.1")) == f'"points";r={POINTS - 2};t=20'


def test_this_machine_is_not_limited(strict: Served) -> None:
    """A program on it can reach the database anyway."""
    for _ in range(5):
        response = strict.http.post("/graphql", json={"query": "{ players(first: 100) { nodes { playerId name } } }"})
        assert response.status_code == 200
        assert "RateLimit" not in response.headers


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.1, 127.0.0.1", "::1", "[::1]:80", ""])
def test_a_forwarded_loopback_address_is_limited(strict: Served, address: str) -> None:
    """A client can write it itself, or a proxy on another machine can forward it."""
    assert "RateLimit" in ask(strict, address).headers


def test_a_socket_gets_an_error_for_the_operation(strict: Served) -> None:
    """It stays open, and the error tells when to try again."""
    url = f"ws://127.0.0.1:{strict.port}/graphql"
    settings: Any = {"subprotocols": ["graphql-transport-ws"], "additional_headers": {"X-Forwarded-For": "192.0.2.9"}}
    with connect(url, **settings) as socket:
        socket.send('{"type": "connection_init"}')
        assert json.loads(socket.recv(LIMIT))["type"] == "connection_ack"
        kinds = []
        for _ in range(4):
            subscribe(socket, "{ players(first: 100) { nodes { playerId name region } } }")
            message = json.loads(socket.recv(LIMIT))
            kinds.append(message["type"])
            if message["type"] == "next":
                assert json.loads(socket.recv(LIMIT))["type"] == "complete"
    assert kinds == ["next", "next", "error", "error"]
    assert message["payload"][0]["extensions"] == {"code": "RATE_LIMITED", "limit": POINTS, "retryAfter": 20}


BOARD = """subscription { boardChanged(kind: ONE_ON_ONE) { kind places(first: 10) {
  nodes { shown matches player { playerId name region } } } } }"""


@pytest.mark.heavy
def test_each_result_of_a_subscription_takes_its_cost(embedded_server: str) -> None:
    """When there are too few points for a result, the subscription ends with an error in place of it."""
    cost = cost_of(core, BOARD, None)
    elsewhere: Any = {"subprotocols": ["graphql-transport-ws"], "additional_headers": {"X-Forwarded-For": "192.0.2.1"}}
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
        with served(url, rate_limit=2 * cost + 1) as server:
            with connect(f"ws://127.0.0.1:{server.port}/graphql", **elsewhere) as socket:
                socket.send('{"type": "connection_init"}')
                assert json.loads(socket.recv(LIMIT))["type"] == "connection_ack"
                subscribe(socket, BOARD)
                assert json.loads(socket.recv(LIMIT))["payload"]["extensions"] == {"cost": cost}
                one_on_one(server, "m-1")
                assert heard(socket)["boardChanged"]
                one_on_one(server, "m-2")
                refused, end = (json.loads(socket.recv(LIMIT)) for _ in range(2))
            left_over = ask(server, "192.0.2.1").headers["RateLimit"]
    assert refused["payload"]["data"] is None
    [error] = refused["payload"]["errors"]
    assert error["extensions"] == {"code": "RATE_LIMITED", "limit": 2 * cost + 1, "retryAfter": 20}
    assert end == {"id": "1", "type": "complete"}
    assert left_over == '"points";r=0;t=20'


def one_on_one(served: Served, match: str) -> None:
    """A match that is known by its result."""
    keeper = token("scorekeeper")
    opened = {"matchId": match, "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"]}
    assert "position" in served.do("openMatch", keeper, **opened)
    result = {"winner": 0, "score": [150, 90]}
    assert "position" in served.do("recordResult", keeper, match=match, announced=result)


def test_the_dearest_operation_is_allowed_in_a_fresh_minute() -> None:
    """Also where the limit is below its cost: then it takes the whole minute."""
    limits = RateLimits(POINTS, None)
    limits.spend("a", DEAREST)
    assert limits.allowance("a").remaining == 0
    limits.spend("b", 1)
    for remaining in (POINTS - 1 - REFUSED, POINTS - 1 - 2 * REFUSED):  # a refusal does not take all that is left
        with pytest.raises(RateLimited):
            limits.spend("b", DEAREST)
        assert limits.allowance("b").remaining == remaining
    with pytest.raises(RateLimited):
        limits.spend("a", 1)


def test_processes_add_up_what_their_clients_spend() -> None:
    """Through Redis, replaced here by an in-memory storage of the same library."""

    async def exchange() -> tuple[int, int]:
        shared = MemoryStorage()
        here, there = (RateLimits(POINTS, "redis://shared") for _ in range(2))
        here.spend("a", 600)
        there.spend("a", 300)
        for limits in (here, there, here):
            await limits.exchange(shared)
            limits.spend("b", 1)
        there.spend("a", 50)
        here.spend("a", 10)
        for limits in (there, here, there):
            await limits.exchange(shared)
        return here.allowance("a").remaining, there.allowance("a").remaining

    here, there = asyncio.run(exchange())
    assert (here, there) == (40, 50)


def test_a_redis_that_is_away_leaves_the_count_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exchange goes on trying."""
    monkeypatch.setattr(rate_limits, "SHARE_EVERY", 0.01)
    limits = RateLimits(POINTS, "redis://127.0.0.1:1/0")

    async def spend() -> int:
        sharing = asyncio.create_task(limits.share())
        for _ in range(20):
            limits.spend("a", 10)
            await asyncio.sleep(0.01)
        assert not sharing.done()
        sharing.cancel()
        return limits.allowance("a").remaining

    assert asyncio.run(spend()) == POINTS - 200


@pytest.mark.parametrize(
    ("sub", "address", "client"),
    [
        (None, "192.0.2.1", "peer 192.0.2.1"),
        ("ana", "192.0.2.1", "sub ana"),
        (None, "2001:db8:1:2:3:4:5:6", "peer 2001:db8:1:2::/64"),
        (None, "::ffff:192.0.2.1", "peer 192.0.2.1"),
        (None, "unknown", "peer unknown"),
        (None, "127.0.0.1", "peer 127.0.0.1"),
        ("ana", "unknown", "sub ana"),
        (None, "x" * 100, "peer " + "x" * 64),
        (None, "", "peer "),
    ],
)
def test_clients_are_named(sub: str | None, address: str, client: str) -> None:
    """Clients are named by subject, otherwise by network; an IPv6 client has all addresses of its network."""
    assert client_of(sub, address) == client


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("127.0.0.1", None, None),
        ("127.0.0.9", None, None),
        ("::1", None, None),
        ("::ffff:127.0.0.1", None, None),
        (None, None, None),
        ("192.0.2.1", None, "192.0.2.1"),
        ("unknown", None, "unknown"),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("::1", "::1", "::1"),
        (None, "127.0.0.1", ""),
    ],
)
def test_this_machine_is_known_by_a_connection_without_a_proxy(
    peer: str | None, forwarded: str | None, address: str | None
) -> None:
    """A Unix socket or a loopback address; a request that a proxy forwards never comes from this machine."""
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "headers": headers, "client": None if peer is None else (peer, 1)}
    assert address_of(HTTPConnection(scope)) == address
