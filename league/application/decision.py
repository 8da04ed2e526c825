"""What a handler of a command gives: events by stream."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from league.application.stream_states import StreamStates
from league.domain.deciders import Event

Decision = list[tuple[str, Sequence[Event]]]
"""The events to append, by stream; a stream without events must only stay as it is until they are appended."""

C = TypeVar("C")
Handler = Callable[[C, StreamStates], Decision]
"""Decides a command on the state of its streams."""


class Repeated(Exception):
    """A command that has been done already, or that changes nothing: its answer is the position of what did it."""

    def __init__(self, position: int) -> None:
        super().__init__(f"done at position {position}")
        self.position = position
