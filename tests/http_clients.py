"""HTTP clients of servers on this machine."""

from __future__ import annotations

import ssl

import httpx
from waiting import LIMIT

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A context without certificates: reading those of the system takes 20 ms of CPU a client."""


def http_client(port: int) -> httpx.Client:
    """A client of the server at a port."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT, verify=NO_TLS)
