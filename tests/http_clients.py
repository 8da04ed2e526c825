"""HTTP clients of servers on this machine."""

from __future__ import annotations

import ssl

import httpx
from waiting import LIMIT

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""By default each client reads all certificates of the system, which takes 20 ms of CPU."""


def http_client(port: int) -> httpx.Client:
    """A client of the server at a port."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT, verify=NO_TLS)
