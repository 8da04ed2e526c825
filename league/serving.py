"""`league serve`: the API under uvicorn; with the embedded database one process tree is the whole league."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog
import uvicorn

from league.api.app import create_app
from league.api.logs import configure_logs
from league.bootstrap import League, follow, open_league
from league.jobs import Jobs, broker_for
from league.settings import Settings

SHUTDOWN = 3
"""Seconds that open streams get to end."""
PAUSE = 1.0
"""Seconds before a projector that died is started again."""

log = structlog.get_logger()


def serve(league: League, settings: Settings, host: str, port: int) -> None:
    """Serve until the process is asked to end."""
    with ExitStack() as beside:
        if league.database.embedded:
            beside.enter_context(_projector(settings))
            beside.enter_context(_worker(league, settings))
        app = create_app(league, settings)
        # The app logs requests itself, as JSON.
        uvicorn.run(
            app,
            host=host,
            port=port,
            ws="websockets-sansio",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=SHUTDOWN,
        )


@contextmanager
def _projector(settings: Settings) -> Iterator[None]:
    """The projector in a process of its own: a fold in a thread would starve the event loop."""
    ended = threading.Event()
    thread = threading.Thread(target=keep_projecting, args=(settings, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def keep_projecting(settings: Settings, ended: threading.Event) -> None:
    """Start the projector's process, and again whenever it dies. When `ended` is set it is broken off."""
    while not ended.is_set():
        process = multiprocessing.get_context("spawn").Process(
            target=project, args=(settings, os.getpid()), name="projector", daemon=True
        )
        process.start()
        while process.is_alive() and not ended.is_set():
            process.join(0.2)
        if ended.is_set():
            # What it has not committed is folded again at the next start.
            process.terminate()
            process.join()
        else:
            log.error("projector_died", exitcode=process.exitcode)
            ended.wait(PAUSE)


def project(settings: Settings, parent: int) -> None:
    """Follow the log as long as the parent lives."""
    # Ctrl-C reaches every process of the terminal; the parent ends this one when it ends itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_logs(settings.log_level)
    with open_league(settings, prepare=False) as league:
        follow(league, lambda: os.getppid() != parent)


@contextmanager
def _worker(league: League, settings: Settings) -> Iterator[None]:
    """The worker in a thread: it only starts processes and waits for them."""
    jobs, ended = Jobs(league.database.url, broker_for(settings.broker_url)), threading.Event()
    thread = threading.Thread(target=jobs.work, args=(ended.is_set,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
