"""`league serve --workers N`: processes that answer requests on one socket, each started again when it dies."""

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import cast

import structlog

from league.api.server.shared_metrics import metrics_folder, without_figures_of
from league.api.server.web import SHUTDOWN, CreateApp, answer_requests
from league.application.bootstrap import SERVER_TIMEOUT, CannotStart, open_league
from league.application.jobs import Jobs
from league.infra.database_reasons import reason_of
from league.infra.logs import configure_logs, log_what_nothing_catches
from league.infra.photo_store import photo_place
from league.infra.settings import Settings
from league.wording.language import _

PAUSE = 1.0
"""Seconds before a process that died is started again. The pause doubles while they die soon after a start."""
LONGEST_PAUSE = 30.0
SOON = 60.0
"""Seconds that a process must live for the next pause to be short again."""
PATIENCE = SHUTDOWN + 5
"""Seconds that a process has to end before it is killed."""

NAME = "web"

log = structlog.get_logger()


class WebProcess:
    """A process that answers requests."""

    def __init__(self, create: CreateApp, settings: Settings, listening: socket.socket) -> None:
        self.told, tell = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(create, settings, listening, tell), name=NAME
        )
        self.process.start()
        tell.close()  # the process has its own end: when that one closes too, nothing more comes

    def failure(self) -> str | None:
        """Why it does not serve; None as soon as it does. Waits until it is known."""
        try:
            failure: str | None = self.told.recv()
        except EOFError:
            return "it ended at once"
        return failure


@contextmanager
def web_processes(
    number: int, create: CreateApp, settings: Settings, listening: socket.socket
) -> Iterator[Callable[[], None]]:
    """Start so many processes, and stop them in the end. Yields a function that starts again those that die, for ever.

    They share the socket, the database and nothing else. Raises CannotStart if all of them fail to
    start. If one serves, those that fail are started again, as those that die.
    """
    configure_logs(settings.log_level)
    running: list[WebProcess] = []
    with metrics_folder():
        try:
            running.extend(WebProcess(create, settings, listening) for _ in range(number))
            _wait_until_one_serves(running)
            yield partial(_keep_running, running, create, settings, listening)
        finally:
            # Also one that was started when a signal came, before it was noted.
            started = [process for process in multiprocessing.active_children() if process.name == NAME]
            for process in started:
                process.terminate()
            for process in started:
                process.join(PATIENCE)
                process.kill()
                process.join()


def _wait_until_one_serves(running: list[WebProcess]) -> None:
    """Wait for the first one that serves. Raises CannotStart with the reason of the last one, if all fail to start."""
    unknown = {one.told: one for one in running}
    failure: str | None = None
    while unknown:
        for told in wait(list(unknown)):
            failure = unknown.pop(cast("Connection", told)).failure()
            if failure is None:
                return
    raise CannotStart(_("a web process does not start: {failure}", failure=failure))


def _keep_running(running: list[WebProcess], create: CreateApp, settings: Settings, listening: socket.socket) -> None:
    pause = 0.0
    while True:
        started = time.monotonic()
        wait([one.process.sentinel for one in running])
        pause = pause_after(time.monotonic() - started, pause)
        dead = [number for number, one in enumerate(running) if not one.process.is_alive()]
        for number in dead:
            process = running[number].process
            log.error("web_process_died", pid=process.pid, exitcode=process.exitcode, pause=pause)
            without_figures_of(process.pid)
        time.sleep(pause)
        for number in dead:
            running[number] = WebProcess(create, settings, listening)


def pause_after(lived: float, before: float) -> float:
    """Seconds before the next start, when a process died so many seconds after the last start, and the pause before."""
    return PAUSE if lived >= SOON else min(max(PAUSE, 2 * before), LONGEST_PAUSE)


def _serve(create: CreateApp, settings: Settings, listening: socket.socket, tell: Connection) -> None:
    # Ctrl-C reaches every process of the terminal; the parent stops this one when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    threading.Thread(target=_stop_with_the_parent, daemon=True).start()
    configure_logs(settings.log_level)
    log_what_nothing_catches()
    try:
        with open_league(settings, patience=SERVER_TIMEOUT) as league:
            jobs = Jobs(league.database.url, settings.broker_url, photo_place(settings))
            answer_requests(create, league, settings, jobs, listening, lambda: tell.send(None))
    except Exception as error:
        reason = reason_of(error)
        if reason is None:
            log.exception("web_process_failed")
        else:
            log.warning("web_process_failed", reason=reason)
        tell.send(str(error) or repr(error))
        sys.exit(1)


def _stop_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it started this process"
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
