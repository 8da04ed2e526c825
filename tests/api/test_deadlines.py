"""Connections whose clients send or read too slowly, and too many of them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import httpx
import pytest
from api_server import Served
from http_clients import http_client
from strawberry.http.streaming import SSETransport
from waiting import LIMIT, wait_until

from league.api.server import web
from league.api.server.web import DeadlineProtocol

HEAD = b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"


@pytest.fixture
def hasty(small: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    """A server that waits for a fifth of a second only."""
    for name in ("seconds_for_head", "seconds_for_body", "seconds_for_reading"):
        monkeypatch.setattr(DeadlineProtocol, name, 0.2)
    return small


@pytest.fixture
def connection(hasty: Served) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=LIMIT) as made:
        yield made


def to_the_end(connection: socket.socket) -> bytes:
    """Everything that the server sends until it closes the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


def is_served(http: httpx.Client) -> bool:
    """Whether a request is answered. On a slow machine its own deadline may pass before it is sent."""
    with suppress(httpx.TransportError):
        return http.get("/healthz").status_code == 200
    return False


@pytest.mark.parametrize("sent", [b"", HEAD, HEAD + b'\r\n{"query": "{ regions'], ids=["nothing", "head", "body"])
def test_a_half_sent_request_is_closed(hasty: Served, connection: socket.socket, sent: bytes) -> None:
    """With status 408; others are answered meanwhile."""
    connection.sendall(sent)
    wait_until(lambda: is_served(hasty.http))
    assert to_the_end(connection).startswith(b"HTTP/1.1 408 ")


def test_a_second_request_has_a_deadline_too(connection: socket.socket) -> None:
    """Also one that comes in bit by bit: the deadline is for the whole head."""
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    connection.recv(65536)
    connection.sendall(b"GET /healthz HT")
    assert b" 408 " in to_the_end(connection)


@pytest.mark.parametrize("sent", [b"X: " + b"x" * 70_000, b"X: x\r\n" * 12_000], ids=["one", "many"])
def test_headers_that_are_too_large_are_refused(small: Served, sent: bytes) -> None:
    """With status 431, before they have ended."""
    with socket.create_connection(("127.0.0.1", small.port), timeout=LIMIT) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + sent)
        assert connection.recv(65536).startswith(b"HTTP/1.1 431 ")


def test_requests_that_were_sent_together_are_answered_in_turn(small: Served) -> None:
    """Each of them, however long their heads and bodies are together."""
    body = b'{"query": "{ __typename }"}'
    head = b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX: " + b"x" * 10_000
    request = head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with socket.create_connection(("127.0.0.1", small.port), timeout=LIMIT) as connection:
        connection.sendall(request * 20)
        answered = b""
        while answered.count(b"__typename") < 20:
            answered += (part := connection.recv(65536))
            assert part
    assert answered.count(b"HTTP/1.1 200 ") == 20


@pytest.mark.heavy
def test_an_answer_that_is_not_read_is_given_up(hasty: Served) -> None:
    """The connection is gone, and with it what waited in its buffers."""
    query = "{" + " ".join(f"a{n}: __schema {{ types {{ description }} }}" for n in range(20)) + "}"
    body = json.dumps({"query": query}).encode()
    head = f"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", hasty.port))
        own = slow.getsockname()
        connections = hasty.server.server_state.connections
        slow.sendall(head.encode() + body)
        wait_until(lambda: any(one.client == own for one in list(connections)))
        # One answer has 300 KB; together they are more than the system's buffers hold.
        slow.sendall((head.encode() + body) * 40)
        wait_until(lambda: all(one.client != own for one in list(connections)))
        received = b""
        with suppress(ConnectionResetError):
            while part := slow.recv(65536):
                received += part
        assert received.count(b"HTTP/1.1 200") < 41


@pytest.mark.heavy
def test_a_request_in_work_has_no_deadline(hasty: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream may be silent for longer than a head may take."""
    monkeypatch.setattr(SSETransport, "heartbeat_interval", property(lambda _: 1.0, lambda *_: None))  # instead of 15
    asked = {"query": "subscription { boardsChanged { position } }"}
    with hasty.http.stream("POST", "/graphql/stream", json=asked, headers={"Accept": "text/event-stream"}) as stream:
        lines = stream.iter_lines()
        assert any("position" in line for line in lines)
        for _ in range(3):  # fresh connections are served and closed meanwhile
            with socket.create_connection(("127.0.0.1", hasty.port), timeout=LIMIT) as other:
                to_the_end(other)
        assert any(line for line in lines)


def test_more_connections_than_files_are_refused(hasty: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once; those that are there already are served."""
    monkeypatch.setattr(DeadlineProtocol, "seconds_for_head", LIMIT)
    with http_client(hasty.port) as first, ExitStack() as others:
        assert first.get("/healthz").status_code == 200
        monkeypatch.setattr(web, "most_connections", lambda: 1)
        for _ in range(3):
            refused = others.enter_context(socket.create_connection(("127.0.0.1", hasty.port), timeout=LIMIT))
            assert refused.recv(1) == b""
        assert first.get("/healthz").status_code == 200
