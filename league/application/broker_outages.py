"""One line in the log when Redis goes away from a worker, and one when it is back."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

import structlog
from dramatiq.brokers.redis import RedisBroker

from league.domain.sentences import say

AWAY = say(
    "Redis at LEAGUE_BROKER_URL does not answer; what was asked for waits in the database, and is taken up when it does"
)

log = structlog.get_logger()


class BrokerOutages:
    """The outages of one worker's broker."""

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
        """Note that Redis did not answer: the first time of an outage is logged."""
        if self._since is None:
            self._since = time.monotonic()
            log.warning("broker_away", reason=AWAY, error=str(error))


def leave_outages_to_us(queues: Iterable[str]) -> None:
    """Let the consumers of queues not say each few seconds, once for each queue, that Redis is away."""
    for queue in queues:
        for name in (queue, f"{queue}.DQ"):  # dramatiq has a second one for delayed messages
            logging.getLogger(f"dramatiq.worker.ConsumerThread({name})").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return "connection error" not in record.msg
