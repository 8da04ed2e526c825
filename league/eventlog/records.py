"""The types of the log's interface: events to append and their request, stored events, and the kinds of events.

Also the exceptions of a refused append, and functions that fold the events of a stream into its state.
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
"""The effect of an event on boards. `any`: it may change decided matches. `added`: it can only add a decided match.
`none`: it moves no competitor."""


class EventKind(Struct, frozen=True):
    """A kind of event."""

    name: str
    """The stored name, with the version of the body. It stays readable for ever."""
    event: type[Event]
    sealed: tuple[str, ...] = ()
    """Personal fields, which the log seals with the key of the stream."""
    sealed_until_the_end: tuple[str, ...] = ()
    """Secret fields, which the log seals until the hand ends."""
    erases: bool = False
    """Whether the event destroys the sealing key of its stream."""
    is_folded: bool = True
    """Whether a fold needs the event. The projector does not even read events of live tables."""
    boards: Boards = "any"


class CachedStream(Struct, frozen=True):
    """A kind of streams whose states a process caches in memory."""

    kind: str
    """The part of their names before the colon."""
    first: Callable[[str], Any]
    """Returns the state of a stream without events, for an id."""
    evolve: Callable[[Any, Any, datetime], Any]
    """Returns the state after an event that happened at a time."""

    def after(self, state: Any, events: Iterable[Any], times: Iterable[datetime]) -> Any:
        """The state after events that happened at these times."""
        for event, when in zip(events, times, strict=True):
            state = self.evolve(state, event, when)
        return state


class AddedByRestore(Struct, frozen=True):
    """Events that a restore adds to those of the backup."""

    statement: str
    """The query that finds them: a stream, its newest version, and the arguments of the event, for each."""
    event: Callable[..., Event]
    """Makes the event from these arguments."""


class EventPart(Struct, frozen=True, kw_only=True):
    """The events of a feature. Whoever reads the log imports this part, so it must import next to nothing."""

    place: ClassVar[str] = "events"
    kinds: tuple[EventKind, ...]
    """The kinds of its events."""
    cached: CachedStream | None = None
    """Its streams whose states a process caches in memory."""
    added_by_restore: AddedByRestore | None = None


# ---------------------------------------------------------------- events and their requests


KEYED = "keyed:"
"""The prefix of a hash that is made with the sealing key of a stream."""


class AppendRequest(Struct, frozen=True):
    """The origin of an append: its actor and source, and its idempotency key with a hash of the input.

    Raises UnreadableText for an actor or a key with characters that the log does not accept.
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
    """Events to append to a stream whose present version is `version` (0: a new stream)."""

    stream: str
    version: int
    events: tuple[Event, ...]
    played_at: datetime | None = None


class LoggedEvent(Struct, frozen=True, gc=False):
    """A stored event with its position in the log, its version in its stream, and its origin."""

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
    """The record of an accepted request: the hash of its input, and the position of its last event.

    `name_was_erased`: the request stored a name that was erased since, together with the key of the hash. No input can
    be compared with that hash any more.
    """

    input_hash: str
    position: int
    name_was_erased: bool = False

    def is_to(self, input_hash: str) -> bool:
        """Whether the accepted request had this input. Also true if an erasure has made that impossible to know."""
        return input_hash == self.input_hash or (self.name_was_erased and input_hash.startswith(KEYED))


# ---------------------------------------------------------------- exceptions of a refused append


class Overtaken(Exception):
    """Another writer was faster, so the command on `stream` must be decided again."""

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
    """The sealing key of this stream is destroyed. Commands decided before an erasure cannot be stored after it."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream, say("has no key any more: it was erased"))


# ---------------------------------------------------------------- states of streams


S = TypeVar("S")


def state_after(events: Iterable[LoggedEvent], evolve: Callable[[S, Any], S], state: S) -> S:
    """The state after the events of a stream; `evolve` must know all of them."""
    for stored in events:
        state = evolve(state, stored.event)
    return state


def match_after(
    events: Iterable[LoggedEvent], state: match.MatchState | None = None, new_positions: Iterable[int] = ()
) -> match.MatchState:
    """The state of a match after these events of its stream; `state`: the state before them.

    `new_positions`: the positions to assume for events that are decided but not stored yet.
    """
    ahead, after = iter(new_positions), state or match.MatchState()
    for stored in events:
        event: Any = stored.event
        position = stored.position or next(ahead, 0)
        after = match.evolve(after, event, stored.played_at or stored.recorded_at, position)
    return after
