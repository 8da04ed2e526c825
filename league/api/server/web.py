"""Answers requests on a socket that listens: the app under uvicorn, whose connections have deadlines.

A client that sends or reads too slowly loses its connection.
"""

import asyncio
import gc
import resource
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from league.api.server.middleware import LARGEST_BODY, UPLOADS
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.infra.settings import Settings

NEW_OBJECTS = 20_000
"""Number of new objects after which Python looks for garbage. A page of a board makes some thousand objects that live
as long as the page."""
SHUTDOWN = 3
"""Seconds that open streams have to finish."""
PING = 10.0
"""Seconds between two pings of a WebSocket, and within which it must answer. Otherwise it is closed: a player whose
line broke without a word must not seem to be there for ever."""

RESERVED_FILES = 256
"""File descriptors that are not for connections: the database's and those of up to four replicas, the broker's, logs,
and those of one round of accepting."""
BACKLOG = 64
"""Connections that wait to be accepted. The event loop accepts as many at once, before it refuses any."""
LARGEST_HEAD = 64 * 1024
"""Limit on the bytes of a request's line and headers; the parser itself takes any number."""

_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

CreateApp = Callable[[League, Settings, Jobs], Starlette]
"""Makes the application: the API, perhaps with pages. A function of a module, since other processes get its name."""


def answer_requests(
    create: CreateApp,
    league: League,
    settings: Settings,
    jobs: Jobs,
    listening: socket.socket,
    on_start: Callable[[], object],
) -> None:
    """Answer requests until the process is asked to stop. Raises BadSetting."""
    config = uvicorn_config(create(league, settings, jobs), settings)
    # Objects made so far stay. Looking through them for garbage would take 0.1 seconds each time.
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
    AnnouncedServer(config, on_start).run(sockets=[listening])


class AnnouncedServer(uvicorn.Server):
    """A server that calls `on_start` as soon as it answers: a signal after that finds its handlers in place."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], object]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer, and call `on_start`."""
        await super().startup(sockets)
        self._on_start()


def uvicorn_config(app: Starlette, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves the app: with deadlines and bounds, behind trusted proxies, without a log of its own."""
    return uvicorn.Config(
        app,
        http=DeadlineProtocol,
        backlog=BACKLOG,
        ws=DeadlineWebSocket,
        ws_max_size=LARGEST_BODY,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        forwarded_allow_ips=list(settings.trusted_proxies),
        log_config=None,
        access_log=False,  # the app logs requests itself, as JSON
        timeout_graceful_shutdown=SHUTDOWN,
    )


def most_connections() -> int:
    """How many connections leave enough file descriptors for the rest of the process."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(files - RESERVED_FILES, 1)


class ReadingDeadline(asyncio.Protocol):
    """Part of a protocol of uvicorn that ends the connection of a client who does not read."""

    seconds_for_reading = 30.0
    """Limit on the time in which a client reads nothing of what fills the buffers."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
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
        """Cancel the deadline."""
        if self._reading is not None:
            self._reading.cancel()
        super().connection_lost(exc)


class DeadlineProtocol(ReadingDeadline, HttpToolsProtocol):
    """uvicorn's protocol with deadlines. uvicorn itself only limits how long a connection is idle after an answer."""

    seconds_for_head = 10.0
    """Limit from the connection, or from the answer before, to the end of a request's headers."""
    seconds_for_body = 30.0
    """Limit from the end of the headers to the end of the body."""
    seconds_for_upload = 180.0
    """Limit on the body of a request that brings a file: 10 MiB from a phone at 0.5 Mbit/s."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Wait for a head; refuse the connection when there are too many."""
        super().connection_made(transport)
        self._awaited: object = None
        self._deadline: asyncio.TimerHandle | None = None
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

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Set the deadline of what is awaited now. A deadline for the same thing goes on."""
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


class DeadlineWebSocket(ReadingDeadline, WebSocketsSansIOProtocol):
    """uvicorn's protocol with a deadline. uvicorn waits for ever for a client that only answers pings."""

    def handle_ping(self) -> None:
        """Answer, but not a client that does not read: its pongs would fill the memory."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()
