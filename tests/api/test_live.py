"""Live updates over a WebSocket and as server-sent events."""

from __future__ import annotations

import json
from typing import Any

import jwt
import psycopg
import pytest
from api_server import Served, heard, subscribe, token
from waiting import LIMIT, wait_until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from league.api.graphql.live import open_sessions
from league.api.graphql.live.listening import Live
from league.eventlog.recorder import RIGHTS_CHANGED

KEEPER = token("scorekeeper")

BOARD = """subscription { boardChanged(kind: ONE_ON_ONE) { kind places(first: 10) {
  nodes { shown matches player { playerId name region } } } } }"""
MATCH = "subscription ($m: ID!) { matchChanged(match: $m) { status score hands { number points } } }"


def result(small: Served, match: str, *seats: str) -> None:
    """A match that is known by its result."""
    asked = {"matchId": match, "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": list(seats)}
    assert "position" in small.do("openMatch", KEEPER, **asked)
    assert "position" in small.do("recordResult", KEEPER, match=match, announced={"winner": 0, "score": [150, 90]})


def test_a_board_that_a_match_moves_is_sent_again(small: Served) -> None:
    """First the board as it is, then as the match has left it, with players and regions."""
    with small.socket() as socket:
        subscribe(socket, BOARD)
        assert heard(socket)["boardChanged"]["places"]["nodes"] == []
        result(small, "live-1", "ana", "bea")
        nodes = heard(socket)["boardChanged"]["places"]["nodes"]
        assert {node["player"]["playerId"]: node["matches"] for node in nodes} == {"ana": 1, "bea": 1}
        assert {node["player"]["region"] for node in nodes} == {"Matanzas"}
        # A commit that changes nothing on the board sends nothing: the next message comes from the next match.
        registered = small.do("registerPlayer", KEEPER, name="Somebody")["position"]
        wait_until(lambda: small.league.reached() >= int(registered))
        result(small, "live-5", "ana", "bea")
        nodes = heard(socket)["boardChanged"]["places"]["nodes"]
        assert {node["player"]["playerId"]: node["matches"] for node in nodes} == {"ana": 2, "bea": 2}


def test_a_match_is_followed_hand_by_hand(small: Served) -> None:
    """Each hand, the end, and what is said later."""
    asked = {"matchId": "live-2", "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["cira", "dora"]}
    small.do("openMatch", KEEPER, **asked)
    with small.socket(KEEPER) as socket:
        subscribe(socket, MATCH, m="live-2")
        states = [heard(socket)["matchChanged"]]
        facts: Any = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 80}]}
        for _ in range(2):
            small.do("recordHand", KEEPER, match="live-2", facts=facts)
            states.append(heard(socket)["matchChanged"])
        small.do("voidMatch", KEEPER, match="live-2", reason="a test")
        states.append(heard(socket)["matchChanged"])
    seen = [(state["status"], state["score"]) for state in states]
    assert seen == [("OPEN", [0, 0]), ("OPEN", [80, 0]), ("COMPLETED", [160, 0]), ("VOIDED", None)]


def test_queries_and_mutations_go_over_the_socket_too(small: Served) -> None:
    """Each operation has a context of its own, with the token of the connection."""
    with small.socket(token("player", sub="ana")) as socket:
        for text, data in (
            ("{ viewer { sub player { name } } }", {"viewer": {"sub": "ana", "player": {"name": "Ana"}}}),
            (
                'mutation { movePlayer(input: {player: "ana"}) { ... on PlayerSuccess { player { region } } } }',
                {"movePlayer": {"player": {"region": None}}},
            ),
        ):
            subscribe(socket, text)
            assert heard(socket) == data
            assert json.loads(socket.recv(LIMIT)) == {"id": "1", "type": "complete"}


def test_a_socket_with_a_bad_token_is_closed(small: Served) -> None:
    """4403, before anything is asked."""
    with pytest.raises(ConnectionClosed) as closed, small.socket("nonsense"):
        pass
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403


def revoke_unheard(small: Served, bearer: str, *then: str) -> None:
    """Revoke a token in the database alone, without the notification, and execute more statements."""
    jti = jwt.decode(bearer, options={"verify_signature": False})["jti"]
    with psycopg.connect(small.league.database.url, autocommit=True) as connection:
        connection.execute("INSERT INTO revoked_tokens (jti) VALUES (%s)", [jti])
        for statement in then:
            connection.execute(statement)


def test_a_token_that_was_taken_back_is_no_good_on_an_open_socket(
    small: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every operation looks again while the server does not hear of changes, so that none closes the socket."""
    monkeypatch.setattr(open_sessions, "EVERY", LIMIT)
    # The server waits with the usual pause still. It takes the longer one after the change that closes this socket.
    other = token("scorekeeper", sub="heard")
    with small.socket(other) as socket:
        revoke_unheard(small, other, RIGHTS_CHANGED)
        with pytest.raises(ConnectionClosed):
            socket.recv(LIMIT)
    bearer = token("scorekeeper", sub="lost")
    monkeypatch.setattr(Live, "is_listening", False)
    with small.socket(bearer) as socket:
        revoke_unheard(small, bearer)
        subscribe(socket, 'mutation { movePlayer(input: {player: "ana"}) { ... on UserError { code } } }')
        message = json.loads(socket.recv(LIMIT))
    assert (message["type"], message["payload"][0]["extensions"]) == ("error", {"code": "UNAUTHENTICATED"})


@pytest.mark.heavy
def test_a_broken_connection_of_the_listener_is_replaced(small: Served) -> None:
    """Live updates go on after the database has dropped it."""
    with psycopg.connect(small.league.database.url, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'league-listener'"
            " AND datname = current_database()"
        ).fetchall()
    assert ended == [(True,)]
    with small.socket() as socket:
        subscribe(socket, BOARD)
        heard(socket)
        result(small, "live-4", "flor", "cira")
        assert heard(socket)["boardChanged"]


def test_only_the_current_protocol_is_spoken(small: Served) -> None:
    """The old `graphql-ws` is turned away."""
    url = f"ws://127.0.0.1:{small.port}/graphql"
    with connect(url, subprotocols=["graphql-ws"]) as socket:  # type: ignore[list-item]
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(LIMIT)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4406


def test_server_sent_events_have_a_path_of_their_own(small: Served) -> None:
    """Clients that cannot open a socket use it."""
    headers = {"Accept": "text/event-stream"}
    with small.http.stream("POST", "/graphql/stream", json={"query": BOARD}, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = (line for line in response.iter_lines() if line.startswith("data:"))
        assert json.loads(next(lines).removeprefix("data:"))["data"]["boardChanged"]["kind"] == "ONE_ON_ONE"
        result(small, "live-3", "eva", "flor")
        places = json.loads(next(lines).removeprefix("data:"))["data"]["boardChanged"]["places"]
        assert {"eva", "flor"} <= {node["player"]["playerId"] for node in places["nodes"]}
