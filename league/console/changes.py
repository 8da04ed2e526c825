"""The stream that tells pages that the league has changed. They then fetch themselves again."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from league.api.graphql.executing.rate_limits import client_of
from league.api.graphql.live.listening import Live
from league.api.server.endpoints import address_of
from league.projections.runs import ReadState

PAUSE = 1.0
"""Seconds between two messages: a hand is several events, and pages need not be refreshed for each."""
SILENCE = 20.0
"""Seconds of silence after which a comment is sent: proxies then leave the stream open, and a broken one is noticed."""
LONGEST = 300.0
"""Seconds after which a stream ends. A browser that is still there connects again, and names its last message."""
MOST = 1_000
"""Limit on open streams per process. Pages beyond it do not refresh by themselves."""
MOST_OF_ONE = 200
"""Limit on open streams per client elsewhere: enough for a club behind one address, too few to take all."""


class ChangeStream:
    """Server-sent events with the position of the read side, whenever it changes."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._streams = Counter[str | None]()
        """Open streams by client. None stands for programs on this machine."""

    def now(self) -> str | None:
        """The state that a page made now shows at least, for `since` in its stream's address; None if not known."""
        return None if self._live.state is None else _id(self._live.state)

    async def answer(self, request: Request) -> Response:
        """Answer a request with the stream, or with status 503 beyond the limits."""
        address = address_of(request)
        client = None if address is None else client_of(None, address)
        if self._streams.total() >= MOST or (client is not None and self._streams[client] >= MOST_OF_ONE):
            return Response(status_code=503, headers={"Retry-After": "60", "Cache-Control": "no-store"})
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        known = request.headers.get("last-event-id") or request.query_params.get("since")
        return StreamingResponse(self._counted(client, known), media_type="text/event-stream", headers=headers)

    async def _counted(self, client: str | None, known: str | None) -> AsyncIterator[str]:
        self._streams[client] += 1
        try:
            async for message in self._messages(known):
                yield message
        finally:
            self._streams[client] -= 1
            if not self._streams[client]:
                del self._streams[client]

    async def _messages(self, known: str | None) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        ends = time.monotonic() + LONGEST
        sent = self._live.state
        if sent is not None:
            # Without `known` this only gives the browser the id, without a message to the page.
            yield _changed(sent) if known is not None and known != _id(sent) else f"id: {_id(sent)}\n\n"
        while time.monotonic() < ends:
            commit = self._live.next()
            state = self._live.state
            if state is not None and state != sent:
                sent = state
                yield _changed(state)
                await asyncio.sleep(PAUSE)
                continue
            await self._live.wait(commit, SILENCE)
            if self._live.state == sent:
                yield ": still here\n\n"


def _changed(state: ReadState) -> str:
    return f"event: changed\nid: {_id(state)}\ndata: {state.position}\n\n"


def _id(state: ReadState) -> str:
    return f"{state.generation}.{state.run}.{state.position}"
