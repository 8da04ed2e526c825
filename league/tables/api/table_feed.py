"""The events of live tables, as they are stored, for the subscriptions of this process.

All of them share one listening connection, and those of one table share what is read after each notification.
"""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime

from prometheus_client import Histogram

from league.api.graphql.live.listening import PATIENCE, Live
from league.api.graphql.live.watches import first_of
from league.api.graphql.threads import in_thread
from league.eventlog.recorder import TABLE_STREAM, StoreUnavailable
from league.eventlog.records import Stored
from league.eventlog.store import EventStore

KEPT = 100
"""Events of a table that are kept in memory: a client that is further behind reads the table's stream."""


class TableFeed:
    """What this process has read of the live tables that clients follow. `delays`: how old the events are by then."""

    def __init__(self, store: EventStore, live: Live, delays: Histogram) -> None:
        self._store, self._delays = store, delays
        self._followed: dict[str, _Followed] = {}
        live.on_table(self._changed)

    async def follow(self, table: str, after: int, ended: asyncio.Future[str]) -> AsyncGenerator[list[Stored], None]:
        """The events of a table after a position of the log: first those that are there, then each save.

        While the database is away it waits. Raises Unauthenticated when the client's session has `ended`.
        """
        followed = self._followed.setdefault(table, _Followed(self._store, TABLE_STREAM + table, self._delays))
        followed.clients += 1
        try:
            while True:
                changed = followed.changed
                try:
                    new = await followed.after(after)
                except StoreUnavailable:
                    await first_of(asyncio.sleep(PATIENCE), ended)
                    continue
                if new:
                    after = new[-1].position
                    yield new
                else:
                    await first_of(changed.wait(), ended)
        finally:
            followed.clients -= 1
            if followed.clients == 0:
                del self._followed[table]

    def _changed(self, table: str | None) -> None:
        for followed in self._followed.values() if table is None else filter(None, [self._followed.get(table)]):
            followed.wake()


class _Followed:
    """The newest events of one table that clients follow."""

    def __init__(self, store: EventStore, stream: str, delays: Histogram) -> None:
        self._store, self._stream, self._delays = store, stream, delays
        self._newest: list[Stored] = []
        self._since = 0
        """The position after which `_newest` has all events of the table."""
        self._is_read = False
        self._reading = asyncio.Lock()
        self.changed = asyncio.Event()
        self.clients = 0

    def wake(self) -> None:
        """There may be new events."""
        waiting, self.changed = self.changed, asyncio.Event()
        self._is_read = False
        waiting.set()

    async def after(self, position: int) -> list[Stored]:
        """The events after a position. Raises StoreUnavailable."""
        async with self._reading:
            if not self._is_read:
                await self._read()
        if position < self._since:
            stream = await in_thread(self._store.load_after, self._stream, 0)
            return [stored for stored in stream if stored.position > position]
        return [stored for stored in self._newest if stored.position > position]

    async def _read(self) -> None:
        self._is_read = True  # before the read: what is stored during it sets this back
        try:
            version = self._newest[-1].version if self._newest else 0
            new = await in_thread(self._store.load_after, self._stream, version)
        except BaseException:
            self._is_read = False
            raise
        self._newest += new
        if version and new:
            # Both clocks are of the servers; those of two machines may differ by some milliseconds.
            self._delays.observe((datetime.now(UTC) - new[-1].recorded_at).total_seconds())
        if len(self._newest) > KEPT:
            self._since = self._newest[-KEPT - 1].position
            self._newest = self._newest[-KEPT:]
