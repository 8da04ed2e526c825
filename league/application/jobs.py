"""Jobs: dramatiq carries the number of a replay to a worker, and the worker folds it (`replay_folding`).

The row holds the task and its result. A message that is lost or comes twice does no harm.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import dramatiq
import psycopg
import structlog
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Callbacks, Pipelines, Retries, ShutdownNotifications
from redis.exceptions import ConnectionError as RedisConnectionError

from league.application.replay_folding import fold_to_the_end, is_free
from league.infra.database import connect

QUEUE = "replays"
CHANNEL = "league_replays"
"""On which the database tells of every change to the table of replays."""
AT_ONCE = 4
"""Folds that a worker lets run side by side."""
LOOK_AGAIN = 3.0
"""Seconds between two looks for replays whose message was lost, or never sent."""

log = structlog.get_logger()


def broker_for(url: str | None) -> dramatiq.Broker:
    """Redis where a URL is given, else the broker of this process, whose messages end with it.

    Without dramatiq's time limit: a replay takes as long as it takes.
    """
    middleware = [AgeLimit(), ShutdownNotifications(), Callbacks(), Pipelines(), Retries(max_retries=0)]
    if url is None:
        return StubBroker(middleware=middleware)
    return RedisBroker(url=url, middleware=middleware)  # type: ignore[no-untyped-call]  # dramatiq does not type it


class Jobs:
    """Sends replays to the workers of one league."""

    def __init__(self, database_url: str, broker: dramatiq.Broker) -> None:
        self._url, self.broker = database_url, broker
        self._ending, self._taking = threading.Event(), threading.Lock()
        self._taken: set[int] = set()
        """Replays that this worker folds now."""
        self._actor = dramatiq.actor(broker=broker, actor_name="replay", queue_name=QUEUE)(self._carry_out)

    def hand_out(self, number: int) -> None:
        """Hand the number of a replay that was written down to a worker."""
        try:
            self._actor.send(number)
        except (dramatiq.errors.ConnectionError, RedisConnectionError) as error:
            # The row is there, and workers look for such rows from time to time.
            log.warning("broker_away", replay=number, error=str(error))

    def send_unfinished_again(self) -> int:
        """Hand out what no worker has finished or folds; done at start-up and from time to time. Returns how many."""
        with connect(self._url) as conn:
            rows = conn.execute("SELECT replay FROM replays WHERE unfinished ORDER BY replay").fetchall()
        waiting = [number for (number,) in rows if number not in self._taken]
        # No more than can be begun: rows can wait, and messages would pile up.
        for number in waiting[: AT_ONCE - len(self._taken)]:
            self._actor.send(number)
        return len(waiting)

    def work(self, stop: Callable[[], bool]) -> None:
        """Take jobs until `stop()`. A fold that is under way then is stopped, and the next start begins it again."""
        worker = dramatiq.Worker(self.broker, worker_threads=AT_ONCE, worker_timeout=500)
        worker.start()
        try:
            looked = -LOOK_AGAIN
            while not stop():
                if time.monotonic() - looked >= LOOK_AGAIN:
                    # The database may be away for a moment; there is a next look.
                    with suppress(psycopg.OperationalError):
                        self.send_unfinished_again()
                    looked = time.monotonic()
                time.sleep(0.2)
        finally:
            self._ending.set()
            worker.stop()

    def _carry_out(self, number: int) -> None:
        """Fold a replay unless another worker is folding it: a message may come twice, and workers hand out again."""
        with self._taking:
            if number in self._taken or not is_free(self._url, number):
                return
            self._taken.add(number)
        try:
            fold_to_the_end(self._url, number, self._ending)
        finally:
            self._taken.discard(number)
