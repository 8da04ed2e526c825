"""The processes that `league serve` runs beside those that answer requests, each started again when it dies."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import structlog

from league.application.bootstrap import SERVER_TIMEOUT, in_background, open_league
from league.application.following import follow
from league.application.work_part import WorkPart
from league.features import declared
from league.infra.logs import configure_logs, log_what_nothing_catches
from league.infra.settings import Settings

PAUSE = 1.0
"""Seconds before a process that died is started again."""
PATIENCE = 5.0
"""Seconds that a process has to end before it is killed."""

Work = Callable[[Settings, int], None]
"""The work of a process, given the id of its parent. It ends when the parent is gone."""

log = structlog.get_logger()


def process_kept_running(name: str, work: Work, settings: Settings) -> AbstractContextManager[None]:
    """Inside this context a process does some work; it is started again whenever it dies."""
    return in_background(partial(_keep_running, name, work, settings))


def _keep_running(name: str, work: Work, settings: Settings, ended: threading.Event) -> None:
    while not ended.is_set():
        process = multiprocessing.get_context("spawn").Process(
            target=work, args=(settings, os.getpid()), name=name, daemon=True
        )
        process.start()
        while process.is_alive() and not ended.is_set():
            process.join(0.2)
        if ended.is_set():
            # What it has not committed is folded again at the next start, or played by another process.
            process.terminate()
            process.join(PATIENCE)
            process.kill()  # a process started while this one ignored signals ignores them, too
            process.join()
        else:
            log.error("process_died", name=name, exitcode=process.exitcode)
            ended.wait(PAUSE)


def project(settings: Settings, parent: int) -> None:
    """Follow the log while the parent is alive."""
    with _prepared(settings), open_league(settings, patience=SERVER_TIMEOUT) as league:
        follow(league, lambda: os.getppid() != parent)


def play_for_ais(settings: Settings, parent: int) -> None:
    """Play the seats of AIs while the parent is alive, if a feature has such seats."""
    with _prepared(settings), open_league(settings, patience=SERVER_TIMEOUT) as league:
        for part in declared(WorkPart):
            if part.ai_players is not None:
                part.ai_players(league, lambda: os.getppid() != parent, settings.ai_pause)


@contextmanager
def _prepared(settings: Settings) -> Iterator[None]:
    # Ctrl-C reaches every process of the terminal; the parent stops this one when it stops itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_logs(settings.log_level)
    log_what_nothing_catches()
    try:
        yield
    except Exception:
        # Python would print a traceback of many lines.
        log.exception("process_failed")
        sys.exit(1)
