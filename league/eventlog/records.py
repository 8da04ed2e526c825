"""What the log takes and gives: events to append with their request, and events as they are stored."""

from __future__ import annotations

from datetime import datetime

import msgspec

from league.domain.deciders import Event
from league.domain.readable_text import check_readable

KEYED = "keyed:"
"""How hashes begin that the key of a stream makes."""


class Request(msgspec.Struct, frozen=True):
    """The actor and source of a request, and its idempotency key with a hash of its input.

    Raises UnreadableText for an actor or a key with characters that the log does not take.
    """

    actor: str
    source: str
    key: str | None = None
    input_hash: str | None = None

    def __post_init__(self) -> None:
        check_readable("actor", self.actor)
        if self.key is not None:
            check_readable("idempotencyKey", self.key)


class Append(msgspec.Struct, frozen=True):
    """Events to add to a stream that is at `version` (0: a new stream)."""

    stream: str
    version: int
    events: tuple[Event, ...]
    played_at: datetime | None = None


class Stored(msgspec.Struct, frozen=True, gc=False):
    """An event with its place in the log and in its stream, and who caused it."""

    position: int
    stream: str
    version: int
    name: str
    recorded_at: datetime
    played_at: datetime | None
    actor: str
    source: str
    key: str | None
    event: Event


class Answer(msgspec.Struct, frozen=True):
    """The record of an accepted request: the hash of its input and the last position it stored.

    `is_forgotten`: it stored a name that is erased, so that no hash can be compared with its own.
    """

    input_hash: str
    position: int
    is_forgotten: bool = False

    def is_to(self, input_hash: str) -> bool:
        """Whether it is the answer to this input, as far as can be known."""
        return input_hash == self.input_hash or (self.is_forgotten and input_hash.startswith(KEYED))
