"""Finishes drawings that wait for bytes of devices. Any process that answers requests or works does so.

The row of a tournament says since when it waits, and the database's clock decides. So a drawing whose process has died
is finished by another one, with the bytes that are stored.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import psycopg
import structlog

from league.application.background import in_background
from league.application.bootstrap import League
from league.domain.refusals import Refusal
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect
from league.infra.outage_log import outages
from league.tournaments.application.drawing import pair_drawn

ACTOR = "clock"
LOOK_AGAIN = 0.5
"""Seconds between two looks."""
LONGEST_PAUSE = 30.0
"""Seconds before the next look after several have failed, at most."""

_WAITING = "SELECT tournament_id FROM tournaments WHERE asked_at IS NOT NULL ORDER BY asked_at"
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"

log = structlog.get_logger()


def working(league: League) -> AbstractContextManager[None]:
    """Inside this context drawings are finished in the background."""
    return in_background(partial(keep_drawings, league))


def keep_drawings(league: League, ended: threading.Event) -> None:
    """Finish drawings until `ended` is set, whatever fails meanwhile."""
    pause = LOOK_AGAIN
    while not ended.is_set():
        try:
            with connect(league.database.url, autocommit=True) as conn:
                while not ended.is_set():
                    finish_drawings(league, conn)
                    pause = LOOK_AGAIN
                    ended.wait(pause)
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
            pause = LOOK_AGAIN
        except Exception:
            log.exception("drawings_not_kept", pause=pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        ended.wait(pause)


def finish_drawings(league: League, conn: psycopg.Connection[Any]) -> None:
    """Pair each drawn round that has waited long enough, or that has all bytes. `conn` commits by itself."""
    for (tournament,) in conn.execute(_WAITING).fetchall():
        with _alone(conn, f"drawing:{tournament}") as is_ours:
            if is_ours:
                try:
                    pair_drawn(league, tournament, ACTOR)
                except Refusal as refusal:
                    log.warning("drawing_not_finished", tournament=tournament, code=refusal.code, error=str(refusal))


@contextmanager
def _alone(conn: psycopg.Connection[Any], name: str) -> Iterator[bool]:
    """Whether no other process does this now. The lock saves work and decides nothing; it goes with its connection."""
    row = conn.execute(_LOCK, [name]).fetchone()
    is_ours = row is not None and bool(row[0])
    try:
        yield is_ours
    finally:
        if is_ours:
            conn.execute(_UNLOCK, [name])
