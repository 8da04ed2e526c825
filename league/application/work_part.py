"""What features do beside the requests: in a worker, in a queue, and at the seats of AIs."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import ClassVar, Protocol

import dramatiq
from msgspec import Struct

from league.application.bootstrap import League


class QueuedJobs(Protocol):
    """Jobs of a feature."""

    broker: dramatiq.Broker
    queue: str
    at_once: int
    """How many jobs a worker does at the same time."""

    def send_unfinished_again(self) -> None:
        """Send the jobs that wait; at start-up and periodically."""


class WorkPart(Struct, frozen=True, kw_only=True):
    """What a feature does beside the requests."""

    place: ClassVar[str] = "work"
    jobs: Callable[[str, dramatiq.Broker, str | None, threading.Event], QueuedJobs] | None = None
    """A queue of its own, on which the worker works.

    Made of the database's URL, a broker, the place of photos, and what ends the worker.
    """
    working: Callable[[League], AbstractContextManager[None]] | None = None
    """What runs in `league worker`."""
    ai_players: Callable[[League, Callable[[], bool], float], object] | None = None
    """Plays for AIs until asked to stop, with a pause."""
