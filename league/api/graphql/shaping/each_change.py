"""Live updates: after each commit of the read side the subject is read again, and sent when it has changed."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import wraps
from typing import Any

from league.api.auth.tokens import TokenSession
from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import WATCH_PATIENCE, Context, Info, WatchContext
from league.api.graphql.live.watches import first_of
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import CHANNEL as COMMITS


async def each_change(
    info: Info, look: Callable[[Snapshot], Any], channels: Sequence[str] = (COMMITS,)
) -> AsyncGenerator[None, None]:
    """Yield whenever what `look` reads has changed, with the reader set to the new state. `channels` announce changes.

    For a shared subscription, yield at each state of the read side: its finished results are compared.
    """
    if isinstance(info.context, WatchContext):
        async for _ in info.context.each_state():
            yield
        return
    async with aclosing(each_new(info.context, look, channels)) as states:
        async for _ in states:
            yield


async def each_new(
    context: Context, look: Callable[[Snapshot], Any], channels: Sequence[str] = (COMMITS,)
) -> AsyncGenerator[None, None]:
    """Yield whenever what `look` reads has changed, with the context's reader set to it, until the session ends."""
    live = context.source.live
    seen: Any = None
    with context.open_sessions.opened(session_to_watch(context)) as ended:
        while True:
            commits = [live.next(channel) for channel in channels]
            await context.read_after(0)
            now = await context.reader.read(look)
            if now != seen:
                seen = now
                context.metrics.computations.inc()
                yield
            await context.reader.close()
            await first_of(live.wait_for_any(commits, WATCH_PATIENCE), ended)


def shared(changes: Callable[..., AsyncGenerator[Any, None]]) -> Any:
    """Declare a subscription cacheable: it is computed once for all clients that watch the same."""

    @cacheable
    @wraps(changes)
    async def resolve(*args: Any, info: Info, **arguments: Any) -> AsyncGenerator[Any, None]:
        context = info.context
        if isinstance(context, WatchContext) or context.watch is None:
            results = changes(*args, info=info, **arguments)
            async with aclosing(results):
                async for result in results:
                    yield result
            return
        with context.open_sessions.opened(session_to_watch(context)) as ended:
            async with aclosing(context.watch().follow(ended)) as results:
                async for result in results:
                    yield result

    return resolve


def session_to_watch(context: Context) -> TokenSession:
    """The session that ends a subscription. On a socket, none does: it is closed as a whole when its token ends."""
    return context.session if context.connection_params is None else TokenSession()
