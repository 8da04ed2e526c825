"""Snapshots that stay open after an operation, for the next one that reads only the state of the read side.

To begin and to end one takes as long as to read a page. All that are open are of the newest state that this process has
heard of: an operation that takes one over reads what it would read in a new one.
"""

import asyncio
import time
from collections.abc import Callable

from sqlalchemy import Engine

from league.api.graphql.live.listening import Live
from league.api.graphql.threads import in_thread
from league.projections.queries.snapshot import Snapshot

MOST = 10
OLDEST = 1.0
"""Seconds after which one is closed: a transaction that stays open keeps PostgreSQL from cleaning up."""


class OpenSnapshots:
    """Those of one process."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._open: list[Snapshot] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        live.on_new_state(self._close_all)

    def take_over(self, position: int, may_be_read: Callable[[Engine], bool]) -> Snapshot | None:
        """The newest one at this position or later on a server that may be read. It belongs to the caller."""
        for at in reversed(range(len(self._open))):
            if self._open[at].position >= position and may_be_read(self._open[at].conn.engine):
                return self._open.pop(at)
        return None

    def keep(self, snapshot: Snapshot) -> bool:
        """Keep a snapshot open that its operation has read, unless it is old or enough are open. Returns whether."""
        is_newest = snapshot.state is not None and snapshot.state == self._live.state
        if self._is_closed or not is_newest or len(self._open) >= MOST or _is_old(snapshot):
            return False
        self._open.append(snapshot)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(OLDEST, self._close_old)
        return True

    async def close(self) -> None:
        """At the end of the process. An operation that ends later closes its snapshot itself."""
        self._is_closed = True
        self._close_all()
        if self._timer is not None:
            self._timer.cancel()
        await asyncio.gather(*self._closing)

    def _close_old(self) -> None:
        old = [snapshot for snapshot in self._open if _is_old(snapshot)]
        self._open = [snapshot for snapshot in self._open if not _is_old(snapshot)]
        self._close(old)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(OLDEST, self._close_old) if self._open else None

    def _close_all(self) -> None:
        snapshots, self._open = self._open, []
        self._close(snapshots)

    def _close(self, snapshots: list[Snapshot]) -> None:
        for snapshot in snapshots:
            task = asyncio.get_running_loop().create_task(in_thread(snapshot.close))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


def _is_old(snapshot: Snapshot) -> bool:
    return time.monotonic() - snapshot.taken_at > OLDEST
