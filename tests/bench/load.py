"""A load generator: clients that keep their connection and send the next request when they have the answer.

It reads no more of an answer than its status and its length, so that it is never what limits a server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from itertools import cycle

from msgspec import Struct

CLIENTS = 16


class Load(Struct, frozen=True):
    """What a server did under load."""

    rate: float
    """Requests a second."""
    p50: float
    """Milliseconds."""
    p99: float
    """Milliseconds."""


def load(port: int, requests: Sequence[bytes], seconds: float) -> Load:
    """Send these requests in turn, again and again, to a server on this machine; for longer if none is answered."""
    return asyncio.run(_load(port, requests, seconds))


async def _load(port: int, requests: Sequence[bytes], seconds: float) -> Load:
    loop = asyncio.get_running_loop()
    waiting, latencies = cycle(requests), list[float]()
    clients = [
        (await loop.create_connection(lambda: Client(waiting, latencies), "127.0.0.1", port))[1] for _ in range(CLIENTS)
    ]
    started = time.perf_counter()
    await asyncio.sleep(seconds)
    await clients[0].answered.wait()
    took, counted = time.perf_counter() - started, sorted(latencies)
    for client in clients:
        client.leave()
    faults = [client.fault for client in clients if client.fault is not None]
    assert not faults, faults[0]
    return Load(len(counted) / took, _percentile(counted, 0.5) * 1000, _percentile(counted, 0.99) * 1000)


def _percentile(values: Sequence[float], part: float) -> float:
    return values[min(int(len(values) * part), len(values) - 1)]


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, waiting: Iterator[bytes], latencies: list[float]) -> None:
        self._waiting, self._latencies = waiting, latencies
        self._missing = 0
        self._sent_at = 0.0
        self._left = False
        self.answered = asyncio.Event()
        self.fault: bytes | None = None
        """An answer that is not a success, or what else went wrong."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as asyncio calls it
        """Send the first request."""
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        """Part of an answer; after the last one send the next request."""
        if self._missing == 0:
            head, _, body = data.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200") or b'"errors":' in body:
                self.fault = self.fault or data
                self.answered.set()
                return
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            self._missing = int(length) - len(body)
        else:
            self._missing -= len(data)
        if self._missing == 0:
            self._latencies.append(time.perf_counter() - self._sent_at)
            self.answered.set()
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        """Only as this side wishes."""
        if not self._left:
            self.fault = self.fault or b"the server closed the connection"
            self.answered.set()

    def leave(self) -> None:
        """Close the connection."""
        self._left = True
        self._transport.abort()

    def _send(self) -> None:
        if not self._left:
            self._sent_at = time.perf_counter()
            self._transport.write(next(self._waiting))
