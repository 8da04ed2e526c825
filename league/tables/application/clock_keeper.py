"""Keeps the clock of live tables, and plays the seats of AIs. The database says what is to do.

Several processes can keep the clock together. Each meets some of the deadlines. Every second one of them looks for
standstills, and for players who went away or came back. AIs play at practice tables, and for absent players.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import psycopg
import structlog

from league.ai.levels import choose
from league.application.bootstrap import League, in_background
from league.application.following import CLOCK
from league.application.work_part import WorkPart
from league.domain.play import Level, Play, seen_by
from league.domain.refusals import Refusal
from league.domain.result import result_of
from league.eventlog.recorder import TABLES, StoreUnavailable
from league.infra.database import connect, is_told
from league.infra.outages import outages
from league.tables.application.live_rows import (
    AT_ONCE,
    BEAT,
    LEASE,
    Connection,
    DueTable,
    beat,
    has_live_tables,
    mark_noted,
    mend_row,
    overdue_by,
    standstills,
    stored_table,
    take_ai_turns,
    take_due,
    until_next_ai_turn,
    until_next_due,
    write_missing_rows,
)
from league.tables.application.presence_and_talk import changes, forget, restart_silence
from league.tables.domain.commands_and_events import MeetDeadline, NoteBack, NoteStandstill, PlayAsAI
from league.tables.domain.refusals import ClockStands, NothingDue
from league.tables.domain.state import TableState, ai_to_act

AI = "ai"
"""The actor of the moves of AIs."""
PAUSE = 1.0
"""Seconds that an AI waits before it plays, as a player would."""
THINKING = 2.0
"""Limit on the seconds that an AI thinks."""
AI_LEASE = 5.0
"""Seconds that a process has for an AI's turn; longer than any AI thinks."""
AI_PATIENCE = 10.0
"""Seconds after which the clock plays an AI's turn that no process has played."""
LOOK_AGAIN = 1.0
"""Longest wait between two looks for turns or deadlines, in seconds."""
SHORTEST = 0.01
"""Shortest wait between two looks, in seconds."""
LONGEST_PAUSE = 30.0
"""Longest wait before a retry after repeated failures of the clock, in seconds."""

log = structlog.get_logger()


# ---------------------------------------------------------------- the seats of AIs


def play_ai_seats(league: League, stop: Callable[[], bool], pause: float = PAUSE) -> None:
    """Play the turns of AIs until `stop()` returns true, retrying after failures.

    `pause`: seconds that an AI waits before it plays.
    """
    while not stop():
        try:
            with connect(league.database.url, autocommit=True) as conn:
                conn.execute(f"LISTEN {TABLES}")
                while not stop():
                    play_waiting_turns(league, conn, pause)
                    _wait(conn, pause, stop)
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
        except Exception:
            log.exception("ai_failed")
        time.sleep(0 if stop() else LOOK_AGAIN)


def play_waiting_turns(league: League, conn: Connection, pause: float = PAUSE) -> None:
    """Play the turns of AIs that have lasted for `pause` seconds, and that no other process has taken."""
    while taken := take_ai_turns(conn, pause, AI_LEASE):
        for table in taken:
            try:
                play_for_ai(league, table)
            except ClockStands:  # the AI plays when the standstill is noted and the lease has lapsed
                log.debug("ai_waits_for_clock", table=table)
            except Refusal as refusal:
                log.info("ai_was_late", table=table, code=refusal.code)


def play_for_ai(league: League, table: str, level: Level | None = None) -> None:
    """Play the turn of an AI, if it is an AI's turn. `level` replaces the AI's own level. Raises Refusal."""
    state = stored_table(league.dispatcher.state_cache, table)
    acting = ai_to_act(state)
    if acting is not None:
        tile, end = chosen(state, acting.seat, level or acting.level)
        command = PlayAsAI(table, acting.seat, state.hand, state.turn, tile, end)
        league.dispatcher.send(command, AI, source="live")


def clock_plays(league: League, table: str) -> Play | None:
    """The play that the clock makes for a seat whose time has run out, chosen by the heuristic AI.

    None if the clock passes instead, or if the table waits for something else.
    """
    state = stored_table(league.dispatcher.state_cache, table)
    play = state.play
    if state.phase != "playing" or play is None or play.is_over:
        return None
    if play.ends is not None and state.ruleset.live.on_timeout == "pass":
        return None
    return chosen(state, play.to_move, "heuristic")


def chosen(state: TableState, seat: int, level: Level) -> Play:
    """The play that an AI of some level chooses for the seat to move, from what this seat sees."""
    assert state.play is not None, "a hand is played"
    assert state.played is not None, "its match has begun"
    score = result_of(state.played, state.ruleset).score
    seen = seen_by(seat, state.play, state.played.mode, score, state.hand)
    return choose(seen, level, secrets.randbits(32), time_limit=THINKING)


def _wait(conn: Connection, pause: float, stop: Callable[[], bool]) -> None:
    """Wait until an AI may have a turn to play: while no table is open, until one is, without asking the database."""
    until = until_next_ai_turn(conn, pause)
    rests = until is None and not has_live_tables(conn)
    seconds = LOOK_AGAIN if until is None else min(max(until, SHORTEST), LOOK_AGAIN)
    while not stop():
        if is_told(conn, seconds) or not rests:
            return


# ---------------------------------------------------------------- the clock


def keep_clock(league: League, ended: threading.Event, on_deadline: Callable[[float], object] = lambda _: None) -> None:
    """Meet deadlines until `ended` is set, retrying after failures. Does nothing without the secret of live tables.

    `on_deadline` is called for each deadline that was met, with its delay in seconds.
    """
    if not league.store.seals_tables:
        # Without the secret, every sealed hand would look as if its key were lost, and would be dealt again.
        log.warning("no_clock_without_table_secret")
        return
    pause = LOOK_AGAIN
    while not ended.is_set():
        try:
            with connect(league.database.url, autocommit=True) as conn:
                write_missing_rows(league.store, league.database.url)
                restart_silence(conn)
                keeper = ClockKeeper(league, conn, on_deadline)
                while not ended.is_set():
                    keeper.look()
                    pause = LOOK_AGAIN
                    seconds = keeper.pause()
                    if seconds is None:
                        _wait_for_table(conn, ended)
                    else:
                        ended.wait(seconds)
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
            pause = LOOK_AGAIN
        except Exception:
            log.exception("clock_failed", pause=pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        ended.wait(pause)


def _wait_for_table(conn: Connection, ended: threading.Event) -> None:
    """Wait until a table is open, without asking the database meanwhile."""
    conn.execute(f"LISTEN {TABLES}")  # before the first question, so that no table is missed
    may_be_there = True
    while not ended.is_set() and not (may_be_there and has_live_tables(conn)):
        may_be_there = is_told(conn, LOOK_AGAIN)
    conn.execute("UNLISTEN *")


class ClockKeeper:
    """Does what is due at the tables at this moment."""

    def __init__(
        self, league: League, conn: Connection, on_deadline: Callable[[float], object] = lambda _: None
    ) -> None:
        self._league, self._conn, self._on_deadline = league, conn, on_deadline
        self._makes_round = False
        """Whether this process renewed the heartbeat, so that it does the next round."""

    def look(self) -> None:
        """Do everything that is due. The heartbeat is renewed between commands, so a long look is no standstill."""
        self._beat()
        if self._makes_round:
            self._makes_round = False
            self._note_standstills()
            self._note_presence()
            self._play_for_silent_ais()
        while not self._makes_round and (taken := take_due(self._conn)):
            for due in taken:
                self._meet(due)
                self._beat()

    def pause(self) -> float | None:
        """Seconds until something can be due; None while no table is open."""
        until = until_next_due(self._conn)
        if until is None and not has_live_tables(self._conn):
            return None
        return LOOK_AGAIN if until is None else min(max(until, SHORTEST), LOOK_AGAIN, BEAT)

    def _beat(self) -> None:
        self._makes_round = beat(self._conn) or self._makes_round

    def _meet(self, due: DueTable) -> None:
        with _logging_failure("deadline_not_met", due.table):
            play = clock_plays(self._league, due.table)
            try:
                self._send(MeetDeadline(due.table, due.due_at, play))
            except NothingDue:
                if mend_row(self._conn, self._league.dispatcher.state_cache, due.table, due.due_at):
                    log.warning("live_row_mended", table=due.table, due_at=due.due_at.isoformat())
                else:
                    log.debug("deadline_already_met", table=due.table)
            else:
                self._on_deadline(overdue_by(self._conn, due.due_at))

    def _note_standstills(self) -> None:
        for standstill in standstills(self._conn):
            table, since, until = standstill
            log.warning("clocks_stood_still", table=table, since=since.isoformat(), until=until.isoformat())
            with _logging_failure("standstill_not_noted", table):
                self._send(NoteStandstill(table, since, until), standstill.key)
                mark_noted(self._conn, standstill)
            self._beat()

    def _note_presence(self) -> None:
        for change in changes(self._conn):
            what = "player_back" if isinstance(change, NoteBack) else "player_away"
            log.info(what, table=change.table, player=change.player)
            with _logging_failure("presence_not_noted", change.table):
                # `once`, without a retry: the player may have acted meanwhile. The next round looks again.
                self._league.dispatcher.send(change, CLOCK, source="live", once=True)
            self._beat()
        forget(self._conn)

    def _play_for_silent_ais(self) -> None:
        for table in take_ai_turns(self._conn, AI_PATIENCE, LEASE, AT_ONCE):
            log.warning("ai_did_not_play", table=table)
            with _logging_failure("ai_turn_not_played", table):
                play_for_ai(self._league, table, "heuristic")
            self._beat()

    def _send(self, command: MeetDeadline | NoteStandstill, key: str | None = None) -> None:
        self._league.dispatcher.send(command, CLOCK, source="live", key=key)


@contextmanager
def _logging_failure(failure: str, table: str) -> Iterator[None]:
    """Log failures at one table, so that they do not stop the others. When its lease lapses, the table is retried."""
    try:
        yield
    except Refusal as refusal:
        log.warning(failure, table=table, code=refusal.code, error=refusal.sentence)
    except (psycopg.OperationalError, StoreUnavailable):
        raise
    except Exception:
        log.exception(failure, table=table)


def working(league: League) -> AbstractContextManager[None]:
    """Inside this context the worker keeps the clock of live tables."""
    return in_background(partial(keep_clock, league))


WORK = WorkPart(working=working, ai_players=play_ai_seats)
