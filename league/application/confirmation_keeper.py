"""Decides the matches whose time for confirmations is over, by the deadlines that stand in the database."""

import threading
from datetime import datetime
from typing import Any

import psycopg
import structlog

from league.application.bootstrap import League
from league.domain.disputes import ConfirmByTime
from league.domain.refusals import Refusal
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect
from league.infra.outages import outages

PAUSE = 30.0
"""Seconds between two looks."""

# The row is held while the command is decided, so that processes share what is due.
_TAKE = """
    SELECT match_id FROM pending_matches WHERE due_at <= %s AND match_id > %s
    ORDER BY match_id LIMIT 1 FOR UPDATE SKIP LOCKED
"""

CLOCK = "clock"
"""The actor of what the clock does."""

log = structlog.get_logger()


def keep_confirmations(league: League, ended: threading.Event) -> None:
    """Decide what is due until `ended` is set, whatever fails meanwhile."""
    while not ended.is_set():
        try:
            with connect(league.database.url) as conn:
                confirm_due(league, conn, league.dispatcher.clock())
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
        except Exception:
            log.exception("confirmations_failed")
        ended.wait(PAUSE)


def confirm_due(league: League, conn: psycopg.Connection[Any], now: datetime) -> list[str]:
    """Decide the matches that are due at this time, and that no other process is deciding; returns their ids.

    A row may be behind the log: the decider then refuses, and another look finds it gone.
    """
    decided: list[str] = []
    match = ""
    while True:
        with conn.transaction():
            row = conn.execute(_TAKE, (now, match)).fetchone()
            if row is None:
                return decided
            match = row[0]
            try:
                league.dispatcher.send(ConfirmByTime(match), CLOCK)
            except Refusal as refusal:
                log.debug("confirmation_not_due", match=match, error=refusal.sentence)
            else:
                decided.append(match)
