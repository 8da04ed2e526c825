"""What a table waits for, and until when: pure functions of its state."""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from league.domain.play import Level
from league.tables.domain.state import TableState


class Due(NamedTuple):
    """The next deadline of a table, in the time of the database, which is the time of the log."""

    at: datetime
    what: Literal["start", "contributions", "reshuffle", "turn", "pause", "hand"]
    """`start`: a table at which play has not begun is closed. `hand`: at once, the running hand is dropped and
    dealt again, since it cannot be opened."""


class ToAct(NamedTuple):
    """A seat that an AI has to move now."""

    seat: int
    level: Level


HANDED_OVER: Level = "heuristic"
"""How the AI plays for a player who is away (Cuban text, Disconnection Management: basic strategy rules)."""


def due_of(state: TableState) -> Due | None:
    """The deadline that the clock has to meet; None where the table waits for an AI."""
    if state.unreadable:
        return Due(state.hand_from, "hand") if state.hand_from else None
    if state.phase == "paused":
        waits = [(seat.away_since, seat.away_left) for seat in state.seats if seat.waited_for]
        return Due(min(since + left for since, left in waits if since is not None), "pause")
    if state.clock_from is None or state.began is None:
        return _start_of(state)
    live = state.ruleset.live
    if state.phase == "shuffling":
        return Due(_end(state, live.contribution_seconds), "contributions")
    if state.phase == "offering":
        return Due(_end(state, live.reshuffle_seconds), "reshuffle")
    return Due(_end(state, live.turn_seconds), "turn") if ai_to_act(state) is None else None


def ai_to_act(state: TableState) -> ToAct | None:
    """The seat to move, if an AI plays it."""
    if state.phase != "playing" or state.play is None:
        return None
    seat = state.seats[state.play.to_move]
    if seat.played_by == "player":
        return None
    return ToAct(state.play.to_move, seat.level or HANDED_OVER)


def _start_of(state: TableState) -> Due | None:
    """Until when play has to begin; None once it has, and for a closed table."""
    if state.phase != "open" or state.opening is None or state.opened_at is None:
        return None
    return Due(state.opened_at + timedelta(seconds=state.opening.gathering_seconds), "start")


def _end(state: TableState, seconds: int) -> datetime:
    assert state.clock_from is not None, "a clock runs"
    return state.clock_from + timedelta(seconds=seconds) - state.clock_spent
