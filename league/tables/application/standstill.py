"""The league's heartbeat, by which it finds out afterwards that no server was alive for a while.

All processes that keep tables share one row, which one of them renews each second. A renewal that comes late means that
no process was there to hear a player or to meet a deadline, so the clocks of the tables stood still meanwhile.
"""

from datetime import datetime
from typing import Any, NamedTuple

import psycopg

Connection = psycopg.Connection[Any]

BEAT = 1.0
"""Seconds between two renewals."""
STANDSTILL = 5.0
"""Seconds without a renewal after which no server was alive."""

_LAST = """
    SELECT beat_at, clock_timestamp(), extract(epoch FROM clock_timestamp() - beat_at)::float8
    FROM live_heartbeat FOR UPDATE SKIP LOCKED
"""
_RENEW = "UPDATE live_heartbeat SET beat_at = %s"
# A standstill that is not noted yet, since the server that came back was killed as well, and this one become one.
_STOOD = """
    UPDATE live_tables SET stood_since = coalesce(stood_since, %s), stood_until = %s
    WHERE phase NOT IN ('open', 'closed')
"""
_TO_NOTE = "SELECT table_id, stood_since, stood_until FROM live_tables WHERE stood_until IS NOT NULL ORDER BY table_id"
_NOTED = """
    UPDATE live_tables SET stood_since = NULL, stood_until = NULL,
        silence_from = stood_until + (return_seconds - away_after_seconds) * interval '1 second'
    WHERE table_id = %s AND stood_until = %s
"""


class Standstill(NamedTuple):
    """A span of time in which no server was alive, as a table has to note it."""

    table: str
    since: datetime
    until: datetime

    @property
    def key(self) -> str:
        """The idempotency key by which the table notes it once."""
        return f"standstill {self.table} {self.since.isoformat()} {self.until.isoformat()}"


def beat(conn: Connection) -> bool:
    """Renew the heartbeat if it is old enough. Whether this process did.

    If it comes late, each running table has a standstill to note.
    """
    with conn.transaction():
        row = conn.execute(_LAST).fetchone()
        if row is None:
            return False  # another process is about to renew it
        since, now, seconds = row
        if 0 <= seconds < BEAT:
            return False
        if seconds > STANDSTILL:
            conn.execute(_STOOD, [since, now])
        conn.execute(_RENEW, [now])
    return True


def standstills(conn: Connection) -> list[Standstill]:
    """The standstills that tables have not noted yet. Their deadlines are not met before."""
    return [Standstill(*row) for row in conn.execute(_TO_NOTE).fetchall()]


def mark_noted(conn: Connection, standstill: Standstill) -> None:
    """Resume the table's clocks."""
    conn.execute(_NOTED, [standstill.table, standstill.until])
