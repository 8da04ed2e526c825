"""The state of a stream: its events, folded by the stream's decider."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, TypeVar

from league.domain import match
from league.domain.table.evolve import evolve as evolve_table
from league.domain.table.state import TableState
from league.eventlog.records import Stored

S = TypeVar("S")


def state_after(events: Iterable[Stored], evolve: Callable[[S, Any], S], state: S) -> S:
    """The state after the events of a stream; all of them belong to the decider of `evolve`."""
    for stored in events:
        state = evolve(state, stored.event)
    return state


def match_after(
    events: Iterable[Stored], state: match.MatchState | None = None, new_positions: Iterable[int] = ()
) -> match.MatchState:
    """The state of a match after the events of its stream; `state`: the state before them.

    `new_positions`: the positions of events that are decided and not yet stored.
    """
    ahead, after = iter(new_positions), state or match.MatchState()
    for stored in events:
        event: Any = stored.event
        position = stored.position or next(ahead, 0)
        after = match.evolve(after, event, stored.played_at or stored.recorded_at, position)
    return after


def table_after(events: Iterable[Any], state: TableState, times: Iterable[datetime]) -> TableState:
    """The state of a live table after events of its stream that were recorded at these times."""
    for event, when in zip(events, times, strict=True):
        state = evolve_table(state, event, when)
    return state
