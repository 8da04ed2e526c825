"""What the log takes and gives: events to append with their request, events as stored, and what it knows of each kind.

Also why the log does not take an append, and the state of a stream: its events, folded by the stream's decider.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, ClassVar, Literal, TypeVar

from msgspec import Struct

from league.domain import match
from league.domain.deciders import Event
from league.domain.sentences import say
from league.domain.texts_and_times import check_readable

# ---------------------------------------------------------------- kinds of events


Boards = Literal["any", "added", "none"]
"""What an event may do to boards. `any`: it may take back what was decided. `added`: afterwards a match is decided, or
still open or pending. `none`: it moves no competitor."""


class EventKind(Struct, frozen=True):
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


class CachedStream(Struct, frozen=True):
    """A kind of streams whose states are kept."""

    kind: str
    """How their names begin, before the colon."""
    first: Callable[[str], Any]
    """The state of a stream without events, by its id."""
    evolve: Callable[[Any, Any, datetime], Any]
    """The state after an event that happened at a time."""

    def after(self, state: Any, events: Iterable[Any], times: Iterable[datetime]) -> Any:
        """The state after events that happened at these times."""
        for event, when in zip(events, times, strict=True):
            state = self.evolve(state, event, when)
        return state


class AddedByRestore(Struct, frozen=True):
    """Events that a restored league has besides those of the backup."""

    statement: str
    """Finds where: a stream, its newest version, and the arguments of the event."""
    event: Callable[..., Event]


class EventPart(Struct, frozen=True, kw_only=True):
    """What a feature has in the log. Whoever reads the log imports it, so it must import next to nothing."""

    place: ClassVar[str] = "events"
    kinds: tuple[EventKind, ...]
    """Its events."""
    cached: CachedStream | None = None
    """Streams whose states a process keeps in memory."""
    added_by_restore: AddedByRestore | None = None


# ---------------------------------------------------------------- events and their requests


KEYED = "keyed:"
"""How hashes begin that the key of a stream makes."""


class AppendRequest(Struct, frozen=True):
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


class Append(Struct, frozen=True):
    """Events to add to a stream that is at `version` (0: a new stream)."""

    stream: str
    version: int
    events: tuple[Event, ...]
    played_at: datetime | None = None


class LoggedEvent(Struct, frozen=True, gc=False):
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


class AcceptedRequest(Struct, frozen=True):
    """The record of an accepted request: the hash of its input and the last position it stored.

    `name_was_erased`: it stored a name that is erased, so that no hash can be compared with its own.
    """

    input_hash: str
    position: int
    name_was_erased: bool = False

    def is_to(self, input_hash: str) -> bool:
        """Whether it is the answer to this input, as far as can be known."""
        return input_hash == self.input_hash or (self.name_was_erased and input_hash.startswith(KEYED))


# ---------------------------------------------------------------- why an append is not taken


class Overtaken(Exception):
    """Another writer was faster: decide the command on `stream` again."""

    def __init__(self, stream: str, reason: str) -> None:
        super().__init__(f"{stream} {reason}")
        self.stream = stream


class VersionConflict(Overtaken):
    """`stream` is no longer at version `expected`."""

    def __init__(self, stream: str, expected: int) -> None:
        super().__init__(stream, f"is no longer at version {expected}")
        self.expected = expected


class IdempotencyKeyTaken(Exception):
    """This actor has used this idempotency key with a different input."""

    def __init__(self, actor: str, key: str) -> None:
        super().__init__(say("the key {key!r} of {actor} belongs to another request", key=key, actor=actor))
        self.actor = actor
        self.key = key


class SealingKeyDestroyed(Overtaken):
    """The key of this stream is destroyed: commands decided before an erasure cannot be stored after it."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream, say("has no key any more: it was erased"))


# ---------------------------------------------------------------- states of streams


S = TypeVar("S")


def state_after(events: Iterable[LoggedEvent], evolve: Callable[[S, Any], S], state: S) -> S:
    """The state after the events of a stream; all of them belong to the decider of `evolve`."""
    for stored in events:
        state = evolve(state, stored.event)
    return state


def match_after(
    events: Iterable[LoggedEvent], state: match.MatchState | None = None, new_positions: Iterable[int] = ()
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
