"""Hears of every commit of the projector and of every change to a replay, for live updates and waiting readers."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import psycopg
import structlog

from league.application.jobs import CHANNEL as REPLAYS
from league.projections.projector import CHANNEL as COMMITS

PATIENCE = 1.0
"""Seconds after which a waiting reader looks for itself: a lost notification then costs no more than this."""

log = structlog.get_logger()


class Live:
    """One connection that listens, and everybody in this process who waits."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._next = {COMMITS: asyncio.Event(), REPLAYS: asyncio.Event()}

    async def listen(self) -> None:
        """Listen until cancelled; a connection that breaks is replaced."""
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    for channel in self._next:
                        await connection.execute(f"LISTEN {channel}")
                    for channel in self._next:
                        self._wake(channel)  # commits may have been missed before
                    async for heard in connection.notifies():
                        self._wake(heard.channel)
            except psycopg.Error as error:
                log.warning("listening broke off", error=str(error))
            await asyncio.sleep(PATIENCE)

    def next(self, channel: str = COMMITS) -> asyncio.Event:
        """What will be set by the next commit; take it before looking at the database, so that none is missed."""
        return self._next[channel]

    async def wait(self, commit: asyncio.Event, timeout: float = PATIENCE) -> None:  # noqa: ASYNC109  # giving up is an answer here
        """Wait for a commit, or a little while."""
        try:
            async with asyncio.timeout(timeout):
                await commit.wait()
        except TimeoutError:
            return

    async def reached(self, position: int, look: Callable[[], Awaitable[int]], timeout: float) -> int:  # noqa: ASYNC109  # giving up is an answer here
        """Wait up to `timeout` seconds until `look()` gives `position` or more. Returns what it gave last."""
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
