"""The seats that AIs play: those of practice tables, and those of players who are away."""

import secrets
import time
from collections.abc import Callable

import psycopg
import structlog

from league.ai.levels import choose
from league.application.bootstrap import League
from league.domain.play import Level, Play, seen_by
from league.domain.refusals import Refusal
from league.domain.result import result_of
from league.eventlog.recorder import TABLES, StoreUnavailable
from league.infra.database import connect
from league.infra.outages import outages
from league.tables.application.leases import Connection, take_ai_turns, until_next_ai_turn
from league.tables.application.table_states import stored_table
from league.tables.domain.commands import PlayAsAI
from league.tables.domain.deadlines import ai_to_act
from league.tables.domain.refusals import ClockStands
from league.tables.domain.state import TableState

AI = "ai"
"""The actor of what AIs do."""
PAUSE = 1.0
"""Seconds that an AI waits with its turn, as a player would."""
THINKING = 2.0
"""Seconds that an AI may think."""
AI_LEASE = 5.0
"""Seconds that a process has for an AI's turn: longer than any AI thinks."""
AI_PATIENCE = 10.0
"""Seconds after which the clock plays for an AI whose process has not."""
LOOK_AGAIN = 1.0
"""Seconds between two looks for turns, at most."""
SHORTEST = 0.01
"""Seconds between two looks, at least."""

log = structlog.get_logger()


def play_ai_seats(league: League, stop: Callable[[], bool], pause: float = PAUSE) -> None:
    """Play the turns of AIs until `stop()` returns true, whatever fails meanwhile. Each waits for `pause` seconds."""
    while not stop():
        try:
            with connect(league.database.url, autocommit=True) as conn:
                conn.execute(f"LISTEN {TABLES}")
                while not stop():
                    play_waiting_turns(league, conn, pause)
                    _wait(conn, pause)
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
            except ClockStands:  # it plays once the standstill is noted, and its lease has lapsed
                log.debug("ai_waits_for_clock", table=table)
            except Refusal as refusal:
                log.info("ai_was_late", table=table, code=refusal.code)


def play_for_ai(league: League, table: str, level: Level | None = None) -> None:
    """Play the turn of an AI if it is one's turn; `level` takes the place of its own. Raises Refusal."""
    state = stored_table(league.dispatcher.kept_states, table)
    acting = ai_to_act(state)
    if acting is not None:
        tile, end = chosen(state, acting.seat, level or acting.level)
        command = PlayAsAI(table, acting.seat, state.hand, state.turn, tile, end)
        league.dispatcher.send(command, AI, source="live")


def clock_plays(league: League, table: str) -> Play | None:
    """The tile that the clock has to play for a seat whose time has run out, as the heuristic AI chooses it.

    None where it plays none: it passes, or the table waits for something else.
    """
    state = stored_table(league.dispatcher.kept_states, table)
    play = state.play
    if state.phase != "playing" or play is None or play.is_over:
        return None
    if play.ends is not None and state.ruleset.live.on_timeout == "pass":
        return None
    return chosen(state, play.to_move, "heuristic")


def chosen(state: TableState, seat: int, level: Level) -> Play:
    """The play of an AI of some level for a seat, from what this seat sees. It must be the one to move."""
    assert state.play is not None, "a hand is played"
    assert state.played is not None, "its match has begun"
    score = result_of(state.played, state.ruleset).score
    seen = seen_by(seat, state.play, state.played.mode, score, state.hand)
    return choose(seen, level, secrets.randbits(32), time_limit=THINKING)


def _wait(conn: Connection, pause: float) -> None:
    """Wait until an AI may have a turn to play."""
    until = until_next_ai_turn(conn, pause)
    seconds = LOOK_AGAIN if until is None else min(max(until, SHORTEST), LOOK_AGAIN)
    for _ in conn.notifies(timeout=seconds, stop_after=1):
        pass
