"""The background work of features: in a worker, in a queue, and at the seats of AIs."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import inf
from multiprocessing.process import BaseProcess
from typing import ClassVar, Protocol

import dramatiq
from msgspec import Struct

from league.application.bootstrap import League


class QueuedJobs(Protocol):
    """The job queue of a feature."""

    broker: dramatiq.Broker
    queue: str
    at_once: int
    """Number of jobs that a worker does at the same time."""

    channels: tuple[str, ...]
    """The channels, beside those of events and of the read side, that announce rows which may wait."""

    def send_unfinished_again(self) -> bool:
        """Send the waiting jobs to workers: at start-up, after changes, and repeatedly while some wait.

        Returns whether some wait.
        """


def run_job(process: BaseProcess, ending: threading.Event, seconds: float = inf) -> int | None:
    """Run the process of a job. Terminate it after some seconds, or when `ending` is set because the worker stops.

    Returns the exit code of a process that failed or took too long; None if it succeeded, or if the worker stops.
    """
    process.start()
    deadline = time.monotonic() + seconds
    try:
        while process.is_alive() and not ending.is_set() and time.monotonic() < deadline:
            process.join(0.1)
    finally:
        process.terminate()
        process.join()
    return None if process.exitcode == 0 or ending.is_set() else process.exitcode


class JobSettings(Struct, frozen=True):
    """What an operator has configured of jobs."""

    photo_place: str | None = None
    """The place of stored photos; None: photos are stored nowhere."""
    reviews_rules: bool = True
    """Whether a worker reviews the league's own rules after a month is closed."""


class WorkPart(Struct, frozen=True, kw_only=True):
    """The background work of a feature."""

    place: ClassVar[str] = "work"
    jobs: Callable[[str, dramatiq.Broker, JobSettings, threading.Event], QueuedJobs] | None = None
    """Makes the feature's job queue for a worker.

    Its arguments are the database's URL, a broker, the settings of jobs, and the event that ends the worker.
    """
    working: Callable[[League], AbstractContextManager[None]] | None = None
    """Makes a context that runs the feature's work in `league worker`."""
    ai_players: Callable[[League, Callable[[], bool], float], object] | None = None
    """Plays for AIs. Its arguments: the league, a function that returns true to stop, and the AIs' pause in seconds."""
