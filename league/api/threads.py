"""The one hop from the event loop to blocking code: the database, and the keys behind a URL."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(16, "league-api")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking work in a thread. Whoever is cancelled meanwhile waits for its end: it may hold a connection."""
    future = asyncio.get_running_loop().run_in_executor(_THREADS, partial(work, *args, **kwargs))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait([future])
        raise
