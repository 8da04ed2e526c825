"""Jobs: dramatiq sends the number of a replay to a worker, which folds it (`replay_folding`).

Features have their own queues, and a worker process works on all of them. The row of a replay holds the task and its
result, so a lost or repeated message does no harm.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TypeVar

import dramatiq
import psycopg
import redis
import structlog
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Callbacks, Pipelines, Retries, ShutdownNotifications
from redis.exceptions import RedisError

from league.application.bootstrap import clock as own_clock
from league.application.candidates import unfinished_replays
from league.application.duties import Duty, keep_duties
from league.application.redis_queue import QueueAlarm, RestingBroker
from league.application.replay_folding import fold_to_the_end, is_free
from league.application.work_part import JobSettings, QueuedJobs, WorkPart
from league.domain.sentences import say
from league.eventlog.recorder import EVENTS
from league.features import declared
from league.infra.outages import outages
from league.projections.runs import CHANNEL as COMMITS

QUEUE = "replays"
CHANNEL = "league_replays"
"""The channel on which the database announces every change to the table of replays."""
WORKING = 7_120_435_000
"""The advisory lock that all workers share, so that other processes see whether one runs."""
SEEN_WORKING = f"SELECT pg_advisory_lock_shared({WORKING})"
"""Takes that lock for as long as the connection lasts."""
LOOK_AGAIN = 3.0
"""Seconds from a change to a search for jobs whose message was lost or never sent, and between two while some wait."""
SOMETHING_WAITS = datetime.min.replace(tzinfo=UTC)
"""When a search for jobs is due: at once."""
BROKER_TIMEOUT = 5.0
"""Seconds to wait for a Redis that does not answer."""
STOP_TIMEOUT = 10_000
"""Milliseconds that an ending worker waits for its threads. One may be trying to reach a Redis that is away."""

AWAY = (dramatiq.errors.BrokerConnectionError, RedisError, psycopg.OperationalError)
"""Errors of a broker or a database that is away. Rows wait, and the next search finds them."""

log = structlog.get_logger()


def broker_for(url: str | None, alarm: QueueAlarm) -> dramatiq.Broker:
    """The Redis broker if a URL is given, else a broker within this process, whose messages end with the process.

    `alarm` wakes the consumers of a Redis broker, which rest while nothing happens.

    Omits dramatiq's time limit, since a replay may take any time.
    """
    middleware = [AgeLimit(), ShutdownNotifications(), Callbacks(), Pipelines(), Retries(max_retries=0)]
    if url is None:
        return StubBroker(middleware=middleware)
    client = redis.Redis.from_url(url, socket_timeout=BROKER_TIMEOUT, socket_connect_timeout=BROKER_TIMEOUT)
    return RestingBroker(alarm, client=client, middleware=middleware)


J = TypeVar("J")


class Jobs:
    """Sends replays to the workers of one league, and holds the job queues of features."""

    queue = QUEUE
    channels: tuple[str, ...] = (CHANNEL,)
    at_once = 4
    """Limit on the folds that a worker runs at the same time."""

    def __init__(
        self, database_url: str, broker_url: str | None, photo_place: str | None = None, *, reviews_rules: bool = True
    ) -> None:
        """`broker_url`: the URL of Redis; None: messages stay in this process. The others are `JobSettings`."""
        settings = JobSettings(photo_place, reviews_rules)
        self._alarm = QueueAlarm()
        self._url, self.broker = database_url, broker_for(broker_url, self._alarm)
        self._ending, self._taking = threading.Event(), threading.Lock()
        self._taken: set[int] = set()
        """Replays that this worker is folding."""
        # Each feature has its own broker and worker, so that its jobs do not wait for replays.
        self._of_features: list[QueuedJobs] = [
            part.jobs(database_url, broker_for(broker_url, self._alarm), settings, self._ending)
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
            # The row is stored, and the database announces it: workers search for such rows then.
            log.warning("broker_away", replay=number, error=str(error))

    def send_unfinished_again(self) -> bool:
        """Send unfinished replays that this worker is not folding. Called at start-up and after changes.

        Shown candidates whose runs are gone, as after a restore, are folded again.

        Returns whether there are such replays.
        """
        waiting = [number for number in unfinished_replays(self._url) if number not in self._taken]
        # Send only as many as can start now. Rows can wait, but messages would pile up.
        for number in waiting[: self.at_once - len(self._taken)]:
            self._actor.send(number)
        return bool(waiting)

    def work(
        self, stop: Callable[[], bool], clock: Callable[[], datetime] = own_clock, beside: Sequence[Duty] = ()
    ) -> None:
        """Work on jobs until `stop()` returns true, then stop folds in progress. The next start begins them again.

        `beside`: other duties of this process. `clock` is that of the database. Meanwhile other processes see that a
        worker runs.
        """
        queues: tuple[QueuedJobs, ...] = (self, *self._of_features)
        outages_of_broker = BrokerOutageLog(self.broker)
        search = JobSearch(queues, outages_of_broker, self._alarm)
        workers = [
            dramatiq.Worker(jobs.broker, queues={jobs.queue}, worker_threads=jobs.at_once, worker_timeout=500)
            for jobs in queues
        ]
        with outages_left_to_us([queue.queue for queue in queues], outages_of_broker):
            for worker in workers:
                worker.start()
            try:
                keep_duties(self._url, [search.duty, *beside], clock, stop, prepare=[SEEN_WORKING])
            finally:
                self._ending.set()
                self._alarm.end()
                with ThreadPoolExecutor(len(workers)) as pool:  # each takes a second to end
                    list(pool.map(_end, workers))

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


class JobSearch:
    """Sends jobs again whose message was lost or never sent: soon after each change, and repeatedly while some wait."""

    def __init__(self, queues: Sequence[QueuedJobs], outages_of_broker: BrokerOutageLog, alarm: QueueAlarm) -> None:
        self._queues, self._outages, self._alarm = queues, outages_of_broker, alarm
        self._has_looked = False
        """Whether a search has found nothing since the waiter asked for the last time."""

    @property
    def duty(self) -> Duty:
        """The search, as a duty of a worker."""
        channels = {channel for queue in self._queues for channel in queue.channels}
        return Duty(
            name="search_jobs",
            due=self._due,
            work=self.look,
            channels=(EVENTS, COMMITS, *channels),
            told=self._alarm.wake,
            pause=LOOK_AGAIN,
        )

    def _due(self, _: object) -> datetime | None:
        # The search itself finds out whether something waits, so it is due whenever the waiter asks, but for the one
        # time after a search that has found nothing.
        has_looked, self._has_looked = self._has_looked, False
        return None if has_looked else SOMETHING_WAITS

    def look(self) -> None:
        """Send unfinished jobs again, unless Redis is away."""
        try:
            waiting = [queue.send_unfinished_again() for queue in self._queues]
        except AWAY as error:
            if not outages.note(error):
                self._outages.note(error)
        else:
            self._has_looked = not any(waiting)


# ---------------------------------------------------------------- outages of the broker


REDIS_AWAY = say(
    "Redis at LEAGUE_BROKER_URL does not answer; what was asked for waits in the database, and is taken up when it does"
)


class BrokerOutageLog:
    """Logs the outages of one worker's broker. Safe to share between threads."""

    def __init__(self, broker: object) -> None:
        self._client = broker.client if isinstance(broker, RestingBroker) else None
        self._lock, self._is_away = threading.Lock(), False

    def note(self, error: object) -> None:
        """Note that Redis did not answer. Logs the beginning and the end of an outage. Does not block."""
        with self._lock:
            if self._client is not None and not self._is_away:
                self._is_away = True
                log.warning("broker_away", reason=REDIS_AWAY, error=str(error))
                threading.Thread(target=self._follow, args=(self._client,), daemon=True).start()

    def _follow(self, client: redis.Redis) -> None:
        since = time.monotonic()
        while not _answers(client):
            time.sleep(LOOK_AGAIN)
        log.warning("broker_back", seconds=round(time.monotonic() - since, 1))
        with self._lock:
            self._is_away = False


def _answers(client: redis.Redis) -> bool:
    try:
        client.ping()
    except RedisError:
        return False
    return True


class OutagesToUs(logging.Filter):
    """Lets a log of outages tell what dramatiq would log of them every few seconds, for each queue."""

    def __init__(self, outages: BrokerOutageLog) -> None:
        super().__init__()
        self._outages = outages

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether dramatiq logs a message itself."""
        if "connection error" not in record.msg:
            return True
        self._outages.note(record.getMessage())
        return False


@contextmanager
def outages_left_to_us(queues: Iterable[str], outages: BrokerOutageLog) -> Iterator[None]:
    """A context in which dramatiq's consumers of these queues tell this log that Redis is away, and log nothing."""
    names = [f"dramatiq.worker.ConsumerThread({name})" for queue in queues for name in (queue, f"{queue}.DQ")]
    to_us = OutagesToUs(outages)
    for name in names:  # the second of each queue is for delayed messages
        logging.getLogger(name).addFilter(to_us)
    try:
        yield
    finally:
        for name in names:
            logging.getLogger(name).removeFilter(to_us)
