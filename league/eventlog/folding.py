"""The state of a stream: its events, folded by the stream's decider."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from league.domain import match
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
