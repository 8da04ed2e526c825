"""A psycopg connection whose waits for the server can be awaited: blocking code then runs on an event loop.

Threads slow an event loop down: Python runs one of them at a time, and to change between them takes as long as a short
question does. So short questions to the database are better asked on the loop itself.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg.waiting import wait_async
from sqlalchemy.util.concurrency import await_, greenlet_spawn, in_greenlet

T = TypeVar("T")

INTERVAL = 0.1
"""Seconds after which a wait looks whether the program is interrupted; psycopg's own default."""


class AwaitableConnection(psycopg.Connection[TupleRow]):
    """Waits for the server as any connection does; within `on_event_loop` other tasks go on meanwhile."""

    def wait(self, gen: PQGen[T], interval: float = INTERVAL, timeout: float | None = None) -> T:
        """Wait until a command has its result."""
        if in_greenlet():
            return await_(wait_async(gen, self.pgconn.socket, interval, timeout))
        return super().wait(gen, interval, timeout)


def on_event_loop(work: Callable[[], T]) -> asyncio.Task[T]:
    """Do work that blocks only where an AwaitableConnection waits for its server. To connect blocks."""
    return asyncio.get_running_loop().create_task(greenlet_spawn(work))
