"""`league serve`: the API under uvicorn; with the embedded database one process tree runs the whole league.

With `--workers N` several processes answer requests on one socket. Each is started again when it dies.
"""

import json
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import cast

import structlog

from league.api.server.monitoring import metrics_folder, without_figures_of
from league.api.server.side_processes import play_for_ais, process_kept_running, project
from league.api.server.web import SHUTDOWN, CreateApp, answer_requests
from league.application.bootstrap import (
    SERVER_TIMEOUT,
    CannotListen,
    CannotStart,
    League,
    database_kept_running,
    in_background,
    open_league,
)
from league.application.following import MissingCompanions, duties_kept
from league.application.jobs import Jobs
from league.application.work_part import WorkPart
from league.domain.sentences import say
from league.features import declared
from league.infra.database import reason_of
from league.infra.logs import configure_logs, log_what_nothing_catches
from league.infra.photo_store import photo_place
from league.infra.settings import Settings
from league.wording.language import error_in_words

PAUSE = 1.0
"""Seconds before a process that died is started again. The pause doubles while they die soon after a start."""
LONGEST_PAUSE = 30.0
SOON = 60.0
"""Seconds that a process must live for the next pause to be short again."""
PATIENCE = SHUTDOWN + 5
"""Seconds that a process has to end before it is killed."""

NAME = "web"

log = structlog.get_logger()


def serve(
    create: CreateApp, league: League, settings: Settings, host: str, port: int, workers: int = 1, ai_processes: int = 1
) -> None:
    """Serve until the process is asked to stop. With several workers, these answer, and this process watches them.

    AIs play their seats of live tables in processes of their own: their thinking would starve an event loop.

    Raises CannotListen, and CannotStart when no web process starts.
    """
    with ExitStack() as beside:
        listening = beside.enter_context(listen(host, port))
        beside.enter_context(database_kept_running(league, settings))
        place = photo_place(settings)
        jobs = Jobs(league.database.url, settings.broker_url, place, reviews_rules=settings.reviews_rules)
        if league.database.embedded:
            # The projector gets a process of its own: a fold in a thread would starve the event loop.
            beside.enter_context(process_kept_running("projector", project, settings))
            # The worker only starts processes and waits for them.
            beside.enter_context(in_background(lambda ended: jobs.work(ended.is_set, league.dispatcher.clock)))
        else:
            companions = MissingCompanions(league.database.url, league.dispatcher.clock)
            beside.enter_context(duties_kept(league, [companions.duty]))
        for _ in range(ai_processes if any(part.ai_players for part in declared(WorkPart)) else 0):
            beside.enter_context(process_kept_running("ai", play_for_ais, settings))
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        said = f"The league is served on {address}, its API on {address}graphql (Ctrl-C ends it).\n"
        # A line for people; where standard error is collected, each line of it is JSON.
        if not sys.stderr.isatty():
            said = json.dumps({"event": said.strip(), "level": "info"}) + "\n"
        announce = partial(sys.stderr.write, said)
        if workers == 1:
            answer_requests(create, league, settings, jobs, listening, announce)
        else:
            with web_processes(workers, create, settings, listening) as keep_running:
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
            say(
                "cannot listen on {host} port {port}: {strerror}; `--port` takes another port",
                host=host,
                port=port,
                strerror=error.strerror or error,
            )
        ) from None
    with listening:
        # Connections inherit it. Without it each response waits 40 ms for the client's acknowledgement of its headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listening


class WebProcess:
    """A process that answers requests."""

    def __init__(self, create: CreateApp, settings: Settings, listening: socket.socket) -> None:
        self.told, tell = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.get_context("spawn").Process(
            target=_answer_in_child, args=(create, settings, listening, tell), name=NAME
        )
        self.process.start()
        tell.close()  # the process has its own end: when that one closes too, nothing more comes

    def failure(self) -> str | None:
        """Wait until the process serves or fails. Returns why it failed; None if it serves."""
        try:
            failure: str | None = self.told.recv()
        except EOFError:
            return "it ended at once"
        return failure


@contextmanager
def web_processes(
    number: int, create: CreateApp, settings: Settings, listening: socket.socket
) -> Iterator[Callable[[], None]]:
    """Start processes, and stop them at the end. Yields a function that restarts those that die, for ever.

    They share only the socket and the database. Raises CannotStart if all of them fail to start. If one serves, the
    others are restarted.
    """
    configure_logs(settings.log_level)
    running: list[WebProcess] = []
    with metrics_folder():
        try:
            running.extend(WebProcess(create, settings, listening) for _ in range(number))
            _wait_until_one_serves(running)
            yield partial(_keep_running, running, create, settings, listening)
        finally:
            # Also a process that was started just before a signal came and is not in `running`.
            started = [process for process in multiprocessing.active_children() if process.name == NAME]
            for process in started:
                process.terminate()
            for process in started:
                process.join(PATIENCE)
                process.kill()
                process.join()


def _wait_until_one_serves(running: list[WebProcess]) -> None:
    """Wait for the first process that serves. Raises CannotStart with the last reason if all fail to start."""
    unknown = {one.told: one for one in running}
    failure: str | None = None
    while unknown:
        for told in wait(list(unknown)):
            failure = unknown.pop(cast("Connection", told)).failure()
            if failure is None:
                return
    raise CannotStart(say("a web process does not start: {failure}", failure=failure))


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
    """Seconds before the next start. `lived`: how long the process that died ran; `before`: the previous pause."""
    return PAUSE if lived >= SOON else min(max(PAUSE, 2 * before), LONGEST_PAUSE)


def _answer_in_child(create: CreateApp, settings: Settings, listening: socket.socket, tell: Connection) -> None:
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
        tell.send(error_in_words(error) or repr(error))
        sys.exit(1)


def _stop_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it started this process"
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
