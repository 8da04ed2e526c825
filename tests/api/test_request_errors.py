"""What is wrong with a request, or in its way, has a code by which a program can tell what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest
from api_server import Served, served, subscribe, token
from leagues import catch_up, found, league_at, own_database
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier
from waiting import LIMIT

from league.api.auth.tokens import Tokens
from league.eventlog.recorder import StoreUnavailable

NEW = {"Accept": "application/graphql-response+json"}
BOARD = "subscription { boardChanged(kind: GLOBAL) { kind } }"
OPEN = "mutation ($input: OpenMatchInput!) { openMatch(input: $input) { __typename } }"
SEATS = '{matchId: "m", ruleset: "cuban-150", mode: ONE_ON_ONE}'

MALFORMED = [
    ("{ board {", "GRAPHQL_PARSE_FAILED"),
    ("{ nope }", "GRAPHQL_VALIDATION_FAILED"),
    ("{ board(kind: NOPE) { kind } }", "GRAPHQL_VALIDATION_FAILED"),
    ("mutation { openMatch(input: " + SEATS + ") { __typename } }", "GRAPHQL_VALIDATION_FAILED"),
    (OPEN, "GRAPHQL_VALIDATION_FAILED"),
]


@pytest.mark.parametrize("path", ["/graphql", "/graphql/stream"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_subscription_in_a_plain_request_is_told_where_to_go(season: Served, path: str, method: str) -> None:
    """One answer cannot hold it."""
    sent = {"params": {"query": BOARD}} if method == "GET" else {"json": {"query": BOARD}}
    response = season.http.request(method, path, **sent)  # type: ignore[arg-type]
    [error] = response.json()["errors"]
    assert (response.status_code, error["extensions"]["code"]) == (400, "BAD_REQUEST")
    assert "graphql-transport-ws" in error["message"]
    assert "/graphql/stream" in error["message"]
    assert "text/event-stream" in error["message"]


@pytest.mark.parametrize(("text", "code"), MALFORMED)
def test_a_malformed_document_has_the_code_that_clients_know(season: Served, text: str, code: str) -> None:
    """Also when it is asked again, and its faults are remembered."""
    for _ in range(2):
        error = season.error(text)
        assert error["extensions"] == {"code": code}
        assert error["locations"]


YESTERDAY = "not 'yesterday'"


@pytest.mark.parametrize(
    ("literal", "argument", "column", "said"),
    [
        ('playedAt: "yesterday"', "input.playedAt", 105, YESTERDAY),
        ("startingDraw: [[6, 6], [1]]", "input.startingDraw.1", 118, "not [1]"),
    ],
)
def test_a_literal_that_does_not_fit_a_scalar_names_its_argument(
    season: Served, literal: str, argument: str, column: int, said: str
) -> None:
    """The error has its path and its place in the document, as for GraphQL's own scalars."""
    given = f'{{matchId: "m", ruleset: "cuban-150", mode: ONE_ON_ONE, seats: [], {literal}}}'
    error = season.error("mutation { openMatch(input: " + given + ") { __typename } }")
    assert error["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED", "argument": argument}
    assert error["message"].startswith(f"`{argument}`: ")
    assert said in error["message"]
    assert error["locations"] == [{"line": 1, "column": column}]


def test_a_default_that_does_not_fit_a_scalar_names_its_variable(season: Served) -> None:
    """A variable has no argument yet."""
    error = season.error('query ($at: DateTime = "yesterday") { __typename @readFrom(asOf: $at) }')
    assert error["extensions"]["argument"] == "$at"


def test_a_variable_that_does_not_fit_a_scalar_names_its_path(season: Served) -> None:
    """In an input, and by itself."""
    given = {"matchId": "m", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": [], "playedAt": "yesterday"}
    error = season.error(OPEN, input=given)
    assert "'$input' has invalid value at .playedAt: " in error["message"]
    assert YESTERDAY in error["message"]
    assert error["locations"]


def test_variables_that_do_not_fit_have_it_too(season: Served) -> None:
    """A field that is missing in an input, and a value that an enum does not have."""
    error = season.error(OPEN, input={"matchId": "m", "mode": "ONE_ON_ONE"})
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    error = season.error("query ($k: BoardKind!) { board(kind: $k) { kind } }", k="NOPE")
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize(("text", "code"), MALFORMED)
def test_a_socket_says_it_as_well_and_stays_open(season: Served, text: str, code: str) -> None:
    """Its other subscriptions have done nothing wrong."""
    with season.socket() as socket:
        subscribe(socket, text)
        message = json.loads(socket.recv(LIMIT))
        # What only the execution finds comes as an answer, all else before it.
        errors = message["payload"] if message["type"] == "error" else message["payload"]["errors"]
        assert errors[0]["extensions"] == {"code": code}
        socket.send(json.dumps({"type": "ping"}))
        while json.loads(socket.recv(LIMIT))["type"] != "pong":
            pass


def test_a_stream_of_events_says_it_as_well(season: Served) -> None:
    """As its only event."""
    headers = {"Accept": "text/event-stream"}
    response = season.http.post("/graphql/stream", json={"query": "{ board {"}, headers=headers)
    [line] = [line for line in response.text.splitlines() if line.startswith("data: {")]
    assert json.loads(line.removeprefix("data:"))["errors"][0]["extensions"] == {"code": "GRAPHQL_PARSE_FAILED"}


@pytest.fixture(scope="module")
def away(embedded_server: str) -> Iterator[Served]:
    """A served league whose database has gone away."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        with served(url, projecting=False) as server:
            assert server.ask("{ players { totalCount } }")["players"]["totalCount"] == 6
            name = str(conninfo_to_dict(url)["dbname"])
            with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as connection:
                connection.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(Identifier(name)))
                connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            yield server


def test_a_database_that_is_away_is_said_to_be(away: Served) -> None:
    """Readers are told, with a status for clients that know the media type."""
    for headers, status in ((NEW, 503), ({}, 200)):
        response = away.post('{ player(id: "ana") { name } }', headers=headers)
        [error] = response.json()["errors"]
        assert (response.status_code, error["extensions"]["code"]) == (status, "UNAVAILABLE")
        assert "database cannot be reached" in error["message"]


def test_what_needs_no_database_is_answered_all_the_same(away: Served) -> None:
    """A part of an answer is an answer."""
    response = away.post('{ tileValue(tile: [5, 3]) player(id: "ana") { name } }', headers=NEW)
    assert response.status_code == 200
    assert response.json()["data"] == {"tileValue": 8, "player": None}


def test_a_bearer_is_told_that_the_database_is_away(away: Served) -> None:
    """Whether their token was taken back cannot be known."""
    response = away.post('{ player(id: "ana") { name } }', token("scorekeeper"))
    [error] = response.json()["errors"]
    assert (response.status_code, error["extensions"]["code"]) == (503, "UNAVAILABLE")


def test_a_socket_of_a_bearer_is_told_too(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the database goes away while it is open."""

    def fail(*_: object) -> None:
        raise psycopg.OperationalError("the connection to 10.0.0.7 was refused")

    with season.socket(token("scorekeeper")) as socket:
        monkeypatch.setattr(Tokens, "session", fail)
        subscribe(socket, "{ regions }")
        message = json.loads(socket.recv(LIMIT))
    assert (message["type"], message["payload"][0]["extensions"]) == (
        "error",
        {"code": "UNAVAILABLE", "reason": "UNREACHABLE"},
    )


def test_a_log_that_is_away_is_said_to_be(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers are told, too."""

    def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("the connection to 10.0.0.7 was refused")

    monkeypatch.setattr(season.league.dispatcher, "send_all", fail)
    text = 'mutation { movePlayer(input: {player: "p001"}) { __typename } }'
    response = season.post(text, token("scorekeeper"))
    assert response.json()["errors"][0]["extensions"]["code"] == "UNAVAILABLE"
    assert "10.0.0.7" not in response.text
