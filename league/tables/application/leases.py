"""Tables that wait for the clock or for an AI, each taken by one process at a time.

A process takes a table with a lease, which lapses when the process dies. It decides nothing: what the process then does
is refused if another one was faster.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import psycopg

from league.tables.application.standstill import STANDSTILL

Connection = psycopg.Connection[Any]

LEASE = 2.0
"""Seconds that a process has for what it took, before others take it too."""
AT_ONCE = 10
"""Tables that a process takes at once: others may be there to share them."""

# After a standstill no clock and no AI goes on until its tables are marked.
_ALIVE = "EXISTS (SELECT FROM live_heartbeat WHERE clock_timestamp() - beat_at <= %(standstill)s * interval '1 second')"
_TAKE_DUE = f"""
    WITH due AS MATERIALIZED (
        SELECT table_id FROM live_tables
        WHERE due_at <= clock_timestamp() AND stood_until IS NULL
          AND {_ALIVE}
          AND (leased_until IS NULL OR leased_until < clock_timestamp())
        ORDER BY due_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
    )
    UPDATE live_tables AS live SET leased_until = clock_timestamp() + %(lease)s * interval '1 second'
    FROM due WHERE live.table_id = due.table_id
    RETURNING live.table_id, live.due_at
"""  # noqa: S608  # constants
_TAKE_AI_TURNS = f"""
    WITH waiting AS MATERIALIZED (
        SELECT table_id FROM live_tables
        WHERE ai_seat IS NOT NULL AND changed_at <= clock_timestamp() - %(pause)s * interval '1 second'
          AND stood_until IS NULL AND {_ALIVE}
          AND (ai_leased_until IS NULL OR ai_leased_until < clock_timestamp())
        ORDER BY practice, changed_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
    )
    UPDATE live_tables AS live SET ai_leased_until = clock_timestamp() + %(lease)s * interval '1 second'
    FROM waiting WHERE live.table_id = waiting.table_id
    RETURNING live.table_id
"""  # noqa: S608  # constants
_NEXT_DUE = """
    SELECT extract(epoch FROM min(greatest(due_at, leased_until)) - clock_timestamp())::float8
    FROM live_tables WHERE due_at IS NOT NULL AND stood_until IS NULL
"""
_NEXT_AI_TURN = f"""
    SELECT extract(epoch FROM
        min(greatest(changed_at + %(pause)s * interval '1 second', ai_leased_until)) - clock_timestamp())::float8
    FROM live_tables WHERE ai_seat IS NOT NULL AND stood_until IS NULL AND {_ALIVE}
"""  # noqa: S608  # constants
_OVERDUE_BY = "SELECT extract(epoch FROM clock_timestamp() - %s::timestamptz)::float8"


class DueTable(NamedTuple):
    """A table whose deadline has passed."""

    table: str
    due_at: datetime


def take_due(conn: Connection) -> list[DueTable]:
    """Take tables whose deadline has passed by the database's clock, and that no other process has taken.

    None while a standstill is undecided, and no table that has one to note.
    """
    limits = {"most": AT_ONCE, "lease": LEASE, "standstill": STANDSTILL}
    return [DueTable(*row) for row in conn.execute(_TAKE_DUE, limits).fetchall()]


def take_ai_turns(conn: Connection, pause: float, lease: float, most: int = 1) -> list[str]:
    """Take tables where it is an AI's turn for at least `pause` seconds, and that no other process has taken.

    None while a standstill is undecided, and no table that has one to note. Those that play a match come before
    practice.
    """
    limits = {"pause": pause, "lease": lease, "most": most, "standstill": STANDSTILL}
    rows = conn.execute(_TAKE_AI_TURNS, limits).fetchall()
    return [table for (table,) in rows]


def until_next_due(conn: Connection) -> float | None:
    """Seconds until a process can take a table whose deadline has passed; None where none has a deadline."""
    return _seconds(conn, _NEXT_DUE)


def until_next_ai_turn(conn: Connection, pause: float) -> float | None:
    """Seconds until a process can take an AI's turn that has lasted for `pause` seconds; None where none waits.

    None also while a standstill is undecided.
    """
    return _seconds(conn, _NEXT_AI_TURN, {"pause": pause, "standstill": STANDSTILL})


def overdue_by(conn: Connection, due_at: datetime) -> float:
    """Seconds since a deadline."""
    seconds = _seconds(conn, _OVERDUE_BY, [due_at])
    assert seconds is not None, "a deadline is a time"
    return seconds


def _seconds(conn: Connection, query: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> float | None:
    row = conn.execute(query, parameters).fetchone()
    assert row is not None, "an aggregate has a row"
    seconds: float | None = row[0]
    return seconds
