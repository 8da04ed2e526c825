"""One line in the log when the database goes away and one when it is back, however many notice it in between."""

import threading
import time

import psycopg
import structlog

from league.infra.database import connect
from league.infra.database_reasons import Reason, reason_of

AGAIN = 1.0
"""Seconds between two looks whether the database is back."""
LIMITS = "SET lock_timeout = '1s'; SET statement_timeout = '2s'"

log = structlog.get_logger()


class OutageLog:
    """The outages of this process's database. Safe to share between threads."""

    def __init__(self) -> None:
        self._url = ""
        self._lock = threading.Lock()
        self._looks = False

    def watch(self, url: str) -> None:
        """Say which database the process works with."""
        self._url = url

    def note(self, error: BaseException | None) -> bool:
        """Note that something failed; whether that was because of the database. Does not block.

        A thread looks whether the database is away. A connection that was lost before the end of an outage, and is
        missed after it, is no outage.
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
    """Why the database did not answer, also where the error was translated."""
    while error is not None:
        if (reason := reason_of(error)) is not None:
            return reason
        error = error.__cause__
    return None


outages = OutageLog()
