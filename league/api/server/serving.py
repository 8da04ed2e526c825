"""`league serve`: the API under uvicorn; with the embedded database one process tree runs the whole league."""

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

from league.api.server.web import answer_requests
from league.api.server.web_processes import web_processes
from league.application.background import in_background
from league.application.bootstrap import CannotListen, League, database_kept_running, open_league
from league.application.following import follow
from league.application.jobs import Jobs, broker_for
from league.infra.logs import configure_logs
from league.infra.settings import Settings

PAUSE = 1.0
"""Seconds before a projector that died is restarted."""

log = structlog.get_logger()


def serve(league: League, settings: Settings, host: str, port: int, workers: int = 1) -> None:
    """Serve until the process is asked to stop. With several workers, these answer, and this process watches them.

    Raises CannotListen, and CannotStart when a worker does not come to serve.
    """
    with ExitStack() as beside:
        listening = beside.enter_context(listen(host, port))
        beside.enter_context(database_kept_running(league, settings))
        jobs = Jobs(league.database.url, broker_for(settings.broker_url))
        if league.database.embedded:
            # The projector gets a process of its own: a fold in a thread would starve the event loop.
            beside.enter_context(in_background(partial(keep_projecting, settings)))
            # The worker only starts processes and waits for them.
            beside.enter_context(in_background(lambda ended: jobs.work(ended.is_set)))
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/graphql"
        announce = partial(sys.stderr.write, f"The league is served on {address} (Ctrl-C ends it).\n")
        if workers == 1:
            answer_requests(league, settings, jobs, listening, announce)
        else:
            with web_processes(workers, settings, listening) as keep_running:
                announce()
                keep_running()


@contextmanager
def listen(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket. Raises CannotListen."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listening = socket.create_server((host, port), family=found[0][0])
    except OSError as error:
        raise CannotListen(
            f"cannot listen on {host} port {port}: {error.strerror or error}; `--port` takes another port"
        ) from None
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
