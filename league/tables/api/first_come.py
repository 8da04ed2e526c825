"""Several sources of messages as one."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any


async def first_come(*sources: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    """What endless sources bring, as it comes. Raises what one of them raises."""
    waiting = {asyncio.ensure_future(anext(source)): source for source in sources}
    try:
        while True:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in waiting if task.done()]:
                source = waiting.pop(task)
                brought = task.result()
                waiting[asyncio.ensure_future(anext(source))] = source
                yield brought
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for source in sources:
            await source.aclose()
