"""Short questions about the database, for health checks and metrics: they end soon, whatever the database does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from typing import TypeVar

import psycopg
from psycopg.rows import TupleRow

from league.infra.database import connect
from league.infra.database_reasons import Reason, reason_of

T = TypeVar("T")

PATIENCE = 1.5
"""Seconds after which an answer is that there is none."""
LIMITS = "SET lock_timeout = '500ms'; SET statement_timeout = '1s'"


class DatabaseAway(Exception):
    """The database gave no answer, for this reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class Probe:
    """One connection and one thread of its own, so that it never waits for requests. Safe to share between threads."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._thread = ThreadPoolExecutor(1, "league-probe")
        self._connection: psycopg.Connection[TupleRow] | None = None

    def ask(self, question: Callable[[psycopg.Connection[TupleRow]], T]) -> T:
        """The answer of the database. Blocks `PATIENCE` seconds at most. Raises DatabaseAway."""
        asked = self._thread.submit(self._answer, question)
        try:
            return asked.result(PATIENCE)
        except NotInTime:
            asked.cancel()  # so that no questions pile up behind one that hangs
            raise DatabaseAway("slow") from None

    def close(self) -> None:
        """Close the connection, after a question that is being answered."""
        self._thread.submit(self._drop)
        self._thread.shutdown(wait=False)

    def _answer(self, question: Callable[[psycopg.Connection[TupleRow]], T]) -> T:
        try:
            if self._connection is None:
                self._connection = connect(self._url, autocommit=True)
                self._connection.execute(LIMITS)
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
