"""The states of streams that a process keeps in memory, so that the next command loads only newer events.

A feature declares such streams where a command must not fold a long stream anew: a move of a live table is one.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from msgspec import Struct

from league.domain.player import is_name_of_stream
from league.eventlog.records import Stored
from league.eventlog.store import EventStore
from league.features import declared

MOST = 1_000
"""States that a process keeps."""


class State(Protocol):
    """The state of a stream that is kept."""

    @property
    def version(self) -> int:
        """How many events of the stream it is folded from."""


class KeptStream(Struct, frozen=True):
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


@cache
def _kept_streams() -> dict[str, KeptStream]:
    return {kept.kind: kept for kept in declared("states")}


def kept_stream(stream: str) -> KeptStream | None:
    """How the state of a stream is kept; None for one that is not kept."""
    return _kept_streams().get(stream.partition(":")[0])


class StoredState(Struct, frozen=True):
    """The state of a stream as it is stored."""

    state: Any
    position: int = 0
    """Of its last event in the log, 0 without events."""


class KeptStates:
    """The states of kept streams as this process last saw them. Safe between threads."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: OrderedDict[str, StoredState] = OrderedDict()

    def load(self, stream: str) -> Any:
        """The state of a kept stream as it is stored now."""
        return self.load_many([stream])[stream].state

    def load_many(self, streams: Iterable[str]) -> dict[str, StoredState]:
        """Kept streams as they are stored at one moment, by name, with one query."""
        with self._lock:
            states = {stream: self._known.get(stream) or StoredState(_first(stream)) for stream in streams}
        versions = {stream: known.state.version for stream, known in states.items() if is_name_of_stream(stream)}
        for stream, newer in self._store.load_after_each(versions).items():
            if newer:
                states[stream] = _after(stream, states[stream].state, newer)
                self._keep(stream, states[stream])
        return states

    def _keep(self, stream: str, stored: StoredState) -> None:
        with self._lock:
            known = self._known.get(stream)
            if known is None or known.state.version < stored.state.version:
                self._known[stream] = stored
            self._known.move_to_end(stream)
            if len(self._known) > MOST:
                self._known.popitem(last=False)


def _first(stream: str) -> Any:
    return _kept(stream).first(stream.partition(":")[2])


def _after(stream: str, state: Any, newer: list[Stored]) -> StoredState:
    events, times = [one.event for one in newer], [one.played_at or one.recorded_at for one in newer]
    return StoredState(_kept(stream).after(state, events, times), newer[-1].position)


def _kept(stream: str) -> KeptStream:
    kept = kept_stream(stream)
    assert kept is not None, "its state is kept"
    return kept
