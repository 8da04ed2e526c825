"""The clock of live tables: deadlines, standstills, players who go and come back, and the seats of AIs."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from leagues import PLAYERS, at_once
from live_tables import QUICK, SLOW, alive, begin, contribute, dealt, do, events, league_with_tables, now, play
from waiting import wait_until

from league.application.bootstrap import League, in_background, open_league
from league.infra.database import connect
from league.infra.settings import Settings
from league.tables.application import clock_keeper, live_rows
from league.tables.application.clock_keeper import (
    AI_PATIENCE,
    ClockKeeper,
    keep_clock,
    play_ai_seats,
    play_waiting_turns,
)
from league.tables.application.live_rows import take_ai_turns, take_due, until_next_ai_turn, write_missing_rows
from league.tables.application.presence_and_talk import Presence, SignOfLife, renew
from league.tables.domain import commands_and_events as table_events
from league.tables.domain.commands_and_events import NoteAway, OpenTable
from league.tables.domain.refusals import ClockStands

pytestmark = pytest.mark.heavy

PATIENT = QUICK.replace("return_seconds = 1", "return_seconds = 3600")
"""Rules that give everybody an hour to return after a standstill."""


@contextmanager
def keepers(league: League, number: int = 1) -> Iterator[list[ClockKeeper]]:
    """Several clock keepers, each with its own connection, whose heartbeat goes on."""
    alive(league)
    with ExitStack() as opened:
        connections = [opened.enter_context(connect(league.database.url, autocommit=True)) for _ in range(number)]
        yield [ClockKeeper(league, conn) for conn in connections]


@contextmanager
def clock_kept(league: League) -> Iterator[None]:
    """The clock is kept in the background, as if it had been before."""
    alive(league)
    with in_background(lambda ended: keep_clock(league, ended)):
        yield


def set_database(league: League, statement: str, *parameters: object) -> None:
    """Change a row, as time or another process would have done."""
    with connect(league.database.url, autocommit=True) as conn:
        conn.execute(statement, parameters)


def stand_still(league: League) -> None:
    """Set the times as if no server had been alive for an hour."""
    set_database(league, "UPDATE live_heartbeat SET beat_at = clock_timestamp() - interval '1 hour'")


def expire(league: League) -> None:
    """Wait until each deadline that is near has passed. The heartbeat goes on."""
    near = "due_at > clock_timestamp() AND due_at < clock_timestamp() + interval '1 minute'"
    query = f"SELECT count(*) FROM live_tables WHERE {near}"  # noqa: S608  # a constant
    with connect(league.database.url, autocommit=True) as conn:
        wait_until(lambda: conn.execute(query).fetchone() == (0,))
    alive(league)


def test_a_hand_is_played_to_its_end_although_no_player_does_anything(database_url: str) -> None:
    """The clock deals without contributions, plays the first tile, passes, and lets AIs play the seats in the end."""
    with league_with_tables(database_url) as league:
        begin(league, "t1")
        stop = threading.Event()
        with clock_kept(league), in_background(lambda _: play_ai_seats(league, stop.is_set, pause=0)):
            try:
                wait_until(lambda: events(league, "t1", table_events.HandEnded))
            finally:
                stop.set()
        plays = [stored.event for stored in events(league, "t1", table_events.TilePlayed)]
        assert plays[0].by == "clock"  # type: ignore[union-attr]
        assert {stored.actor for stored in events(league, "t1", table_events.TilePlayed)} == {"clock", "ai"}
        handed_over = [stored.event for stored in events(league, "t1", table_events.SeatHandedOver)]
        assert {event.seat for event in handed_over} == {0, 1}  # type: ignore[union-attr]
        assert len(league.store.load("match:t1")) >= 2


@pytest.mark.also_on_server
def test_each_deadline_is_met_once_by_keepers_that_work_at_once(database_url: str) -> None:
    """Twelve tables are due in the same second; four processes share them, and nothing is refused."""
    with league_with_tables(database_url) as league, keepers(league, 4) as four:
        tables = [f"t{number}" for number in range(12)]
        for table in tables:
            begin(league, table)
        expire(league)
        at_once(*(keeper.look for keeper in four))
        for table in tables:
            kinds = Counter(stored.name for stored in events(league, table))
            assert kinds["table-hand-dealt/1"] == 1
            assert now(league, table).phase in ("playing", "offering")


def test_a_table_at_which_play_does_not_begin_is_closed(database_url: str) -> None:
    """It would stand in the lobby for ever, and hold the seats of those who wait."""
    with league_with_tables(database_url, f"{QUICK}gathering_seconds = 1\n") as league, keepers(league) as (keeper,):
        do(league, OpenTable("t1", "cuban-150", "1v1", "casual"))
        expire(league)
        keeper.look()
        assert now(league, "t1").closed == "abandoned"


def test_a_deadline_met_twice_changes_nothing(database_url: str) -> None:
    """Two processes that believe to have the same lease: one acts, the other finds nothing due."""
    with league_with_tables(database_url) as league, keepers(league, 2) as two:
        begin(league, "t1")
        expire(league)
        with connect(database_url, autocommit=True) as conn:
            (due,) = take_due(conn)
        at_once(*(lambda keeper=keeper: keeper._meet(due) for keeper in two))
        assert len(events(league, "t1", table_events.HandDealt)) == 1


def test_the_deadline_of_a_process_that_was_killed_is_met_by_another(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had taken the table and died before it acted: while its lease lasts others leave the table alone."""
    with league_with_tables(database_url) as league, keepers(league) as (keeper,):
        begin(league, "t1")
        expire(league)
        monkeypatch.setattr(live_rows, "LEASE", 3600.0)
        with connect(database_url, autocommit=True) as conn:
            assert [due.table for due in take_due(conn)] == ["t1"]
        keeper.look()
        assert now(league, "t1").phase == "shuffling"
        set_database(league, "UPDATE live_tables SET leased_until = clock_timestamp()")
        keeper.look()
        assert now(league, "t1").phase in ("playing", "offering")


def test_what_fails_at_one_table_keeps_no_other_waiting(
    database_url: str, monkeypatch: pytest.MonkeyPatch, logs: list[Any]
) -> None:
    """The other deadlines are met, and the failure is logged."""
    with league_with_tables(database_url) as league, keepers(league) as (keeper,):
        for table in ("t1", "t2"):
            begin(league, table)
        expire(league)
        send = league.dispatcher.send

        def fail_at_t1(command: Any, *args: Any, **options: Any) -> int:
            if command.table == "t1":
                raise RuntimeError("a bug")
            return send(command, *args, **options)

        monkeypatch.setattr(league.dispatcher, "send", fail_at_t1)
        keeper.look()
        assert now(league, "t1").phase == "shuffling"
        assert now(league, "t2").phase != "shuffling"
        assert [(line["event"], line["table"]) for line in logs] == [("deadline_not_met", "t1")]


# ---------------------------------------------------------------- standstills


def test_while_no_server_was_alive_the_clocks_stood_still(database_url: str) -> None:
    """Deadlines that passed meanwhile wait until players had time to return. Each running table notes it once."""
    with league_with_tables(database_url, PATIENT) as league, keepers(league, 3) as three:
        begin(league, "t1")
        begin(league, "t2")
        do(league, OpenTable("t3", "cuban-150", "1v1", "casual"))
        before = now(league, "t1")
        expire(league)
        stand_still(league)
        at_once(*(keeper.look for keeper in three))
        for table in ("t1", "t2"):
            assert len(events(league, table, table_events.ClockStood)) == 1
            assert now(league, table).phase == "shuffling"
            assert now(league, table).clock_from > before.clock_from  # type: ignore[operator]
        assert events(league, "t3", table_events.ClockStood) == []
        three[0].look()
        assert now(league, "t1").phase == "shuffling"


def test_nothing_is_asked_of_the_database_while_no_table_is_open(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock and the AIs look once, and again when a table is opened."""
    looks: list[str] = []
    asked: list[None] = []
    has_live_tables = clock_keeper.has_live_tables
    look, play = ClockKeeper.look, clock_keeper.play_waiting_turns
    monkeypatch.setattr(clock_keeper, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(clock_keeper, "has_live_tables", lambda conn: (asked.append(None), has_live_tables(conn))[1])
    monkeypatch.setattr(ClockKeeper, "look", lambda self: (looks.append("clock"), look(self)))
    monkeypatch.setattr(clock_keeper, "play_waiting_turns", lambda *given: (looks.append("ai"), play(*given)))
    with league_with_tables(database_url) as league, ExitStack() as opened:
        opened.enter_context(in_background(lambda ended: keep_clock(league, ended)))
        opened.enter_context(in_background(lambda ended: play_ai_seats(league, ended.is_set)))
        wait_until(lambda: sorted(looks) == ["ai", "clock"] and len(asked) == 3)  # the clock asks before it rests, too
        time.sleep(0.2)
        assert (sorted(looks), len(asked)) == (["ai", "clock"], 3)
        do(league, OpenTable("t1", "cuban-150", "1v1", "casual"))
        wait_until(lambda: min(looks.count("ai"), looks.count("clock")) > 2)


def test_the_first_table_after_a_rest_has_stood_still_for_no_time(database_url: str) -> None:
    """Nobody renewed the heartbeat while no table was open. A server that dies before it renews it stood still."""
    with league_with_tables(database_url, PATIENT) as league, keepers(league) as (keeper,):
        stand_still(league)
        begin(league, "t1")
        keeper.look()
        assert events(league, "t1", table_events.ClockStood) == []
        stand_still(league)
        begin(league, "t2")
        keeper.look()
        assert len(events(league, "t1", table_events.ClockStood)) == 1


@pytest.mark.also_on_server
def test_no_deadline_is_met_while_another_keeper_decides_whether_the_clocks_stood_still(database_url: str) -> None:
    """The other one has the heartbeat, and has not marked the tables yet."""
    with league_with_tables(database_url, PATIENT) as league, keepers(league, 2) as two:
        begin(league, "t1")
        expire(league)
        stand_still(league)
        with connect(database_url) as other:
            other.execute("SELECT FROM live_heartbeat FOR UPDATE")
            two[0].look()
            assert now(league, "t1").phase == "shuffling"
        two[1].look()
        assert len(events(league, "t1", table_events.ClockStood)) == 1
        assert now(league, "t1").phase == "shuffling"


@pytest.mark.parametrize("noted", [False, True], ids=["undecided", "marked"])
def test_a_deadline_that_was_taken_before_a_standstill_is_not_met_after_it(
    database_url: str, monkeypatch: pytest.MonkeyPatch, logs: list[Any], noted: bool
) -> None:
    """The process that had taken it was stopped before it acted, and goes on when others have come back or not."""
    with league_with_tables(database_url, PATIENT) as league, keepers(league, 2) as two:
        begin(league, "t1")
        expire(league)
        choose = clock_keeper.clock_plays

        def stop_meanwhile(*args: Any) -> Any:
            chosen = choose(*args)
            stand_still(league)
            if noted:
                two[1]._beat()
            return chosen

        with monkeypatch.context() as patch:
            patch.setattr(clock_keeper, "clock_plays", stop_meanwhile)
            two[0].look()
        assert [line["code"] for line in logs if line["event"] == "deadline_not_met"] == ["CLOCK_STANDS"]
        assert now(league, "t1").phase == "shuffling"
        for keeper in two:
            keeper.look()
        assert len(events(league, "t1", table_events.ClockStood)) == 1
        assert now(league, "t1").phase == "shuffling"


def test_a_player_is_not_away_for_a_process_that_was_stopped(database_url: str) -> None:
    """It had looked for silent players before the standstill, and goes on after it."""
    rules = SLOW.replace("away_after_seconds = 3600", "away_after_seconds = 1")
    with league_with_tables(database_url, rules) as league:
        dealt(league, "t1")
        stand_still(league)
        with pytest.raises(ClockStands):
            do(league, NoteAway("t1", "ana"))
        alive(league)
        do(league, NoteAway("t1", "ana"))
        assert now(league, "t1").phase == "paused"


def test_a_standstill_is_noted_once_although_the_server_that_came_back_was_killed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server was killed after it had noted the standstill at one of two tables."""
    with league_with_tables(database_url) as league, keepers(league, 2) as two:
        begin(league, "t1")
        begin(league, "t2")
        stand_still(league)

        def die(*_: object) -> None:
            raise psycopg.OperationalError("killed")

        with monkeypatch.context() as patch:
            patch.setattr(clock_keeper, "mark_noted", die)
            with pytest.raises(psycopg.OperationalError):
                two[0].look()
        assert len(events(league, "t1", table_events.ClockStood)) == 1
        set_database(league, "UPDATE live_heartbeat SET beat_at = clock_timestamp() - interval '2 seconds'")
        two[1].look()
        for table in ("t1", "t2"):
            assert len(events(league, table, table_events.ClockStood)) == 1


def test_after_a_standstill_players_have_time_to_return(database_url: str) -> None:
    """Nobody is away before that time is over."""
    rules = SLOW.replace("away_after_seconds = 3600", "away_after_seconds = 1\nreturn_seconds = 3")
    with league_with_tables(database_url, rules) as league, keepers(league) as (keeper,):
        dealt(league, "t1")
        set_database(league, "UPDATE live_tables SET silence_from = clock_timestamp() - interval '1 hour'")
        stand_still(league)
        keeper.look()
        assert events(league, "t1", table_events.SeatAway) == []
        with clock_kept(league):
            wait_until(lambda: len(events(league, "t1", table_events.SeatAway)) == 2)


def test_a_restored_table_stood_still_since_the_end_of_its_log(database_url: str) -> None:
    """A backup has no rows of tables: deadlines that passed since it was made are not met at once."""
    with league_with_tables(database_url, PATIENT) as league, keepers(league) as (keeper,):
        begin(league, "t1")
        expire(league)
        set_database(league, "DELETE FROM live_tables")
        assert write_missing_rows(league.store, database_url) == ["t1"]
        make_round(league, keeper)
        assert now(league, "t1").phase == "shuffling"
        ((last, stood),) = [pair for pair in pairwise(events(league, "t1")) if pair[1].name == "table-clock-stood/1"]
        assert isinstance(stood.event, table_events.ClockStood)
        assert stood.event.since == last.recorded_at


def test_without_the_secret_of_live_tables_no_clock_is_kept(database_url: str, logs: list[Any]) -> None:
    """Such a process would take sealed hands for lost ones, and deal them again."""
    with open_league(Settings(database_url=database_url), prepare=False) as league:
        keep_clock(league, threading.Event())
    assert [line["event"] for line in logs] == ["no_clock_without_table_secret"]


# ---------------------------------------------------------------- presence


def test_a_silent_player_is_away_and_comes_back_with_the_next_sign_of_life(database_url: str) -> None:
    """Each is noted once. A player who was never heard of is silent since play began."""
    patient = SLOW + "away_seconds = 3600\n"
    with league_with_tables(database_url, patient) as league, keepers(league) as (keeper,):
        dealt(league, "t1")
        make_round(league, keeper)
        assert events(league, "t1", table_events.SeatAway) == []
        set_database(league, "UPDATE live_tables SET silence_from = clock_timestamp() - interval '2 hours'")
        with connect(database_url, autocommit=True) as conn:
            renew(conn, {SignOfLife("t1", "ana")})
        for _ in range(2):
            make_round(league, keeper)
        assert [away.event for away in events(league, "t1", table_events.SeatAway)] == [table_events.SeatAway(1)]
        assert now(league, "t1").phase == "paused"
        with connect(database_url, autocommit=True) as conn:
            renew(conn, {SignOfLife("t1", "bea")})
        for _ in range(2):
            make_round(league, keeper)
        assert [back.event for back in events(league, "t1", table_events.SeatBack)] == [table_events.SeatBack(1)]
        assert now(league, "t1").phase == "playing"


def make_round(league: League, keeper: ClockKeeper) -> None:
    """A look of a keeper that is the first one in a second."""
    set_database(league, "UPDATE live_heartbeat SET beat_at = clock_timestamp() - interval '2 seconds'")
    keeper.look()


def test_a_player_is_connected_for_as_long_as_one_device_is(database_url: str) -> None:
    """Signs of life are renewed until the last of them is gone."""
    presence = Presence(database_url)
    with (
        league_with_tables(database_url) as league,
        connect(database_url, autocommit=True) as conn,
        presence.written(),
    ):
        begin(league, "t1")

        def seen_at() -> Any:
            row = conn.execute("SELECT seen_at FROM live_presence WHERE player_id = 'ana'").fetchone()
            return row and row[0]

        def renewed() -> Any:
            before = seen_at()
            return wait_until(lambda: seen_at() not in {None, before})

        with presence.connected("t1", "ana"):
            renewed()
            with presence.connected("t1", "ana"):
                renewed()
            renewed()
        assert presence._take(everyone=True) == set()
        before = seen_at()
        presence.seen("t1", "ana")
        wait_until(lambda: seen_at() != before)


# ---------------------------------------------------------------- the seats of AIs


@pytest.mark.also_on_server
def test_an_ai_plays_its_seat_at_a_practice_table(database_url: str) -> None:
    """Each of its turns once, whether one process plays for AIs or several do."""
    with league_with_tables(database_url, SLOW) as league:
        alive(league, days=1)
        dealt(league, "t1", PLAYERS[:1], ai="random")
        stop = threading.Event()
        with ExitStack() as processes:
            for _ in range(3):
                processes.enter_context(in_background(lambda _: play_ai_seats(league, stop.is_set, pause=0)))
            try:
                while not events(league, "t1", table_events.HandEnded):
                    state = wait_until(lambda: players_turn(league))
                    if state.hand == 1:
                        play(league, state)
            finally:
                stop.set()
        turns = [stored.event for stored in events(league, "t1", table_events.TilePlayed)]
        assert {turn.by for turn in turns} == {"player", "ai"}  # type: ignore[union-attr]
        assert league.store.load("match:t1") == []


def players_turn(league: League) -> Any:
    """The table when it is the player's turn, or when the first hand is over."""
    state = now(league, "t1")
    return state if state.hand > 1 or (state.play is not None and state.play.to_move == 0) else None


def turn_of_the_ai(league: League) -> int:
    """Play for seat 0 until it is the AI's turn. Returns its number.

    An AI that has to pass may let a whole hand go by: then the next one is dealt.
    """
    while True:
        state = now(league, "t1")
        if state.play is None:
            contribute(league, state)
        elif state.play.to_move != 0:
            return state.turn
        else:
            play(league, state)


def test_the_clock_plays_for_an_ai_whose_process_is_dead(database_url: str) -> None:
    """It plays after a while, so that the table goes on."""
    with league_with_tables(database_url, SLOW) as league, keepers(league) as (keeper,):
        dealt(league, "t1", PLAYERS[:1], ai="random")
        turn = turn_of_the_ai(league)
        make_round(league, keeper)
        assert now(league, "t1").turn == turn
        long_ago = "UPDATE live_tables SET changed_at = clock_timestamp() - %s * interval '1 second'"
        set_database(league, long_ago, AI_PATIENCE + 1)
        make_round(league, keeper)
        assert now(league, "t1").turn > turn


def test_an_ai_waits_a_moment_as_a_player_would(database_url: str) -> None:
    """It does not play before its turn has lasted for the pause."""
    with league_with_tables(database_url, SLOW) as league, connect(database_url, autocommit=True) as conn:
        alive(league, days=1)
        dealt(league, "t1", PLAYERS[:1], ai="heuristic")
        turn = turn_of_the_ai(league)
        play_waiting_turns(league, conn, pause=3600)
        assert now(league, "t1").turn == turn
        play_waiting_turns(league, conn, pause=0)
        assert now(league, "t1").turn > turn


def test_no_ai_plays_before_a_standstill_is_decided(database_url: str) -> None:
    """It plays once the table has noted it, as it does while a server is alive."""
    with league_with_tables(database_url, SLOW) as league, keepers(league) as (keeper,):
        dealt(league, "t1", PLAYERS[:1], ai="heuristic")
        turn = turn_of_the_ai(league)
        stand_still(league)
        play_waiting_turns(league, keeper._conn, pause=0)
        assert now(league, "t1").turn == turn
        assert until_next_ai_turn(keeper._conn, 0) is None
        keeper.look()
        assert len(events(league, "t1", table_events.ClockStood)) == 1
        play_waiting_turns(league, keeper._conn, pause=0)
        assert now(league, "t1").turn > turn


@pytest.mark.parametrize("noted", [False, True], ids=["undecided", "marked"])
def test_an_ai_that_took_its_turn_before_a_standstill_plays_later(
    database_url: str, monkeypatch: pytest.MonkeyPatch, logs: list[Any], noted: bool
) -> None:
    """Its process was stopped while it thought. It takes the turn again once the standstill is noted."""
    with league_with_tables(database_url, SLOW) as league, keepers(league) as (keeper,):
        dealt(league, "t1", PLAYERS[:1], ai="heuristic")
        turn = turn_of_the_ai(league)
        choose = clock_keeper.chosen

        def stop_meanwhile(*args: Any) -> Any:
            stand_still(league)
            if noted:
                keeper._beat()
            return choose(*args)

        with monkeypatch.context() as patch:
            patch.setattr(clock_keeper, "chosen", stop_meanwhile)
            play_waiting_turns(league, keeper._conn, pause=0)
        assert now(league, "t1").turn == turn
        assert [line["event"] for line in logs if line["event"].startswith("ai_")] == ["ai_waits_for_clock"]
        keeper.look()
        set_database(league, "UPDATE live_tables SET ai_leased_until = NULL")
        play_waiting_turns(league, keeper._conn, pause=0)
        assert now(league, "t1").turn > turn


def test_ais_play_matches_before_practice(database_url: str) -> None:
    """Matches come first, however long a practice table has waited."""
    with league_with_tables(database_url, SLOW) as league, connect(database_url, autocommit=True) as conn:
        alive(league, days=1)
        for table in ("t1", "t2"):
            dealt(league, table, PLAYERS[:2])
        waiting = """UPDATE live_tables SET ai_seat = 0, practice = (table_id = 't1'),
            changed_at = clock_timestamp() - CASE table_id WHEN 't1' THEN 9 ELSE 3 END * interval '1 second'"""
        set_database(league, waiting)
        assert [take_ai_turns(conn, 1, 60) for _ in range(3)] == [["t2"], ["t1"], []]
