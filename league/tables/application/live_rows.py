"""The state of each live table, which a process caches, and its row: what the clock and the AIs have to do next.

The row is written in the transaction of its table's events. A process takes a waiting table with a lease, which lapses
if the process dies. A lease decides nothing: if another process was faster, the command is refused.

All processes that keep the clock share one heartbeat, which one of them renews every second while a table is open. If a
renewal comes late, no process was there to hear a player or to meet a deadline, so the clocks of the tables stood still
meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast

import psycopg
from psycopg.rows import tuple_row

from league.application.stream_states import StateCache, StreamStates
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections.row_part import RowPart, RowsAgain
from league.tables.domain.commands_and_events import TableOpened
from league.tables.domain.refusals import ClockStands
from league.tables.domain.state import TableState, ai_to_act, away, due_of, present
from league.tables.events import CACHED, STREAM
from league.tables.projections import BOOKKEEPING, PLAYED

Connection = psycopg.Connection[Any]


def table_state(states: StreamStates, table: str) -> TableState:
    """The state of a live table for a command, including events decided but not stored yet.

    If there is no such table, the state has no events.
    """
    return cast(TableState, states.cached_state(STREAM + table))


def stored_table(state_cache: StateCache, table: str) -> TableState:
    """The stored state of a live table. If there is no such table, the state has no events."""
    return cast(TableState, state_cache.load(STREAM + table))


# ---------------------------------------------------------------- the row

TIMES = "SELECT recorded_at FROM stored_events WHERE position > %s AND position <= %s ORDER BY position"
WRITE = """
    INSERT INTO live_tables AS live (
        table_id, version, phase, opened_at, ruleset, mode, listed, practice, free_seats, players, guests, opened_by,
        due_at, due, ai_seat, ai_level, present, away, away_after_seconds, return_seconds, silence_from
    )
    VALUES (
        %(table)s, %(version)s, %(phase)s, %(opened_at)s, %(ruleset)s, %(mode)s, %(listed)s, %(practice)s,
        %(free_seats)s, %(players)s, %(guests)s, %(opened_by)s, %(due_at)s, %(due)s, %(ai_seat)s, %(ai_level)s,
        %(present)s, %(away)s, %(away_after)s, %(return)s, CASE WHEN %(runs)s THEN clock_timestamp() END
    )
    ON CONFLICT (table_id) DO UPDATE SET
        version = excluded.version, phase = excluded.phase, practice = excluded.practice,
        free_seats = excluded.free_seats, players = excluded.players, due_at = excluded.due_at, due = excluded.due,
        ai_seat = excluded.ai_seat, ai_level = excluded.ai_level, present = excluded.present, away = excluded.away,
        away_after_seconds = excluded.away_after_seconds, return_seconds = excluded.return_seconds,
        silence_from = coalesce(live.silence_from, excluded.silence_from),
        changed_at = clock_timestamp(), leased_until = NULL, ai_leased_until = NULL
"""
OPEN = """
    SELECT originator_id FROM stored_events WHERE topic IN ('table-opened/1', 'table-closed/1')
    GROUP BY originator_id
    HAVING count(*) FILTER (WHERE topic = 'table-opened/1') > count(*) FILTER (WHERE topic = 'table-closed/1')
    EXCEPT SELECT %s || table_id FROM live_tables
"""
AS_IT_IS = "INSERT INTO live_tables SELECT * FROM league.live_tables WHERE table_id = %s"
# For a restored table, no server was alive since the last event of the log.
STOOD = """
    UPDATE live_tables SET stood_since = newest.recorded_at,
        stood_until = greatest(clock_timestamp(), newest.recorded_at + interval '1 millisecond')
    FROM (SELECT recorded_at FROM stored_events ORDER BY position DESC LIMIT 1) AS newest
    WHERE table_id = ANY(%s) AND phase <> 'open'
"""
# The mutes of a table are deleted with it.
CLOSE = """
    WITH muted AS (DELETE FROM table_mutes WHERE table_id = %(table)s)
    DELETE FROM live_tables WHERE table_id = %(table)s
"""
TAKEN = "SELECT due_at FROM live_tables WHERE table_id = %s FOR UPDATE"


def rows_of(appends: Sequence[Append], states: StreamStates) -> Within | None:
    """A function that writes the rows of the tables that some appends change, in their transaction.

    None if they change no table.
    """
    if not any(append.stream.startswith(STREAM) for append in appends):
        return None

    def write(conn: Connection, before: int, last: int) -> None:
        with conn.cursor(row_factory=tuple_row) as cursor:
            times = [time for (time,) in cursor.execute(TIMES, [before, last])]
        if any(isinstance(event, TableOpened) for append in appends for event in append.events):
            conn.execute(_BEAT_FOR_FIRST)
        after: dict[str, TableState] = {}
        for append in appends:
            recorded, times = times[: len(append.events)], times[len(append.events) :]
            if append.stream.startswith(STREAM):
                state = after.get(append.stream) or states.stored_states[append.stream]
                after[append.stream] = CACHED.after(state, append.events, recorded)
        for state in after.values():
            write_live_row(conn, state)

    return write


def write_missing_rows(store: EventStore, url: str) -> list[str]:
    """Write missing rows of open tables, as after a restore. Returns the ids of these tables."""
    with connect(url) as conn:
        if not conn.execute(OPEN, [STREAM]).fetchall():
            return []
        store.lock(conn)  # so that no table is opened meanwhile
        return _write_missing(conn, StateCache(store))


def _write_missing(conn: Connection, tables: StateCache) -> list[str]:
    streams = sorted(stream for (stream,) in conn.execute(OPEN, [STREAM]).fetchall())
    missing = [stream.removeprefix(STREAM) for stream in streams]
    for table in missing:
        write_live_row(conn, stored_table(tables, table))
    conn.execute(STOOD, [missing])
    return missing


def _make(conn: Connection, log: EventStore) -> None:
    tables = StateCache(log)
    for (stream,) in conn.execute(OPEN, [STREAM]).fetchall():
        table = stream.removeprefix(STREAM)
        if stored_table(tables, table).unreadable:
            # Without the key of its hand nobody can tell what the table waits for, so its row is copied.
            conn.execute(AS_IT_IS, [table])
    _write_missing(conn, tables)


def mend_row(conn: Connection, tables: StateCache, table: str, due_at: datetime) -> bool:
    """Rewrite the row of a table if it has the deadline `due_at`, but the table does not. Returns whether it did.

    Such a row exists only after a fault. While the row is locked here, no save of the table can commit.
    """
    with conn.transaction():
        row = conn.execute(TAKEN, [table]).fetchone()
        if row is None or row[0] != due_at:
            return False
        state = stored_table(tables, table)
        due = due_of(state)
        if due is not None and due.at == due_at:
            return False
        write_live_row(conn, state)
    return True


def write_live_row(conn: Connection, state: TableState) -> None:
    """Write the row of a table, which says what the table waits for. A closed table has no row."""
    if state.phase == "closed":
        conn.execute(CLOSE, {"table": state.table})
        return
    opening = state.opening
    assert opening is not None, "the table is open"
    due, act, live = due_of(state), ai_to_act(state), None if state.began is None else state.ruleset.live
    row = {
        "table": state.table,
        "version": state.version,
        "phase": state.phase,
        "opened_at": state.opened_at,
        "ruleset": opening.ruleset,
        "mode": opening.mode,
        "listed": opening.listed,
        "practice": state.practice,
        "free_seats": sum(not seat.taken for seat in state.seats),
        "players": [seat.player for seat in state.seats if seat.player is not None],
        "opened_by": opening.opened_by,
        "guests": sorted({*opening.invited, *([] if opening.opened_by is None else [opening.opened_by])}),
        "due_at": due and due.at,
        "due": due and due.what,
        "ai_seat": act and act.seat,
        "ai_level": act and act.level,
        "present": present(state),
        "away": away(state),
        "away_after": live and live.away_after_seconds,
        "return": live and live.return_seconds,
        "runs": live is not None,
    }
    conn.execute(WRITE, row)


# ---------------------------------------------------------------- the heartbeat

BEAT = 1.0
"""Seconds between two renewals of the heartbeat."""
STANDSTILL = 5.0
"""If the heartbeat is older than this, in seconds, no server was alive: a standstill."""

# A single statement: a process that is stopped holds no lock, and a late renewal marks the tables in the same commit.
# If a table has a standstill that it has not noted yet, that one is extended: the server that came back died too.
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
# Whoever opens the first table is alive: if the server dies before its next beat, the clocks stand still from here on.
_BEAT_FOR_FIRST = """
    UPDATE live_heartbeat SET beat_at = greatest(beat_at, clock_timestamp()) WHERE NOT EXISTS (SELECT FROM live_tables)
"""
_ANY = "SELECT true FROM live_tables LIMIT 1"
_HELD = "SELECT FROM live_tables WHERE table_id = %s FOR UPDATE"
# This runs after the statement that locks the row, so it sees every renewal and every mark committed before.
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
    """A span in which no server was alive, and which a table has to note."""

    table: str
    since: datetime
    until: datetime

    @property
    def key(self) -> str:
        """The idempotency key, so that the table notes the standstill once."""
        return f"standstill {self.table} {self.since.isoformat()} {self.until.isoformat()}"


class StandstillCheck(NamedTuple):
    """Checks that a command of the clock may be stored: its table has no standstill to note, and none is undecided."""

    table: str

    def check(self, conn: Connection, _before: int, _last: int) -> None:
        """Lock the table's row. Raise ClockStands if no server was alive lately, or a standstill is to be noted.

        Another process can mark the table only after this transaction. So a deadline is met either before a standstill
        or after the table has noted it.
        """
        conn.execute(_HELD, [self.table])
        if not conn.execute(_DECIDED, [self.table, STANDSTILL]).rowcount:
            raise ClockStands(self.table)


def has_live_tables(conn: Connection) -> bool:
    """Whether there is a live table. While there is none, nothing can be due and nobody renews the heartbeat."""
    return conn.execute(_ANY).fetchone() is not None


def beat(conn: Connection) -> bool:
    """Renew the heartbeat if it is old enough. Returns whether this process renewed it.

    If the renewal is late, each running table is marked with a standstill to note.
    """
    return conn.execute(_BEAT, {"beat": BEAT, "standstill": STANDSTILL}).rowcount == 1


def standstills(conn: Connection) -> list[Standstill]:
    """The standstills that tables have not noted yet. Until then, deadlines of these tables are not met."""
    return [Standstill(*row) for row in conn.execute(_TO_NOTE).fetchall()]


def mark_noted(conn: Connection, standstill: Standstill) -> None:
    """Resume the table's clocks."""
    conn.execute(_NOTED, [standstill.table, standstill.until])


# ---------------------------------------------------------------- leases

LEASE = 2.0
"""Seconds that a process has for a table that it took, before other processes may take it."""
AT_ONCE = 10
"""Limit on tables that a process takes at once, so that other processes can share the work."""

# After a standstill, no clock and no AI continues until the tables are marked.
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

    Takes no table that has a standstill to note, and none at all while a standstill is undecided.
    """
    limits = {"most": AT_ONCE, "lease": LEASE, "standstill": STANDSTILL}
    return [DueTable(*row) for row in conn.execute(_TAKE_DUE, limits).fetchall()]


def take_ai_turns(conn: Connection, pause: float, lease: float, most: int = 1) -> list[str]:
    """Take tables at which an AI's turn has lasted `pause` seconds or more, and that no other process has taken.

    Takes no table that has a standstill to note, and none at all while a standstill is undecided. Tables that play a
    match come before practice tables.
    """
    limits = {"pause": pause, "lease": lease, "most": most, "standstill": STANDSTILL}
    rows = conn.execute(_TAKE_AI_TURNS, limits).fetchall()
    return [table for (table,) in rows]


def until_next_due(conn: Connection) -> float | None:
    """Seconds until the next deadline can be met; None if no table has a deadline."""
    return _seconds(conn, _NEXT_DUE)


def until_next_ai_turn(conn: Connection, pause: float) -> float | None:
    """Seconds until the next turn of an AI has lasted `pause` seconds and can be taken; None if no AI's turn waits.

    Also None while a standstill is undecided.
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


ROWS = RowPart(again=RowsAgain(("live_tables",), _make), bookkeeping=BOOKKEEPING, played=PLAYED)
