"""Workers of a simulated league, and the queues between its processes: a Redis that is away, forgets and repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from queue import Empty
from random import Random
from typing import Any
from unittest.mock import patch

import dramatiq
from dramatiq.brokers.stub import StubBroker
from dramatiq.errors import BrokerConnectionError

from league.application import jobs, replay_folding
from league.application.jobs import Jobs
from league.photos import photo_jobs
from league.photos.photo_jobs import PhotoJobs, count_photo
from tests.simulation.schedule import OUTAGES

AWAY, FORGOTTEN, TWICE = 0.15, 0.1, 0.1
"""The shares of messages that meet a Redis which is away, are forgotten, and are delivered twice."""


ENOUGH = 10
"""Searches that find everything that waits: each finds some photos, and a job may need three attempts."""


class Redis:
    """What all processes of a league have in common, and what went wrong with it."""

    def __init__(self, random: Random, *, breaks: bool) -> None:
        self.random, self._breaks = random, breaks
        self.messages: dict[str, list[dramatiq.Message[Any]]] = {}
        """Messages by queue."""
        self.faults: Counter[str] = Counter()

    def take_in(self, message: dramatiq.Message[Any]) -> None:
        """Queue a message. Raises BrokerConnectionError."""
        chance = self.random.random() if self._breaks else 1.0
        if chance < AWAY:
            self.faults["redis_away"] += 1
            raise BrokerConnectionError("the simulated Redis is away")
        times = 1
        if chance < AWAY + FORGOTTEN:
            self.faults["message_lost"] += 1
            times = 0
        elif chance < AWAY + FORGOTTEN + TWICE:
            self.faults["message_twice"] += 1
            times = 2
        self.messages.setdefault(message.queue_name, []).extend([message] * times)


class Queues(StubBroker):
    """How one process reaches the Redis."""

    def __init__(self, shared: Redis) -> None:
        super().__init__(middleware=[])
        self._shared = shared

    def enqueue(self, message: dramatiq.Message[Any], *, delay: int | None = None) -> dramatiq.Message[Any]:
        """Queue a message. Raises BrokerConnectionError."""
        assert delay is None, "no job is sent for later"
        self._shared.take_in(message)
        return message

    def carry_out_next(self) -> None:
        """Do the job of a message, if there is one: any of those that wait. Raises Empty."""
        waiting = [queue for queue in self.get_declared_queues() if self._shared.messages.get(queue)]
        if not waiting:
            raise Empty
        messages = self._shared.messages[self._shared.random.choice(sorted(waiting))]
        message = messages.pop(self._shared.random.randrange(len(messages)))
        self.get_actor(message.actor_name).fn(*message.args)


class InThread:
    """In place of a process of its own for one job: the scheduler knows the thread of the worker."""

    def __init__(self, work: Callable[..., None], args: tuple[Any, ...]) -> None:
        self._work, self._args = work, args
        self.exitcode = 0

    def start(self) -> None:
        """Do the job. Without a database a process would end with an error."""
        try:
            self._work(*self._args)
        except OUTAGES:
            self.exitcode = 1

    def is_alive(self) -> bool:
        """Whether it is still being done."""
        return False

    def terminate(self) -> None:
        """Nothing is left to end."""

    def join(self, _timeout: float | None = None) -> None:
        """Nothing is left to wait for."""


def jobs_of(url: str, place: str, redis: Redis) -> Jobs:
    """The jobs of a process."""
    with patch.object(jobs, "broker_for", lambda _url, _alarm: Queues(redis)):
        return Jobs(url, None, place)


def look(found: Jobs) -> None:
    """Send again what waits, as workers do at their start and periodically."""
    with suppress(BrokerConnectionError):
        found.send_unfinished_again()
        found.of(PhotoJobs).send_unfinished_again()


def do_next(found: Jobs) -> bool:
    """Do the next job of any queue. Whether there was one."""
    for one in (found, found.of(PhotoJobs)):
        assert isinstance(one.broker, Queues), "it was made of them"
        try:
            one.broker.carry_out_next()
        except Empty:
            continue
        return True
    return False


def finish(url: str, place: str) -> None:
    """Do what waits, with a Redis that works."""
    found = jobs_of(url, place, Redis(Random(0), breaks=False))
    for _ in range(ENOUGH):
        look(found)
        while do_next(found):
            pass


@contextmanager
def in_threads() -> Iterator[None]:
    """Inside this context the jobs of workers are done in their threads."""
    with ExitStack() as patches:
        fold, count = _process(replay_folding.fold_replay), _process(count_photo)
        patches.enter_context(patch.object(replay_folding, "FoldProcess", fold))
        patches.enter_context(patch.object(replay_folding, "PAUSE", 0.0))
        patches.enter_context(patch.object(photo_jobs, "CountProcess", count))
        yield


def _process(work: Callable[..., None]) -> Callable[..., InThread]:
    def start(target: Callable[..., None], args: tuple[Any, ...]) -> InThread:  # noqa: ARG001  # it sets signals, too
        return InThread(work, args)

    return start
