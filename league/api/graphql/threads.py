"""Threads in which the event loop runs blocking code: reads, commands, checks of tokens, probes."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from league.infra.database import on_event_loop

P = ParamSpec("P")
T = TypeVar("T")

_READING = ThreadPoolExecutor(16, "league-reading")
# Commands wait for each other, tokens for their issuer. Neither delays the other, or a read without a token.
_WRITING = ThreadPoolExecutor(16, "league-writing")
_CHECKING = ThreadPoolExecutor(8, "league-checking")
# Health checks and metrics do not wait behind work that waits for the database.
_PROBING = ThreadPoolExecutor(4, "league-probing")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Read in a thread. A cancelled caller waits for the thread's end, since it may hold a connection."""
    return await _done(_submitted(_READING, partial(work, *args, **kwargs)))


async def without_thread(work: Callable[[], T]) -> T:
    """Read without a thread: for short questions to a connection that is open. A cancelled caller waits, too."""
    return await _done(on_event_loop(work))


async def in_writing_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Execute a command in a thread of its own pool."""
    return await _done(_submitted(_WRITING, partial(work, *args, **kwargs)))


async def in_checking_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Check a token in a thread that waits for no command."""
    return await _done(_submitted(_CHECKING, partial(work, *args, **kwargs)))


async def in_probing_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Look at the database for a health check, or make the figures of metrics: work that is done within two seconds."""
    return await _done(_submitted(_PROBING, partial(work, *args, **kwargs)))


def _submitted(threads: ThreadPoolExecutor, work: Callable[[], T]) -> asyncio.Future[T]:
    # In the context of the request, with its language and with its id for the log.
    return asyncio.get_running_loop().run_in_executor(threads, copy_context().run, work)


async def _done(future: asyncio.Future[T]) -> T:
    # Not `shield`: asyncio would report an error that comes together with a cancellation as never retrieved.
    try:
        await asyncio.wait([future])
    except asyncio.CancelledError:
        await asyncio.wait([future])
        if not future.cancelled():
            future.exception()
        raise
    return future.result()
