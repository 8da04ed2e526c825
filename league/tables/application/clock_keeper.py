"""The clock of live tables: any process that keeps it meets the deadlines that stand in the database.

As many processes as there are keep it together. Each meets some of the deadlines, and one of them a second looks for
standstills and for players who have gone or come back.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import structlog

from league.application.bootstrap import League
from league.application.following import CLOCK
from league.domain.refusals import Refusal
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect
from league.infra.outages import outages
from league.tables.application.ai_seats import AI_PATIENCE, clock_plays, play_for_ai
from league.tables.application.leases import (
    AT_ONCE,
    LEASE,
    Connection,
    DueTable,
    overdue_by,
    take_ai_turns,
    take_due,
    until_next_due,
)
from league.tables.application.live_rows import mend_row, write_missing_rows
from league.tables.application.presence import changes, forget, hear_anew
from league.tables.application.standstill import BEAT, beat, mark_noted, standstills
from league.tables.domain.commands import MeetDeadline, NoteBack, NoteStandstill
from league.tables.domain.refusals import NothingDue

LOOK_AGAIN = 1.0
"""Seconds between two looks at the deadlines, at most."""
SHORTEST = 0.01
"""Seconds between two looks, at least."""
LONGEST_PAUSE = 30.0
"""Seconds before the clock is tried again after it has failed more than once, at most."""

log = structlog.get_logger()


def keep_clock(league: League, ended: threading.Event, on_deadline: Callable[[float], object] = lambda _: None) -> None:
    """Meet deadlines until `ended` is set, whatever fails meanwhile. Without the secret of live tables do nothing.

    `on_deadline` hears of each one that was met, and by how many seconds late.
    """
    if not league.store.seals_tables:
        # It would take every sealed hand for one whose key is lost, and deal it again.
        log.warning("no_clock_without_table_secret")
        return
    pause = LOOK_AGAIN
    while not ended.is_set():
        try:
            with connect(league.database.url, autocommit=True) as conn:
                write_missing_rows(league.store, league.database.url)
                hear_anew(conn)
                keeper = ClockKeeper(league, conn, on_deadline)
                while not ended.is_set():
                    keeper.look()
                    pause = LOOK_AGAIN
                    ended.wait(keeper.pause())
        except (psycopg.OperationalError, StoreUnavailable) as error:
            outages.note(error)
            pause = LOOK_AGAIN
        except Exception:
            log.exception("clock_failed", pause=pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        ended.wait(pause)


class ClockKeeper:
    """Does what is due at the tables at this moment."""

    def __init__(
        self, league: League, conn: Connection, on_deadline: Callable[[float], object] = lambda _: None
    ) -> None:
        self._league, self._conn, self._on_deadline = league, conn, on_deadline
        self._makes_round = False
        """Whether this process renewed the heartbeat last, so that the next round is its own."""

    def look(self) -> None:
        """Do everything that is due. The heart beats between two commands, so that a long look is no standstill."""
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

    def pause(self) -> float:
        """Seconds until something can be due."""
        until = until_next_due(self._conn)
        return LOOK_AGAIN if until is None else min(max(until, SHORTEST), LOOK_AGAIN, BEAT)

    def _beat(self) -> None:
        self._makes_round = beat(self._conn) or self._makes_round

    def _meet(self, due: DueTable) -> None:
        with _going_on("deadline_not_met", due.table):
            play = clock_plays(self._league, due.table)
            try:
                self._send(MeetDeadline(due.table, due.due_at, play))
            except NothingDue:
                if mend_row(self._conn, self._league.dispatcher.kept_states, due.table, due.due_at):
                    log.warning("live_row_mended", table=due.table, due_at=due.due_at.isoformat())
                else:
                    log.debug("deadline_already_met", table=due.table)
            else:
                self._on_deadline(overdue_by(self._conn, due.due_at))

    def _note_standstills(self) -> None:
        for standstill in standstills(self._conn):
            table, since, until = standstill
            log.warning("clocks_stood_still", table=table, since=since.isoformat(), until=until.isoformat())
            with _going_on("standstill_not_noted", table):
                self._send(NoteStandstill(table, since, until), standstill.key)
                mark_noted(self._conn, standstill)
            self._beat()

    def _note_presence(self) -> None:
        for change in changes(self._conn):
            what = "player_back" if isinstance(change, NoteBack) else "player_away"
            log.info(what, table=change.table, player=change.player)
            with _going_on("presence_not_noted", change.table):
                # Once: a player who has acted meanwhile is there. The next round looks at the signs of life again.
                self._league.dispatcher.send(change, CLOCK, source="live", once=True)
            self._beat()
        forget(self._conn)

    def _play_for_silent_ais(self) -> None:
        for table in take_ai_turns(self._conn, AI_PATIENCE, LEASE, AT_ONCE):
            log.warning("ai_did_not_play", table=table)
            with _going_on("ai_turn_not_played", table):
                play_for_ai(self._league, table, "heuristic")
            self._beat()

    def _send(self, command: MeetDeadline | NoteStandstill, key: str | None = None) -> None:
        self._league.dispatcher.send(command, CLOCK, source="live", key=key)


@contextmanager
def _going_on(failure: str, table: str) -> Iterator[None]:
    """What fails at one table keeps no other waiting. The table's lease lapses, and it is tried again."""
    try:
        yield
    except Refusal as refusal:
        log.warning(failure, table=table, code=refusal.code, error=refusal.sentence)
    except (psycopg.OperationalError, StoreUnavailable):
        raise
    except Exception:
        log.exception(failure, table=table)
