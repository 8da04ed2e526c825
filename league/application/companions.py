"""The processes that a served league needs beside those that answer requests: one that folds, one that works off jobs.

Each holds an advisory lock of the database while it works, so that every other process can see whether there is one.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any, Literal

import psycopg
import structlog

from league.domain.sentences import Sentence, say
from league.infra.database import connect
from league.infra.outages import outages
from league.projections.projector import ADVISORY_LOCK

Companion = Literal["projector", "worker"]

WORKING = 7_120_435_000
"""The advisory lock that workers share."""

LOCKS: dict[Companion, int] = {"projector": ADVISORY_LOCK, "worker": WORKING}

WITHOUT: dict[Companion, Sentence] = {
    "projector": say("nothing folds the log, so boards and ratings stand still: start `league project`"),
    "worker": say("nothing works off jobs, so replays and deadlines wait: start `league worker`"),
}
"""What it means that there is none."""

PAUSE = 15.0
"""Seconds between two looks. A process that is being restarted is not missed: only the second look counts."""

HELD = """
    SELECT EXISTS (
        SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
            AND classid = %(key)s >> 32 AND objid = %(key)s & x'ffffffff'::bigint
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
"""

log = structlog.get_logger()


def companions_of(conn: psycopg.Connection[Any]) -> dict[Companion, bool]:
    """Whether each of them works now."""
    return {name: conn.execute(HELD, {"key": key}).fetchone() == (True,) for name, key in LOCKS.items()}


def be_seen_working(url: str, ended: threading.Event) -> None:
    """Hold the lock of a worker until `ended` is set, again after an outage."""
    while not ended.is_set():
        with suppress(psycopg.OperationalError), connect(url, autocommit=True) as conn:
            conn.execute("SELECT pg_advisory_lock_shared(%s)", (WORKING,))
            while not ended.wait(PAUSE / 3):
                conn.execute("SELECT")
        ended.wait(1)


def tell_of_missing_companions(url: str, ended: threading.Event) -> None:
    """Log each companion that is missing in two looks in a row, once, until `ended` is set."""
    missed, told = set[Companion](), set[Companion]()
    while not ended.wait(PAUSE):
        try:
            with connect(url, autocommit=True) as conn:
                missing = {name for name, works in companions_of(conn).items() if not works}
        except psycopg.OperationalError as error:
            outages.note(error)
            continue
        for name in sorted(missing & missed - told):
            log.warning("process_missing", name=name, reason=WITHOUT[name])
            told.add(name)
        missed = missing
