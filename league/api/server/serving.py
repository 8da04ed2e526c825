"""`league serve`: the API under uvicorn; with the embedded database one process tree runs the whole league."""

import gc
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import structlog
import uvicorn
from starlette.applications import Starlette

from league.api.server.app import create_app
from league.api.server.deadlines import BACKLOG, DeadlineProtocol, DeadlineWebSocket
from league.api.server.middleware import LARGEST_BODY
from league.application.background import in_background
from league.application.bootstrap import CannotListen, League, database_kept_running, open_league
from league.application.following import follow
from league.application.jobs import Jobs, broker_for
from league.infra.logs import configure_logs
from league.infra.settings import Settings

SHUTDOWN = 3
"""Seconds that open streams have to finish."""
PAUSE = 1.0
"""Seconds before a projector that died is restarted."""

log = structlog.get_logger()


def serve(league: League, settings: Settings, host: str, port: int) -> None:
    """Serve until the process is asked to stop."""
    with ExitStack() as beside:
        listening = beside.enter_context(listen(host, port))
        beside.enter_context(database_kept_running(league, settings))
        jobs = Jobs(league.database.url, broker_for(settings.broker_url))
        if league.database.embedded:
            # The projector gets a process of its own: a fold in a thread would starve the event loop.
            beside.enter_context(in_background(partial(keep_projecting, settings)))
            # The worker only starts processes and waits for them.
            beside.enter_context(in_background(lambda ended: jobs.work(ended.is_set)))
        config = uvicorn_config(create_app(league, settings, jobs), settings)
        # What has been made by now stays. To look through it for garbage, again and again, takes 0.1 seconds each time.
        gc.freeze()
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(
            f"The league is served on http://{shown}:{listening.getsockname()[1]}/graphql (Ctrl-C ends it).\n"
        )
        uvicorn.Server(config).run(sockets=[listening])


def uvicorn_config(app: Starlette, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves the app: with deadlines and bounds, behind trusted proxies, without a log of its own."""
    return uvicorn.Config(
        app,
        http=DeadlineProtocol,
        backlog=BACKLOG,
        ws=DeadlineWebSocket,
        ws_max_size=LARGEST_BODY,
        forwarded_allow_ips=list(settings.trusted_proxies),
        log_config=None,
        access_log=False,  # the app logs requests itself, as JSON
        timeout_graceful_shutdown=SHUTDOWN,
    )


@contextmanager
def listen(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket. Raises CannotListen."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listening = socket.create_server((host, port), family=found[0][0])
    except OSError as error:
        raise CannotListen(f"cannot listen on {host} port {port}: {error.strerror or error}") from None
    with listening:
        # Connections inherit it. Without it each response waits 40 ms for the client's acknowledgement of its headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listening


def keep_projecting(settings: Settings, ended: threading.Event) -> None:
    """Start the projector's process, and restart it whenever it dies, until `ended` is set."""
    while not ended.is_set():
        process = multiprocessing.get_context("spawn").Process(
            target=project, args=(settings, os.getpid()), name="projector", daemon=True
        )
        process.start()
        while process.is_alive() and not ended.is_set():
            process.join(0.2)
        if ended.is_set():
            # Uncommitted work is folded again at the next start.
            process.terminate()
            process.join()
        else:
            log.error("projector_died", exitcode=process.exitcode)
            ended.wait(PAUSE)


def project(settings: Settings, parent: int) -> None:
    """Follow the log while the parent is alive."""
    # Ctrl-C reaches every process of the terminal; the parent stops this one when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_logs(settings.log_level)
    with open_league(settings, prepare=False) as league:
        follow(league, lambda: os.getppid() != parent)
