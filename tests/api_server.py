"""A league served for tests: a real server in a thread, a projector beside it, and clients to ask it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import psycopg
import uvicorn
from databases import lent
from http_clients import http_client, web_socket
from input_paths import check_paths
from leagues import league_at
from starlette.applications import Starlette
from waiting import LIMIT, wait_until
from websockets.sync.client import ClientConnection

from league.api.auth.tokens import issue_token
from league.api.server.app import create_app
from league.api.server.web import CreateApp, DeadlineWebSocket, uvicorn_config
from league.application.bootstrap import League
from league.application.following import follow
from league.application.jobs import Jobs
from league.infra.photo_store import photo_place
from league.infra.settings import Settings
from league.tables.api import live_tables

# Leagues that tests serve keep no clock of live tables: on a busy machine it would play for the players.
live_tables.keep_clock = lambda *_, **__: None  # type: ignore[assignment]

SECRET = "a secret of thirty-two characters"  # noqa: S105  # for tests
ORIGIN = "https://league.example"


@dataclass
class Served:
    """A league that is being served."""

    league: League
    app: Starlette
    port: int
    http: httpx.Client
    server: uvicorn.Server

    def post(
        self, query: str, token: str | None = None, headers: dict[str, str] | None = None, **variables: Any
    ) -> Any:
        """The whole response to an operation."""
        sent = {"Content-Type": "application/json", **(headers or {})}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        # Not by httpx, which cannot send halves of characters.
        content = json.dumps({"query": query, "variables": variables})
        response = self.http.post("/graphql", content=content, headers=sent)
        if response.headers.get("Content-Type", "").startswith("application/"):
            check_paths(query, response.json())
        return response

    def ask(self, query: str, token: str | None = None, **variables: Any) -> Any:
        """The data of an answer without errors. While the read side is behind, it asks again, as clients do."""

        def answered() -> Any:
            answer = self.post(query, token, **variables).json()
            behind = [error for error in answer.get("errors", []) if error["extensions"]["code"] == "NOT_YET_PROJECTED"]
            return None if behind else answer

        answer = wait_until(answered)
        assert "errors" not in answer, json.dumps(answer["errors"], indent=1)
        return answer["data"]

    def error(self, query: str, token: str | None = None, **variables: Any) -> Any:
        """The first error of an answer."""
        return self.post(query, token, **variables).json()["errors"][0]

    def do(self, mutation: str, token: str | None, fields: str = "", **given: Any) -> Any:
        """What a mutation answers; of errors everything that all of them have."""
        kind = mutation[0].upper() + mutation[1:]
        text = (
            f"mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input) {{ __typename "
            f"... on Success {{ position }} ... on UserError {{ code message field }} {fields} }} }}"
        )
        return self.ask(text, token, input=given)["it"]

    def follow(self, position: str) -> None:
        """Wait until the read side has followed the log to a position."""
        self.ask("query ($at: BigInt!) @readFrom(afterPosition: $at) { regions }", at=position)

    def lose_the_sockets(self) -> None:
        """Break all WebSockets off, as a network does."""
        for connection in list(self.server.server_state.connections):
            if isinstance(connection, DeadlineWebSocket):
                connection.loop.call_soon_threadsafe(connection.transport.abort)

    @contextmanager
    def socket(self, token: str | None = None) -> Iterator[ClientConnection]:
        """A WebSocket that has been let in."""
        with web_socket(self.port) as socket:
            payload = {} if token is None else {"Authorization": f"Bearer {token}"}
            socket.send(json.dumps({"type": "connection_init", "payload": payload}))
            assert json.loads(socket.recv(LIMIT))["type"] == "connection_ack"
            yield socket


def token(*roles: str, sub: str = "kim", lifetime: float = 86_400.0) -> str:
    """A token of the served league."""
    return issue_token(SECRET, sub, roles, lifetime)


def subscribe(socket: ClientConnection, query: str, **variables: Any) -> None:
    """Begin a subscription."""
    payload = {"query": query, "variables": variables}
    socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))


def heard(socket: ClientConnection, timeout: float = LIMIT) -> Any:
    """The data of the next message of a subscription."""
    message = json.loads(socket.recv(timeout))
    assert message["type"] == "next", message
    assert "errors" not in message["payload"], message
    return message["payload"]["data"]


@contextmanager
def served(
    url: str,
    *,
    create: CreateApp = create_app,
    jwks_url: str | None = None,
    projecting: bool = True,
    port: int = 0,
    **more: Any,
) -> Iterator[Served]:
    """Serve the league of a migrated database on a port; 0: a free one."""
    settings = Settings(
        database_url=url,
        secret=None if jwks_url else SECRET,
        jwks_url=jwks_url,
        cors_origins=(ORIGIN,),
        log_level="error",
        **more,
    )
    with league_at(url) as league:
        app = create(league, settings, Jobs(url, None, photo_place(settings)))
        config = uvicorn_config(app, settings)
        config.port = port
        config.ws_ping_interval = None  # on a busy machine a client may not answer in time
        server, ended = uvicorn.Server(config), threading.Event()
        threads = [threading.Thread(target=server.run)]
        if projecting:
            threads.append(threading.Thread(target=follow, args=(league, ended.is_set)))
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: server.started or not threads[0].is_alive())
            assert server.started
            bound = server.servers[0].sockets[0].getsockname()[1]
            with http_client(bound) as http:
                yield Served(league, app, bound, http, server)
        finally:
            server.should_exit = True
            ended.set()
            # Else the projector would wait on, for up to a second. Some tests have ended their server by now.
            with suppress(psycopg.OperationalError), lent(url, autocommit=True) as conn:
                conn.execute("NOTIFY stored_events")
            for thread in threads:
                thread.join()
