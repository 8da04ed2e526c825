"""Listens for commits of the projector and changes of replays, and wakes live updates and waiting readers."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import psycopg
import structlog

from league.application.jobs import CHANNEL as REPLAYS
from league.projections.projector import CHANNEL as COMMITS

PATIENCE = 1.0
"""Seconds after which a waiting reader reads without a notification: a lost one costs at most this."""

log = structlog.get_logger()


class Live:
    """One listening connection, and all waiting tasks of this process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._next = {COMMITS: asyncio.Event(), REPLAYS: asyncio.Event()}

    async def listen(self) -> None:
        """Listen until cancelled; reconnect when the connection breaks."""
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    for channel in self._next:
                        await connection.execute(f"LISTEN {channel}")
                    for channel in self._next:
                        self._wake(channel)  # commits may have been missed while disconnected
                    async for heard in connection.notifies():
                        self._wake(heard.channel)
            except psycopg.Error as error:
                log.warning("the listening connection broke", error=str(error))
            await asyncio.sleep(PATIENCE)

    def next(self, channel: str = COMMITS) -> asyncio.Event:
        """The event that the next commit sets; take it before reading the database, so that no commit is missed."""
        return self._next[channel]

    async def wait(self, commit: asyncio.Event, timeout: float = PATIENCE) -> None:  # noqa: ASYNC109  # giving up is an answer here
        """Wait for a commit, or until the timeout."""
        try:
            async with asyncio.timeout(timeout):
                await commit.wait()
        except TimeoutError:
            return

    async def reached(self, position: int, look: Callable[[], Awaitable[int]], timeout: float) -> int:  # noqa: ASYNC109  # giving up is an answer here
        """Wait up to `timeout` seconds until `look()` returns `position` or more. Returns its last result."""
        deadline = time.monotonic() + timeout
        while True:
            commit = self.next()
            reached = await look()
            remaining = deadline - time.monotonic()
            if reached >= position or remaining <= 0:
                return reached
            await self.wait(commit, min(remaining, PATIENCE))

    def _wake(self, channel: str) -> None:
        waiting, self._next[channel] = self._next[channel], asyncio.Event()
        waiting.set()
