"""Answers requests on a socket that listens: the app under uvicorn."""

import gc
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from league.api.server.deadlines import BACKLOG, DeadlineProtocol, DeadlineWebSocket
from league.api.server.middleware import LARGEST_BODY
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.infra.settings import Settings

NEW_OBJECTS = 20_000
"""After which Python looks for garbage among them. A page of a board makes some thousand that live as long as it."""
SHUTDOWN = 3
"""Seconds that open streams have to finish."""
PING = 10.0
"""Seconds between two pings of a WebSocket, and within which it must answer. Otherwise it is closed: a player whose
line broke without a word must not seem to be there for ever."""


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
    # What has been made by now stays. To look through it for garbage, again and again, takes 0.1 seconds each time.
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
    on_start()
    uvicorn.Server(config).run(sockets=[listening])


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
