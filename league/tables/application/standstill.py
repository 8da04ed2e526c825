"""The league's heartbeat, by which it finds out afterwards that no server was alive for a while.

All processes that keep tables share one row, which one of them renews each second. A renewal that comes late means that
no process was there to hear a player or to meet a deadline, so the clocks of the tables stood still meanwhile.
"""

from datetime import datetime
from typing import Any, NamedTuple

import psycopg

from league.tables.domain.refusals import ClockStands

Connection = psycopg.Connection[Any]

BEAT = 1.0
"""Seconds between two renewals."""
STANDSTILL = 5.0
"""Seconds without a renewal after which no server was alive."""

# One statement, so a process that is stopped holds no lock; a late renewal is committed with the marks of the tables.
# A table keeps the beginning of a standstill that it has not noted yet: the server that came back was killed as well.
_BEAT = """
    WITH last AS MATERIALIZED (
        SELECT beat_at, clock_timestamp() AS now FROM live_heartbeat
        WHERE beat_at > clock_timestamp() OR beat_at <= clock_timestamp() - %(beat)s * interval '1 second'
        FOR UPDATE SKIP LOCKED
    ), stood AS (
        UPDATE live_tables SET stood_since = coalesce(stood_since, last.beat_at), stood_until = last.now
        FROM last WHERE last.now - last.beat_at > %(standstill)s * interval '1 second'
        AND phase NOT IN ('open', 'closed')
    )
    UPDATE live_heartbeat SET beat_at = last.now FROM last
"""
_HELD = "SELECT FROM live_tables WHERE table_id = %s FOR UPDATE"
# A statement after the one that holds the row, so it sees each renewal and each mark that was committed before.
_DECIDED = """
    SELECT FROM live_tables, live_heartbeat
    WHERE table_id = %s AND stood_until IS NULL AND clock_timestamp() - beat_at <= %s * interval '1 second'
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


class StandstillDecided(NamedTuple):
    """What a command of the clock rests on: no standstill is undecided or still to be noted for its table."""

    table: str

    def check(self, conn: Connection, _before: int, _last: int) -> None:
        """Hold the table's row and raise ClockStands unless a server has been alive and the table has nothing to note.

        Another process can mark the table only after this transaction, so a deadline is met before a standstill or
        after the table has noted it.
        """
        conn.execute(_HELD, [self.table])
        if not conn.execute(_DECIDED, [self.table, STANDSTILL]).rowcount:
            raise ClockStands(self.table)


def beat(conn: Connection) -> bool:
    """Renew the heartbeat if it is old enough. Whether this process did.

    If it comes late, each running table has a standstill to note.
    """
    return conn.execute(_BEAT, {"beat": BEAT, "standstill": STANDSTILL}).rowcount == 1


def standstills(conn: Connection) -> list[Standstill]:
    """The standstills that tables have not noted yet. Their deadlines are not met before."""
    return [Standstill(*row) for row in conn.execute(_TO_NOTE).fetchall()]


def mark_noted(conn: Connection, standstill: Standstill) -> None:
    """Resume the table's clocks."""
    conn.execute(_NOTED, [standstill.table, standstill.until])
