"""The events of a table as a page hears them: server-sent, each with its position, so that a broken line loses nothing.

The page's subscription is executed in the process with the rights of the session. A stream lives for a while only, and
the browser asks for the next one: so a device that went away without a word is noticed, and its player counts as away.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from league.api.graphql.executing.plain_fields import json_bytes
from league.console.asking import document_in
from league.console.pages import Console
from league.console.visitors import Visitor
from league.tables.console.table_page import FOLDER
from league.wording.language import speak

LIFE = 20.0
"""Seconds after which a stream ends and the browser asks for the next one."""
RETRY = 200
"""Milliseconds after which it asks."""


async def answer_stream(console: Console, request: Request) -> Response:
    """The stream, from the position on that the browser had last."""

    async def make(visitor: Visitor) -> Response:
        context = console.asking.context(request, visitor)
        after = request.headers.get("last-event-id") or request.query_params.get("after")
        variables = {"id": request.path_params["id"], "after": after if after and after.isdecimal() else None}
        answers = console.asking.schema.stream(
            document_in(FOLDER / "table_changed.graphql"), variable_values=variables, context_value=context
        )
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        messages = _messages(await answers, context, visitor)
        return StreamingResponse(messages, media_type="text/event-stream", headers=headers)

    return await console.answer(request, make)


async def _messages(answers: Any, context: Any, visitor: Visitor) -> AsyncIterator[str]:
    """Each answer as an event with its position as id; the first error as the last event."""
    speak(visitor.language)
    yield f"retry: {RETRY}\n\n"
    end = time.monotonic() + LIFE
    async with aclosing(answers):
        coming = asyncio.ensure_future(anext(answers, None))
        try:
            while (rest := end - time.monotonic()) > 0:
                done, _waiting = await asyncio.wait([coming], timeout=rest)
                if not done:
                    return
                answer = coming.result()
                if answer is None:
                    yield "event: over\ndata: {}\n\n"
                    return
                if answer.errors:
                    yield f"event: refused\ndata: {_refusal(answer.errors[0])}\n\n"
                    return
                moment = answer.data["tableChanged"]
                said = {"now": context.clock().isoformat(), **moment}
                yield f"id: {moment['position']}\ndata: {json_bytes(said).decode()}\n\n"
                coming = asyncio.ensure_future(anext(answers, None))
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


def _refusal(error: Any) -> str:
    return json_bytes({"code": (error.extensions or {}).get("code"), "message": error.message}).decode()
