"""`league serve`: the API under uvicorn; with the embedded database one process tree is the whole league."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import uvicorn

from league.api.app import create_app
from league.bootstrap import League, follow, open_league
from league.jobs import Jobs, broker_for
from league.settings import Settings

SHUTDOWN = 3
"""Seconds that open streams get to end."""


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
    process = multiprocessing.get_context("spawn").Process(target=project, args=(settings, os.getpid()), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def project(settings: Settings, parent: int) -> None:
    """Follow the log as long as the parent lives."""
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
