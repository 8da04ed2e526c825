"""The row of each live table that runs: what the clock and the AIs have to do next. Written with the table's events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from league.application.stream_states import KeptStates, StreamStates
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections.rows_again import RowsAgain
from league.tables.application.table_states import KEPT, STREAM, stored_table
from league.tables.domain.deadlines import ai_to_act, due_of
from league.tables.domain.presence import away, present
from league.tables.domain.state import TableState

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
# No server was alive for a restored table since the last event of its league's log.
STOOD = """
    UPDATE live_tables SET stood_since = newest.recorded_at,
        stood_until = greatest(clock_timestamp(), newest.recorded_at + interval '1 millisecond')
    FROM (SELECT recorded_at FROM stored_events ORDER BY position DESC LIMIT 1) AS newest
    WHERE table_id = ANY(%s) AND phase <> 'open'
"""
# What players do not want to hear at a table goes with it.
CLOSE = """
    WITH muted AS (DELETE FROM table_mutes WHERE table_id = %(table)s)
    DELETE FROM live_tables WHERE table_id = %(table)s
"""
TAKEN = "SELECT due_at FROM live_tables WHERE table_id = %s FOR UPDATE"


def rows_of(appends: Sequence[Append], states: StreamStates) -> Within | None:
    """What writes the rows of the tables that some appends change, in their transaction; None if they change none."""
    if not any(append.stream.startswith(STREAM) for append in appends):
        return None

    def write(conn: psycopg.Connection[Any], before: int, last: int) -> None:
        with conn.cursor(row_factory=tuple_row) as cursor:
            times = [time for (time,) in cursor.execute(TIMES, [before, last])]
        after: dict[str, TableState] = {}
        for append in appends:
            recorded, times = times[: len(append.events)], times[len(append.events) :]
            if append.stream.startswith(STREAM):
                state = after.get(append.stream) or states.stored_states[append.stream]
                after[append.stream] = KEPT.after(state, append.events, recorded)
        for state in after.values():
            write_live_row(conn, state)

    return write


def write_missing_rows(store: EventStore, url: str) -> list[str]:
    """Write the rows of open tables that have none: those of a league that was restored. Returns the tables' ids."""
    with connect(url) as conn:
        if not conn.execute(OPEN, [STREAM]).fetchall():
            return []
        store.lock(conn)  # a table that is opened meanwhile has its row
        return _write_missing(conn, KeptStates(store))


def _write_missing(conn: psycopg.Connection[Any], tables: KeptStates) -> list[str]:
    streams = sorted(stream for (stream,) in conn.execute(OPEN, [STREAM]).fetchall())
    missing = [stream.removeprefix(STREAM) for stream in streams]
    for table in missing:
        write_live_row(conn, stored_table(tables, table))
    conn.execute(STOOD, [missing])
    return missing


def _make(conn: psycopg.Connection[Any], log: EventStore) -> None:
    tables = KeptStates(log)
    for (stream,) in conn.execute(OPEN, [STREAM]).fetchall():
        table = stream.removeprefix(STREAM)
        if stored_table(tables, table).unreadable:
            # Without the secret that seals its hand nobody can say what it waits for: its row stays as it is.
            conn.execute(AS_IT_IS, [table])
    _write_missing(conn, tables)


ROWS_AGAIN = RowsAgain(("live_tables",), _make)


def mend_row(conn: psycopg.Connection[Any], tables: KeptStates, table: str, due_at: datetime) -> bool:
    """Write the row of a table anew if it still has a deadline that the table does not have. Whether it had.

    Nothing writes such a row unless there is a fault. While this holds the row, no save of the table can commit.
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


def write_live_row(conn: psycopg.Connection[Any], state: TableState) -> None:
    """Write what a table waits for; a closed one has no row."""
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
