"""The stream by which pages hear that the league has changed. They then ask for themselves again."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import StreamingResponse

from league.api.graphql.live import Live

PATH = "/changes"
PAUSE = 1.0
"""Seconds between two messages: a hand is several events, and pages need not follow each."""
SILENCE = 20.0
"""Seconds after which a comment is sent, so that proxies keep the connection and broken ones are found out."""


class Changes:
    """Server-sent events with the position of the read side, whenever it changes."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def answer(self, _request: Request) -> StreamingResponse:
        """The stream."""
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._messages(), media_type="text/event-stream", headers=headers)

    async def _messages(self) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        told = self._live.state
        while True:
            commit = self._live.next()
            state = self._live.state
            if state is not None and state != told:
                told = state
                yield f"event: changed\ndata: {state.position}\n\n"
                await asyncio.sleep(PAUSE)
                continue
            await self._live.wait(commit, SILENCE)
            if self._live.state == told:
                yield ": still here\n\n"
