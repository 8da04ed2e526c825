"""Jobs: dramatiq sends the number of a replay to a worker, which folds it (`replay_folding`).

Features have their own queues, and a worker process works on all of them. The row of a replay holds the task and its
result, so a lost or repeated message does no harm.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import dramatiq
import psycopg
import redis
import structlog
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Callbacks, Pipelines, Retries, ShutdownNotifications
from redis.exceptions import RedisError

from league.application.candidates import unfinished_replays
from league.application.replay_folding import fold_to_the_end, is_free
from league.application.work_part import JobSettings, QueuedJobs, WorkPart
from league.domain.sentences import say
from league.features import declared
from league.infra.outages import outages

QUEUE = "replays"
CHANNEL = "league_replays"
"""The channel on which the database announces every change to the table of replays."""
AT_ONCE = 4
"""Limit on the folds that a worker runs at the same time."""
LOOK_AGAIN = 3.0
"""Seconds between two searches for replays whose message was lost or never sent."""

LONGEST_PAUSE = 30.0
"""Longest pause between two searches while the broker or the database is away, in seconds."""
BROKER_TIMEOUT = 5.0
"""Seconds to wait for a Redis that does not answer."""
STOP_TIMEOUT = 10_000
"""Milliseconds that an ending worker waits for its threads. One may be trying to reach a Redis that is away."""

AWAY = (dramatiq.errors.BrokerConnectionError, RedisError, psycopg.OperationalError)
"""Errors of a broker or a database that is away. Rows wait, and the next search finds them."""

log = structlog.get_logger()


def broker_for(url: str | None) -> dramatiq.Broker:
    """The Redis broker if a URL is given, else a broker within this process, whose messages end with the process.

    Omits dramatiq's time limit, since a replay may take any time.
    """
    middleware = [AgeLimit(), ShutdownNotifications(), Callbacks(), Pipelines(), Retries(max_retries=0)]
    if url is None:
        return StubBroker(middleware=middleware)
    client = redis.Redis.from_url(url, socket_timeout=BROKER_TIMEOUT, socket_connect_timeout=BROKER_TIMEOUT)
    return RedisBroker(client=client, middleware=middleware)  # type: ignore[no-untyped-call]  # dramatiq does not type it


J = TypeVar("J")


class Jobs:
    """Sends replays to the workers of one league, and holds the job queues of features."""

    def __init__(
        self, database_url: str, broker_url: str | None, photo_place: str | None = None, *, reviews_rules: bool = True
    ) -> None:
        """`broker_url`: the URL of Redis; None: messages stay in this process. The others are `JobSettings`."""
        settings = JobSettings(photo_place, reviews_rules)
        self._url, self.broker = database_url, broker_for(broker_url)
        self._ending, self._taking = threading.Event(), threading.Lock()
        self._taken: set[int] = set()
        """Replays that this worker is folding."""
        # Each feature has its own broker and worker, so that its jobs do not wait for replays.
        self._of_features: list[QueuedJobs] = [
            part.jobs(database_url, broker_for(broker_url), settings, self._ending)
            for part in declared(WorkPart)
            if part.jobs is not None
        ]
        self._actor = dramatiq.actor(broker=self.broker, actor_name="replay", queue_name=QUEUE)(self._carry_out)

    def of(self, kind: type[J]) -> J:
        """The job queue of a feature, by its class."""
        return next(jobs for jobs in self._of_features if isinstance(jobs, kind))

    def hand_out(self, number: int) -> None:
        """Send the number of a stored replay to the workers."""
        try:
            self._actor.send(number)
        except (dramatiq.errors.BrokerConnectionError, RedisError) as error:
            # The row is stored, and workers search for such rows periodically.
            log.warning("broker_away", replay=number, error=str(error))

    def send_unfinished_again(self) -> int:
        """Send unfinished replays that this worker is not folding. Called at start-up and periodically.

        Shown candidates whose runs are gone, as after a restore, are folded again.

        Returns the number of these replays.
        """
        waiting = [number for number in unfinished_replays(self._url) if number not in self._taken]
        # Send only as many as can start now. Rows can wait, but messages would pile up.
        for number in waiting[: AT_ONCE - len(self._taken)]:
            self._actor.send(number)
        return len(waiting)

    def work(self, stop: Callable[[], bool]) -> None:
        """Work on jobs until `stop()` returns true, then stop folds in progress. The next start begins them again.

        Failures do not end the work: the next search comes after a longer pause.
        """
        of_features = ((jobs.broker, jobs.queue, jobs.at_once) for jobs in self._of_features)
        outage = BrokerOutageLog(self.broker)
        leave_outages_to_us([QUEUE, *(jobs.queue for jobs in self._of_features)])
        workers = [
            dramatiq.Worker(broker, queues={queue}, worker_threads=threads, worker_timeout=500)
            for broker, queue, threads in ((self.broker, QUEUE, AT_ONCE), *of_features)
        ]
        for worker in workers:
            worker.start()
        try:
            look_at, pause = 0.0, LOOK_AGAIN
            while not stop():
                if time.monotonic() >= look_at:
                    pause = LOOK_AGAIN if self._look(outage) else min(2 * pause, LONGEST_PAUSE)
                    look_at = time.monotonic() + pause
                time.sleep(0.2)
        finally:
            self._ending.set()
            with ThreadPoolExecutor(len(workers)) as pool:  # each takes a second to end
                list(pool.map(_end, workers))

    def _look(self, outage: BrokerOutageLog) -> bool:
        """Send unfinished jobs again. Returns whether that was possible."""
        try:
            outage.ask()
            self.send_unfinished_again()
            for jobs in self._of_features:
                jobs.send_unfinished_again()
        except AWAY as error:
            if not outages.note(error):
                outage.note(error)
        except Exception:
            log.exception("search_failed")
        else:
            return True
        return False

    def _carry_out(self, number: int) -> None:
        """Fold a replay unless a worker is folding it already. Messages may repeat, since workers send jobs again."""
        with self._taking:
            if number in self._taken or not is_free(self._url, number):
                return
            self._taken.add(number)
        try:
            fold_to_the_end(self._url, number, self._ending)
        finally:
            self._taken.discard(number)


def _end(worker: dramatiq.Worker) -> None:
    # If a message cannot be given back because the broker is away, the next start finds its row.
    with suppress(*AWAY):
        worker.stop(STOP_TIMEOUT)


# ---------------------------------------------------------------- outages of the broker


REDIS_AWAY = say(
    "Redis at LEAGUE_BROKER_URL does not answer; what was asked for waits in the database, and is taken up when it does"
)


class BrokerOutageLog:
    """Logs the outages of one worker's broker."""

    def __init__(self, broker: object) -> None:
        self._client = broker.client if isinstance(broker, RedisBroker) else None
        self._since: float | None = None

    def ask(self) -> None:
        """Ask whether Redis is there. Raises RedisError if not."""
        if self._client is None:
            return
        self._client.ping()
        if self._since is not None:
            log.warning("broker_back", seconds=round(time.monotonic() - self._since, 1))
            self._since = None

    def note(self, error: Exception) -> None:
        """Note that Redis did not answer. Only the first time of an outage is logged."""
        if self._since is None:
            self._since = time.monotonic()
            log.warning("broker_away", reason=REDIS_AWAY, error=str(error))


def leave_outages_to_us(queues: Iterable[str]) -> None:
    """Silence dramatiq's messages that Redis is away, which it logs every few seconds for each queue."""
    for queue in queues:
        for name in (queue, f"{queue}.DQ"):  # the second queue is for delayed messages
            logging.getLogger(f"dramatiq.worker.ConsumerThread({name})").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return "connection error" not in record.msg
