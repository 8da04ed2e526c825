"""HTTP and WebSocket clients of servers on this machine."""

from __future__ import annotations

import ssl
from typing import Any

import httpx
from waiting import LIMIT
from websockets.sync.client import ClientConnection, connect

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A context without certificates: reading those of the system takes 20 ms of CPU a client."""


def http_client(port: int) -> httpx.Client:
    """A client of the server at a port."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT, verify=NO_TLS)


def web_socket(port: int, **more: Any) -> ClientConnection:
    """A WebSocket of the API at a port.

    It takes in all that the server sends, whether the test reads it or not: else pings wait behind it.
    """
    url = f"ws://127.0.0.1:{port}/graphql"
    return connect(url, subprotocols=["graphql-transport-ws"], ping_interval=None, max_queue=None, **more)  # type: ignore[list-item]
