"""The clock keepers mend live tables: lost signs of life, rows with another deadline, long rounds."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from live_tables import QUICK, SLOW, alive, begin, dealt, do, events, league_with_tables, now, play
from waiting import wait_until

from league.application.bootstrap import League, in_background
from league.infra.database import connect
from league.tables.application.clock_keeper import ClockKeeper, keep_clock
from league.tables.application.presence_and_talk import SignOfLife, changes, renew, restart_silence
from league.tables.domain import commands_and_events as table_events
from league.tables.domain.commands_and_events import CloseTable, OpenTable
from league.tables.domain.state import due_of


def execute(league: League, statement: str, *parameters: object) -> None:
    """Change the database, as time or a fault would have done."""
    with connect(league.database.url, autocommit=True) as conn:
        conn.execute(statement, parameters)


def test_after_a_crash_of_the_database_silence_counts_from_the_return(database_url: str) -> None:
    """The signs of life are lost: without time to be heard again, all who are connected would be away."""
    with league_with_tables(database_url, SLOW) as league, connect(database_url, autocommit=True) as conn:
        dealt(league, "t1")
        renew(conn, {SignOfLife("t1", "ana"), SignOfLife("t1", "bea")})
        execute(league, "UPDATE live_tables SET silence_from = clock_timestamp() - interval '2 hours'")
        restart_silence(conn)
        execute(league, "UPDATE live_presence SET seen_at = clock_timestamp() - interval '2 hours'")
        assert len(changes(conn)) == 2, "while signs are there, they count"
        execute(league, "DELETE FROM live_presence")
        assert len(changes(conn)) == 2
        with in_background(lambda ended: keep_clock(league, ended)):
            wait_until(lambda: changes(conn) == [])
        assert events(league, "t1", table_events.SeatAway) == []


def test_a_round_that_takes_long_is_no_standstill(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The heart beats between two commands."""
    with league_with_tables(database_url) as league, connect(database_url, autocommit=True) as conn:
        for table in ("t1", "t2", "t3"):
            begin(league, table)
        execute(league, "UPDATE live_tables SET due_at = clock_timestamp() - interval '1 hour'")
        alive(league)
        send = league.dispatcher.send

        def take_three_seconds(*args: Any, **options: Any) -> int:
            execute(league, "UPDATE live_heartbeat SET beat_at = beat_at - interval '3 seconds'")
            return send(*args, **options)

        monkeypatch.setattr(league.dispatcher, "send", take_three_seconds)
        keeper = ClockKeeper(league, conn)
        for _ in range(3):
            keeper.look()
        assert [events(league, table, table_events.ClockStood) for table in ("t1", "t2", "t3")] == [[], [], []]


def test_a_row_with_a_deadline_that_the_table_does_not_have_is_written_anew(database_url: str, logs: list[Any]) -> None:
    """It would be tried for ever. That is logged, and no delay of a deadline is counted."""
    late: list[float] = []
    with league_with_tables(database_url, SLOW) as league, connect(database_url, autocommit=True) as conn:
        begin(league, "t1")
        alive(league)
        execute(league, "UPDATE live_tables SET due_at = clock_timestamp() - interval '1 hour'")
        ClockKeeper(league, conn, late.append).look()
        due = due_of(now(league, "t1"))
        assert due is not None
        assert conn.execute("SELECT due_at FROM live_tables").fetchone() == (due.at,)
    assert [line["event"] for line in logs] == ["live_row_mended"]
    assert late == []


def test_mutes_go_with_their_table(database_url: str) -> None:
    """The mutes of other tables stay."""

    def muted(conn: psycopg.Connection[Any]) -> list[Any]:
        return conn.execute("SELECT table_id FROM table_mutes").fetchall()

    with league_with_tables(database_url, QUICK) as league, connect(database_url, autocommit=True) as conn:
        for table in ("t1", "t2"):
            do(league, OpenTable(table, "cuban-150", "1v1", "casual"))
            execute(league, "INSERT INTO table_mutes VALUES (%s, 'ana', 'bea')", table)
        do(league, CloseTable("t1"))
        assert muted(conn) == [("t2",)]


def test_a_player_who_acts_while_the_clock_notes_an_absence_is_there(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock gives up what another save has overtaken, and looks again in its next round."""
    with league_with_tables(database_url, SLOW) as league, connect(database_url, autocommit=True) as conn:
        state = dealt(league, "t1")
        assert state.play is not None
        mover = ("ana", "bea")[state.play.to_move]
        renew(conn, {SignOfLife("t1", "ana"), SignOfLife("t1", "bea")} - {SignOfLife("t1", mover)})
        execute(league, "UPDATE live_tables SET silence_from = clock_timestamp() - interval '2 hours'")
        execute(league, "UPDATE live_heartbeat SET beat_at = clock_timestamp() - interval '2 seconds'")
        append = league.store.append

        def overtaken(*given: Any, **more: Any) -> int:
            monkeypatch.undo()
            play(league, state)
            return append(*given, **more)

        monkeypatch.setattr(league.store, "append", overtaken)
        ClockKeeper(league, conn).look()
        assert len(events(league, "t1", table_events.TilePlayed)) == 1
        assert events(league, "t1", table_events.SeatAway) == []
