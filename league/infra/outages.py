"""Finds out whether the database answers: short queries for health checks, and a log of its outages."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from typing import TypeVar

import psycopg
import structlog
from psycopg.rows import TupleRow

from league.infra.database import Reason, connect, reason_of

T = TypeVar("T")

# ---------------------------------------------------------------- short queries


PATIENCE = 1.5
"""Seconds after which a database without an answer counts as away."""
PROBE_LIMITS = "SET lock_timeout = '500ms'; SET statement_timeout = '1s'"


class DatabaseAway(Exception):
    """The database gave no answer, for this reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class DatabaseProbe:
    """Queries the database on its own connection and thread, so it never waits for requests. Safe to share."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._thread = ThreadPoolExecutor(1, "league-probe")
        self._connection: psycopg.Connection[TupleRow] | None = None

    def ask(self, question: Callable[[psycopg.Connection[TupleRow]], T]) -> T:
        """The answer of the database to a query. Blocks at most `PATIENCE` seconds. Raises DatabaseAway."""
        asked = self._thread.submit(self._answer, question)
        try:
            return asked.result(PATIENCE)
        except NotInTime:
            asked.cancel()  # so that queries do not pile up behind one that hangs
            raise DatabaseAway("slow") from None

    def close(self) -> None:
        """Close the connection once the present query is answered. Does not block."""
        self._thread.submit(self._drop)
        self._thread.shutdown(wait=False)

    def _answer(self, question: Callable[[psycopg.Connection[TupleRow]], T]) -> T:
        try:
            if self._connection is None:
                self._connection = connect(self._url, autocommit=True)
                self._connection.execute(PROBE_LIMITS)
            return question(self._connection)
        except psycopg.Error as error:
            reason = reason_of(error)
            if reason not in ("locked", "slow"):
                self._drop()
            if reason is None:
                raise
            raise DatabaseAway(reason) from error

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


# ---------------------------------------------------------------- the log of outages


AGAIN = 1.0
"""Seconds between two checks whether the database is back."""
LIMITS = "SET lock_timeout = '1s'; SET statement_timeout = '2s'"

log = structlog.get_logger()


class OutageLog:
    """Logs the outages of this process's database. Safe to share between threads."""

    def __init__(self) -> None:
        self._url = ""
        self._lock = threading.Lock()
        self._looks = False

    def watch(self, url: str) -> None:
        """Set the database of the process."""
        self._url = url

    def note(self, error: BaseException | None) -> bool:
        """Note a failure. Returns whether the database caused it. Does not block.

        A thread checks whether the database is away. If it answers, there is no outage: the failed connection may have
        been lost in an outage that is over.
        """
        reason = _reason_of(error)
        if reason is None:
            return False
        with self._lock:
            if not self._looks and self._url:
                self._looks = True
                threading.Thread(target=self._follow, args=(reason, str(error).strip()), daemon=True).start()
        return True

    def _follow(self, reason: Reason, error: str) -> None:
        since = time.monotonic()
        is_away = not self._answers()
        if is_away:
            log.warning("database_away", reason=reason, error=error)
            while not self._answers():
                time.sleep(AGAIN)
            log.warning("database_back", seconds=round(time.monotonic() - since, 1))
        else:
            log.info("database_answers_again", reason=reason, error=error)
        with self._lock:
            self._looks = False

    def _answers(self) -> bool:
        try:
            with connect(self._url, autocommit=True) as conn:
                conn.execute(LIMITS)
                conn.execute("SELECT FROM stored_events LIMIT 1")
        except psycopg.Error:
            return False
        return True


def _reason_of(error: BaseException | None) -> Reason | None:
    """The reason why the database did not answer, even if another exception wraps the error."""
    while error is not None:
        if (reason := reason_of(error)) is not None:
            return reason
        error = error.__cause__
    return None


outages = OutageLog()
