"""What a handler of a command gives: events by stream. And what a feature adds to the commands of the core."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from league.application.stream_states import StreamStates
from league.domain.deciders import Command, Event
from league.eventlog.recorder import Within
from league.eventlog.records import Append


class Decided(NamedTuple):
    """Events to append to a stream."""

    stream: str
    events: Sequence[Event]
    played_at: datetime | None = None
    """Their time of play; None: that of the command."""
    then: Sequence[Command] = ()
    """Commands of the core that follow from it: decided next, and stored in the same save."""


Decision = list[Decided]

C = TypeVar("C")
Handler = Callable[[C, StreamStates], Decision]
"""Decides a command on the state of its streams."""

Rule = Callable[[Handler[Any]], Handler[Any]]
"""What a feature makes of the handler of a command of the core: it may refuse the command, or add to its events."""

RowsOf = Callable[[Sequence[Append], StreamStates], Within | None]
"""Makes what writes the rows of some appends in their transaction; None where they need no rows."""


class Repeated(Exception):
    """A command that has been done already, or that changes nothing: its answer is the position of what did it."""

    def __init__(self, position: int) -> None:
        super().__init__(f"done at position {position}")
        self.position = position
