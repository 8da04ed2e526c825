"""WebSockets whose token ends, whose messages are no messages, or whose client does not read."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

import jwt
import pytest
from api_server import Served, heard, subscribe, token
from waiting import LIMIT, wait_until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from league.api.graphql.executing import operations
from league.api.graphql.live.open_sessions import AT_ONCE
from league.api.server.http import MOST_OPERATIONS
from league.api.server.web import DeadlineWebSocket

BOARDS = "subscription { boardsChanged { position } }"
EVERYTHING = "{ __schema { types { fields { name description args { name description } } } } }"


def end_of(socket: ClientConnection) -> tuple[int, str]:
    """Read until the server closes the socket, and return the code and the reason."""
    with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012  # what still comes before the end is read
        while True:
            socket.recv(LIMIT)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


def revoke(small: Served, bearer: str) -> None:
    """Take a token back."""
    text = "mutation ($id: String!) { revokeToken(input: {tokenId: $id}) { __typename } }"
    jti = jwt.decode(bearer, options={"verify_signature": False})["jti"]
    assert small.ask(text, token("admin"), id=jti)["revokeToken"]["__typename"] == "TokenSuccess"


@pytest.mark.heavy
def test_sockets_and_streams_end_when_their_token_expires(small: Served) -> None:
    """A socket with code 4403: clients ask for their token again; a stream of events with an error."""
    bearer = token("scorekeeper", lifetime=4.0)  # so much that both are open before it ends
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {bearer}"}
    with (
        small.socket(bearer) as socket,
        small.http.stream("POST", "/graphql/stream", json={"query": BOARDS}, headers=headers) as response,
    ):
        subscribe(socket, BOARDS)
        assert heard(socket)["boardsChanged"]
        lines = response.iter_lines()
        events = [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip()]
        assert end_of(socket) == (4403, "the token has expired")
    first, last = events
    assert first["data"]["boardsChanged"]
    assert last["errors"][0]["message"] == "the token has expired"
    assert last["errors"][0]["extensions"] == {"code": "UNAUTHENTICATED"}


def test_a_socket_ends_when_its_token_is_revoked(small: Served) -> None:
    """Also one on which nothing runs."""
    bearer = token("scorekeeper", sub="lost")
    with small.socket(bearer) as running, small.socket(bearer) as idle, small.socket(token("auditor")) as other:
        subscribe(running, BOARDS)
        assert heard(running)["boardsChanged"]
        revoke(small, bearer)
        assert end_of(running) == (4403, "the token was taken back")
        assert end_of(idle) == (4403, "the token was taken back")
        subscribe(other, "{ viewer { sub } }")
        assert heard(other) == {"viewer": {"sub": "kim"}}


def test_a_token_that_has_just_expired_opens_no_socket(small: Served) -> None:
    """Other requests have half a minute for clocks that differ; a socket would be opened and closed in turns."""
    with pytest.raises(ConnectionClosed) as closed, small.socket(token("scorekeeper", lifetime=-1.0)):
        pass
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403


@pytest.mark.parametrize(
    "message",
    [
        "[]",
        '"x"',
        "1",
        "null",
        "{",
        "{}",
        '{"type": 1}',
        '{"type": []}',
        '{"type": "subscribe", "id": "1", "payload": []}',
        '{"type": "subscribe", "id": "1", "payload": "x"}',
        '{"type": "subscribe", "id": "1"}',
        '{"type": "subscribe", "id": [], "payload": {"query": "{ __typename }"}}',
        '{"type": "subscribe", "id": "1", "payload": {}}',
        '{"type": "complete", "id": {}}',
        '{"type": "ping", "payload": 1}',
        b"\x00",
    ],
)
def test_what_is_no_message_closes_the_socket(small: Served, message: str | bytes) -> None:
    """With code 4400, as the protocol has it."""
    with small.socket() as socket:
        socket.send(message)
        code, _ = end_of(socket)
        assert code == 4400


def test_a_name_of_an_operation_that_is_no_text_is_an_error(small: Served) -> None:
    """As other faults of one operation are: the socket stays open."""
    with small.socket() as socket:
        payload = {"query": "{ __typename }", "operationName": {}}
        socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        message = json.loads(socket.recv(LIMIT))
    assert (message["type"], message["payload"][0]["extensions"]) == ("error", {"code": "BAD_REQUEST"})


@pytest.mark.parametrize("payload", ["[]", '"x"', "1", "null"])
def test_a_first_payload_that_is_no_object_closes_the_socket(small: Served, payload: str) -> None:
    """With the same code."""
    url = f"ws://127.0.0.1:{small.port}/graphql"
    with connect(url, subprotocols=["graphql-transport-ws"]) as socket:  # type: ignore[list-item]
        socket.send(f'{{"type": "connection_init", "payload": {payload}}}')
        code, _ = end_of(socket)
        assert code == 4400


def test_a_socket_has_at_most_a_hundred_operations_at_a_time(small: Served) -> None:
    """One more is refused with a code, and the others go on."""
    silent = 'subscription { matchChanged(match: "nobody-has-played-it") { status } }'
    with small.socket() as opened:
        for number in range(MOST_OPERATIONS + 1):
            payload = {"query": silent}
            opened.send(json.dumps({"id": str(number), "type": "subscribe", "payload": payload}))
        refused = json.loads(opened.recv(LIMIT))
        assert (refused["id"], refused["type"]) == (str(MOST_OPERATIONS), "error")
        assert refused["payload"][0]["extensions"] == {
            "code": "TOO_COMPLEX",
            "what": "operations on one socket",
            "has": MOST_OPERATIONS + 1,
            "most": MOST_OPERATIONS,
        }


def test_a_large_message_is_refused_at_its_head(small: Served) -> None:
    """With code 1009, before any of it has come."""
    with small.socket() as socket:
        text, masked_length_of_8_bytes, mask = 0x81, 0xFF, b"\0\0\0\0"
        socket.socket.sendall(struct.pack("!BBQ", text, masked_length_of_8_bytes, 256 * 1024 + 1) + mask)
        code, _ = end_of(socket)
        assert code == 1009


@pytest.fixture
def never_reading(small: Served) -> Any:
    """A socket whose client reads its first message and no further one, and whether the server still has it."""
    url = f"ws://127.0.0.1:{small.port}/graphql"
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", small.port))
        own = raw.getsockname()
        settings: Any = {"subprotocols": ["graphql-transport-ws"], "compression": None, "ping_interval": None}
        with connect(url, sock=raw, max_queue=1, close_timeout=0, **settings) as opened:
            opened.send('{"type": "connection_init"}')
            assert json.loads(opened.recv(LIMIT))["type"] == "connection_ack"
            connections = small.server.server_state.connections
            yield opened, lambda: any(one.client == own for one in list(connections))


def ask_often(socket: ClientConnection, times: int) -> None:
    """Ask for more than the buffers between client and server hold."""
    for number in range(times):
        message = {"id": str(number), "type": "subscribe", "payload": {"query": EVERYTHING}}
        socket.send(json.dumps(message))


def test_a_socket_that_never_reads_is_dropped(never_reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a deadline; what waited for it is gone with it."""
    monkeypatch.setattr(DeadlineWebSocket, "seconds_for_reading", 0.2)
    opened, is_there = never_reading
    ask_often(opened, 90)
    wait_until(lambda: not is_there())


def test_answers_that_are_not_read_hold_back_those_that_follow(
    small: Served, never_reading: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One socket has a few operations in work at once; what it does not read is not computed."""
    done: list[str] = []

    class Log:
        def info(self, event: str, **_: object) -> None:
            done.append(event)

    monkeypatch.setattr(operations, "log", Log())
    opened, is_there = never_reading
    ask_often(opened, 90)
    with small.socket() as other:
        for _ in range(100):
            subscribe(other, "{ __typename }")
            assert heard(other) == {"__typename": "Query"}
            assert json.loads(other.recv(LIMIT))["type"] == "complete"
    assert is_there()
    assert len(done) - 100 < 90 - AT_ONCE
