"""HTTP connections and WebSockets with deadlines: a client that sends or reads too slowly loses its connection."""

import asyncio
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from league.api.server.upload_limits import UPLOADS

RESERVED_FILES = 256
"""File descriptors that are not for connections: the database's and those of up to four replicas, the broker's, logs,
and those of one round of accepting."""
BACKLOG = 64
"""Connections that wait to be accepted. The event loop accepts as many at once, before it refuses any."""
LARGEST_HEAD = 64 * 1024
"""The most bytes of a request's line and headers; the parser itself takes any number."""

_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def most_connections() -> int:
    """How many connections leave enough file descriptors for the rest of the process."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(files - RESERVED_FILES, 1)


class DeadlineProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which itself only limits how long a connection may be idle after an answer."""

    seconds_for_head = 10.0
    """From the connection, or from the answer before, to the end of a request's headers."""
    seconds_for_body = 30.0
    """From the end of the headers to the end of the body."""
    seconds_for_upload = 180.0
    """The same for a request that brings a file: 10 MiB from a phone at 0.5 Mbit/s."""
    seconds_for_reading = 30.0
    """Without the client reading anything of an answer that fills the buffers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Wait for a head; refuse the connection when there are too many."""
        super().connection_made(transport)
        self._awaited: object = None
        self._deadline: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._unparsed = 0
        if len(self.connections) > most_connections():
            transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Part of a request."""
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > LARGEST_HEAD and not self.transport.is_closing():
            self._refuse(_TOO_LARGE)
        self._watch()

    def on_headers_complete(self) -> None:
        """The parser has taken a head."""
        self._unparsed = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """The parser has taken a part of the body."""
        self._unparsed = 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not read as fast as it is answered."""
        super().pause_writing()
        self._reading = self.loop.call_later(self.seconds_for_reading, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read on."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for."""
        for timer in (self._deadline, self._reading):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Set the deadline of what is awaited now; one that runs already goes on, whatever came meanwhile."""
        awaited, seconds = self._now_awaited()
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._end)

    def _now_awaited(self) -> tuple[object, float | None]:
        if self.transport.is_closing() or self.transport.get_protocol() is not self:  # a WebSocket by now
            return None, None
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            return ("head", cycle), self.seconds_for_head
        if cycle.more_body and not self.pipeline:  # while an earlier request is answered, nothing is read
            is_upload = cycle.scope["path"] in UPLOADS
            return ("body", cycle), self.seconds_for_upload if is_upload else self.seconds_for_body
        return ("answer", cycle), None

    def _end(self) -> None:
        self._refuse(_TIMEOUT)

    def _refuse(self, answer: bytes) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        is_answering = cycle is not None and cycle.response_started and not cycle.response_complete
        if not is_answering and not self.pipeline:
            self.transport.write(answer)
        self.transport.close()


class DeadlineWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's protocol, which itself waits without end for a client that reads nothing but answers pings."""

    seconds_for_reading = 30.0
    """Without the client reading anything of what fills the buffers."""

    _reading: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """The client does not read as fast as it is answered."""
        super().pause_writing()
        self._reading = self.loop.call_later(self.seconds_for_reading, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read on."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for."""
        if self._reading is not None:
            self._reading.cancel()
        super().connection_lost(exc)

    def handle_ping(self) -> None:
        """Answer, but not a client that does not read: its pongs would fill the memory."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()
