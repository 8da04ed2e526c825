"""The states on which commands are decided. Each stream is loaded once and folded from its events.

A process caches the states of some streams in memory, so that the next command loads only newer events. Features
declare such streams if commands on them must be fast although the stream is long, such as moves at a live table.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain import league, match, members, player, rulebook
from league.domain.player import is_name_of_stream
from league.domain.refusals import InvalidInput, Refusal
from league.domain.result import result_of
from league.domain.seating import competitor_of, sides_of
from league.domain.series import (
    SERIES_MODES,
    Encounter,
    EnteredMatch,
    MatchEntered,
    encounters_ever,
    month_of,
    months_around,
)
from league.eventlog.codec import name_of
from league.eventlog.recorder import Within
from league.eventlog.records import Append, CachedStream, EventPart, LoggedEvent, Overtaken, match_after, state_after
from league.eventlog.store import EventStore
from league.features import declared

MOST = 1_000
"""Limit on the states that a process caches."""


class CachedState(Protocol):
    """The state of a stream that is cached."""

    @property
    def version(self) -> int:
        """The number of events from which it was folded."""


@cache
def _cached_streams() -> dict[str, CachedStream]:
    return {part.cached.kind: part.cached for part in declared(EventPart) if part.cached is not None}


def cached_stream(stream: str) -> CachedStream | None:
    """The declaration by which the state of a stream is cached; None if it is not cached."""
    return _cached_streams().get(stream.partition(":")[0])


class StoredState(Struct, frozen=True):
    """The state of a stream after all its stored events."""

    state: Any
    position: int = 0
    """The position of its last event in the log; 0 without events."""


class StateCache:
    """The states of cached streams, as this process last read them. Safe to share between threads."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: OrderedDict[str, StoredState] = OrderedDict()

    def load(self, stream: str) -> Any:
        """The present state of a cached stream. Loads only its newer events."""
        return self.load_many([stream])[stream].state

    def load_many(self, streams: Iterable[str]) -> dict[str, StoredState]:
        """The present states of cached streams by name, read at one moment with one query."""
        with self._lock:
            states = {
                stream: self._known.get(stream) or StoredState(_cached(stream).first(stream.partition(":")[2]))
                for stream in streams
            }
        versions = {stream: known.state.version for stream, known in states.items() if is_name_of_stream(stream)}
        for stream, newer in self._store.load_after_each(versions).items():
            if newer:
                states[stream] = _after(stream, states[stream].state, newer)
                self._add(stream, states[stream])
        return states

    def _add(self, stream: str, stored: StoredState) -> None:
        with self._lock:
            known = self._known.get(stream)
            if known is None or known.state.version < stored.state.version:
                self._known[stream] = stored
            self._known.move_to_end(stream)
            if len(self._known) > MOST:
                self._known.popitem(last=False)


def _after(stream: str, state: Any, newer: list[LoggedEvent]) -> StoredState:
    events, times = [one.event for one in newer], [one.played_at or one.recorded_at for one in newer]
    return StoredState(_cached(stream).after(state, events, times), newer[-1].position)


def _cached(stream: str) -> CachedStream:
    cached = cached_stream(stream)
    assert cached is not None, "its state is cached"
    return cached


class StreamStates:
    """The states of streams at one moment, `now`, including events that were decided but are not stored yet."""

    def __init__(
        self, store: EventStore, now: datetime, state_cache: StateCache | None = None, actor: str | None = None
    ) -> None:
        """`state_cache`: the cache of the process; `actor` sends the commands."""
        self.store, self.now, self.actor = store, now, actor
        self.checks: list[Within] = []
        """Checks to make in the transaction that stores the events, while no other writer can append."""
        self._streams: dict[str, list[LoggedEvent]] = {}
        self._state_cache = state_cache or StateCache(store)
        self.stored_states: dict[str, Any] = {}
        """The states of cached streams, by name, after their stored events."""
        self._foreseen_states: dict[str, Any] = {}
        """The states of cached streams, by name, after their decided events too."""
        self._versions: dict[str, int] = {}
        """The versions of cached streams that were looked up without loading the stream."""
        self._knows_members, self.members_at = False, 0

    def prefetch(self, streams: Iterable[str]) -> None:
        """Load the streams that are not loaded yet, with at most one query."""
        new = [stream for stream in streams if stream not in self._streams]
        self._streams.update({stream: [] for stream in new})
        if can_exist := [stream for stream in new if player.is_name_of_stream(stream)]:
            self._streams.update(self.store.load_many(can_exist))

    def events(self, stream: str) -> list[LoggedEvent]:
        """The events of a stream, including decided ones."""
        self.prefetch([stream])
        return self._streams[stream]

    def version(self, stream: str) -> int:
        """The number of events of a stream, including decided ones."""
        if cached_stream(stream) is not None:
            return int(self.cached_state(stream).version)
        return len(self.events(stream))

    def read(self) -> dict[str, int]:
        """The streams that were read by name, each with the lowest stored version that was read."""
        loaded = {stream: sum(one.position > 0 for one in events) for stream, events in self._streams.items()}
        cached = {stream: state.version for stream, state in self.stored_states.items()}
        versions: dict[str, int] = {}
        for stream, version in chain(loaded.items(), cached.items(), self._versions.items()):
            versions[stream] = min(version, versions.get(stream, version))
        return {stream: version for stream, version in versions.items() if player.is_name_of_stream(stream)}

    def check_unchanged(self) -> None:
        """Raise Overtaken if a stream that was read has changed since. Otherwise all were read as of one moment."""
        if (read := self.read()) and (changed := self.store.changed_since(read)) is not None:
            raise Overtaken(changed, "has changed since it was read")

    def cached_state(self, stream: str) -> Any:
        """The state of a cached stream, after decided events too. Loads only events that the cache does not have."""
        if stream not in self._foreseen_states:
            self._foreseen_states[stream] = self.stored_states[stream] = self._state_cache.load(stream)
        return self._foreseen_states[stream]

    def state_as_stored(self, stream: str) -> Any:
        """The stored state of a cached stream. The request does not depend on it, so it may be overtaken."""
        return self._state_cache.load(stream)

    def has_cached_stream(self, stream: str) -> bool:
        """Whether a cached stream has events. Does not load it."""
        known = self._foreseen_states.get(stream)
        if known is not None:
            return bool(known.version)
        version = self._versions.setdefault(stream, self.store.version(stream))
        return version > 0

    def foresee(self, append: Append) -> None:
        """Add decided events to the states, so that the next command of the request is decided on top of them."""
        if (cached := cached_stream(append.stream)) is not None:
            before, times = self.cached_state(append.stream), [append.played_at or self.now] * len(append.events)
            self._foreseen_states[append.stream] = cached.after(before, append.events, times)
            return
        known = self.events(append.stream)
        for version, event in enumerate(append.events, len(known) + 1):
            name = name_of(event)
            stored = LoggedEvent(0, append.stream, version, name, self.now, append.played_at, "", "", None, event)
            known.append(stored)

    def foreseen(self) -> list[LoggedEvent]:
        """The events that were decided and are not stored yet."""
        return [stored for events in self._streams.values() for stored in events if not stored.position]

    def match(self, match_id: str) -> match.MatchState:
        """The state of a match."""
        return match_after(self.events(f"match:{match_id}"))

    def merges(self) -> player.Merges:
        """The merges of players."""
        return state_after(self.events(player.MERGES_STREAM), player.evolve_merges, player.Merges())

    def player(self, player_id: str) -> player.PlayerState:
        """The state of a player."""
        return state_after(self.events(f"player:{player_id}"), player.evolve, player.PlayerState())

    def members(self) -> members.Members:
        """All members and requests for access. Sets `members_at` to the position up to which they were read."""
        if not self._knows_members:
            self._knows_members, self.members_at = True, self.store.head()
            for stored in self.store.streams_until(MEMBERS, self.members_at):
                self._streams.setdefault(stored.stream, []).append(stored)
        found = members.Members()
        for stream, events in self._streams.items():
            if stream.startswith(MEMBERS):
                member: members.MemberState | None = state_after(events, members.evolve, None)
                if member is not None:
                    found[stream.removeprefix(MEMBERS)] = member
        return found

    def known_players(self, seats: Sequence[str]) -> frozenset[str]:
        """The seated players who are registered. Raises WrongState for the first who was erased."""
        self.prefetch(f"player:{player_id}" for player_id in seats)
        return frozenset(id_ for seat, id_ in enumerate(seats) if player.can_be_seated(seat, id_, self.player(id_)))

    def read_as(self, players: Sequence[str]) -> tuple[str, ...]:
        """The ids of players, with merged ids resolved."""
        return player.canonical(players, self.merges().aliases())

    def seated_as(self, player: str, seats: Sequence[str | None]) -> str:
        """The id under which a player sits in these seats; the given id if the player does not."""
        if player in seats:
            return player
        theirs = self.merges().ids_of(player)
        return next((seat for seat in seats if seat in theirs), player)

    def faults_of_seats(self, seats: Sequence[str]) -> Iterator[InvalidInput]:
        """The faults of seats that have two ids of one player."""
        return player.faults_of_seats(seats, self.merges().aliases())

    def seasons(self) -> league.Seasons:
        """The seasons by id."""
        return state_after(self.events("season"), league.evolve_seasons, {})

    def league(self) -> league.LeagueState:
        """The league's settings."""
        return state_after(self.events("league"), league.evolve, league.LeagueState())

    def rulebook(self) -> rulebook.RulebookState:
        """The editions and their timeline."""
        return state_after(self.events("rulebook"), rulebook.evolve, rulebook.RulebookState())

    def zone(self) -> ZoneInfo:
        """The time zone in which the league's months begin and end."""
        return ZoneInfo(self.league().time_zone)

    @contextmanager
    def telling_times(self) -> Iterator[None]:
        """A context in which refusals say their times in the league's time zone."""
        try:
            yield
        except Refusal as refused:
            refused.tell_times(self.zone())
            raise

    def entered(self, encounter: Encounter) -> list[EnteredMatch]:
        """The matches of an encounter that can count, each decided under its own edition."""
        streams = self._streams_of(encounter)
        self.prefetch(streams)
        events = [stored.event for stream in streams for stored in self.events(stream)]
        ids = [event.match for event in events if isinstance(event, MatchEntered)]
        self.prefetch(f"match:{match_id}" for match_id in ids)
        found = [self._entered(encounter, match_id) for match_id in ids]
        return [entered for entered in found if entered is not None]

    def may_be_entered_elsewhere(self) -> bool:
        """Whether matches may stand in other streams of the series than that of their encounter as it is read now."""
        return bool(self.events(player.MERGES_STREAM)) or bool(self.league().zone_changed)

    def prefetch_entered(self, encounters: Iterable[Encounter]) -> None:
        """Load what `entered` reads of several encounters, with at most two queries."""
        streams = list(dict.fromkeys(stream for one in encounters for stream in self._streams_of(one)))
        self.prefetch(streams)
        entries = [stored.event for stream in streams for stored in self._streams[stream]]
        self.prefetch(f"match:{entry.match}" for entry in entries if isinstance(entry, MatchEntered))

    def _entered(self, encounter: Encounter, match_id: str) -> EnteredMatch | None:
        played = self.match(match_id).played
        if played is None or played.voided:
            return None
        sides = sides_of(played.mode, self.read_as(played.seats))
        if Encounter.of(played.mode, sides, played.began_at, self.zone()) != encounter:
            return None  # the time zone has changed, or a merge was undone
        ruleset = self.rulebook().at(played.began_at).rulesets[played.ruleset]
        winner = result_of(played, ruleset).winner
        if played.decided_at is None:
            return EnteredMatch(match_id)  # it is open or pending
        if winner is None:
            return None
        a_won = competitor_of(sides[winner]) == encounter.a
        return EnteredMatch(match_id, played.decided_at, a_won)

    def _streams_of(self, encounter: Encounter) -> list[str]:
        """The streams in which matches of the two may be entered, under their ids before and after any merge."""
        met = encounters_ever(encounter, self.merges())
        around = self.league().zone_changed
        return [stream for one in met for stream in (one.streams_around if around else [one.stream])]

    def competed_in(self, month: str) -> bool:
        """Whether a match that was entered in the series began in this month, by the present time zone."""
        if not self.league().zone_changed:
            return any(self._has_stream(f"series:{mode}:{month}:") for mode in SERIES_MODES)
        zone = self.zone()
        # Nearly always the first entry of the month's own streams answers. Matches at its edges may be elsewhere.
        near = sorted(months_around(month), key=lambda one: one != month)
        prefixes = (f"series:{mode}:{one}:" for one in near for mode in SERIES_MODES)
        entries = chain.from_iterable(self._with_prefix(prefix) for prefix in prefixes)
        return any(month_of(entry.played_at or entry.recorded_at, zone) == month for entry in entries)

    def months_competed_in(self) -> list[str]:
        """The months for which `competed_in` is true."""
        entered = {month for mode in SERIES_MODES for month in self.store.parts_of_streams(f"series:{mode}:")}
        if not self.league().zone_changed:
            return sorted(entered)
        near = {one for month in entered for one in months_around(month)}
        return [month for month in sorted(near) if self.competed_in(month)]

    def _with_prefix(self, prefix: str) -> Iterator[LoggedEvent]:
        """The events of the streams whose names have this prefix: first those of this request, then the stored ones."""
        yield from (one for one in self.foreseen() if one.stream.startswith(prefix))
        yield from self.store.streams_until(prefix, self.store.head())

    def _has_stream(self, prefix: str) -> bool:
        foreseen = (stream for stream, events in self._streams.items() if events)
        return any(stream.startswith(prefix) for stream in foreseen) or self.store.has_stream(prefix)


MEMBERS = "member:"
"""The prefix of the streams of members."""
