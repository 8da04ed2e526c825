"""Live updates: after each commit of the read side the subject is read again, and sent when it has changed."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from league.api.auth.tokens import Session
from league.api.graphql.context import Info
from league.api.graphql.request_errors import Unauthenticated
from league.projections.queries.snapshot import Snapshot
from league.projections.read_state import CHANNEL as COMMITS

PATIENCE = 15.0
"""Seconds after which a watcher reads without a notification."""


async def each_change(
    info: Info, look: Callable[[Snapshot], Any], channel: str = COMMITS
) -> AsyncGenerator[None, None]:
    """Yields with the reader set to each new state of what `look` reads."""
    context, live = info.context, info.context.source.live
    # A socket is closed as a whole when its token ends.
    session = context.session if context.connection_params is None else Session()
    seen: Any = None
    with context.open_sessions.opened(session) as ended:
        while True:
            commit = live.next(channel)
            await context.read_after(0)
            now = await context.reader.read(look)
            if now != seen:
                seen = now
                yield
            await context.reader.close()
            await _first_of(live.wait(commit, PATIENCE), ended)
            if ended.done():
                raise Unauthenticated(ended.result())


async def _first_of(waiting: Coroutine[Any, Any, None], ended: asyncio.Future[str]) -> None:
    """Wait for one of them; `ended` goes on."""
    task = asyncio.create_task(waiting)
    try:
        await asyncio.wait((task, ended), return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
