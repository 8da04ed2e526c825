"""What the log knows of a kind of event."""

from typing import Literal

from msgspec import Struct

from league.domain.deciders import Event

Boards = Literal["any", "added", "none"]
"""What an event may do to boards. `any`: it may take back what was decided. `added`: afterwards a match is decided, or
still open or pending. `none`: it moves no competitor."""


class Kind(Struct, frozen=True):
    """A kind of event."""

    name: str
    """With the version of its body. It stays readable for ever."""
    event: type[Event]
    sealed: tuple[str, ...] = ()
    """Fields that are sealed in the log, by the key of their stream."""
    sealed_until_the_end: tuple[str, ...] = ()
    """Fields that are sealed in the log until the hand ends."""
    erases: bool = False
    """Whether it destroys the key of its stream."""
    is_folded: bool = True
    """Whether a fold needs it. Events of live tables are not even read: the league does not follow them."""
    boards: Boards = "any"
