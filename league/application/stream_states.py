"""The states that commands are decided on: each stream is loaded once and folded from its events.

A process keeps the states of some streams in memory, so that the next command loads only newer events. A feature
declares such streams where a command must not fold a long stream anew: a move of a live table is one.
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
"""States that a process keeps."""


class CachedState(Protocol):
    """The state of a stream that is kept."""

    @property
    def version(self) -> int:
        """How many events of the stream it is folded from."""


@cache
def _cached_streams() -> dict[str, CachedStream]:
    return {part.cached.kind: part.cached for part in declared(EventPart) if part.cached is not None}


def cached_stream(stream: str) -> CachedStream | None:
    """How the state of a stream is kept; None for one that is not kept."""
    return _cached_streams().get(stream.partition(":")[0])


class StoredState(Struct, frozen=True):
    """The state of a stream as it is stored."""

    state: Any
    position: int = 0
    """Of its last event in the log, 0 without events."""


class StateCache:
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
            states = {
                stream: self._known.get(stream) or StoredState(_cached(stream).first(stream.partition(":")[2]))
                for stream in streams
            }
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


def _after(stream: str, state: Any, newer: list[LoggedEvent]) -> StoredState:
    events, times = [one.event for one in newer], [one.played_at or one.recorded_at for one in newer]
    return StoredState(_cached(stream).after(state, events, times), newer[-1].position)


def _cached(stream: str) -> CachedStream:
    kept = cached_stream(stream)
    assert kept is not None, "its state is kept"
    return kept


class StreamStates:
    """The state of streams at one moment, `now`, with the events that were decided since then."""

    def __init__(
        self, store: EventStore, now: datetime, state_cache: StateCache | None = None, actor: str | None = None
    ) -> None:
        """`state_cache`: those that the process keeps; `actor`: who sends the commands."""
        self.store, self.now, self.actor = store, now, actor
        self.checks: list[Within] = []
        """What must still hold when the events are stored, while no other writer can append."""
        self._streams: dict[str, list[LoggedEvent]] = {}
        self._state_cache = state_cache or StateCache(store)
        self.stored_states: dict[str, Any] = {}
        """Of kept streams, by name, as they are stored."""
        self._foreseen_states: dict[str, Any] = {}
        self._versions: dict[str, int] = {}
        """Of kept streams that were asked for without being loaded."""
        self._knows_members, self.members_at = False, 0

    def prefetch(self, streams: Iterable[str]) -> None:
        """Load those streams that are not loaded yet, with one query or none."""
        new = [stream for stream in streams if stream not in self._streams]
        self._streams.update({stream: [] for stream in new})
        if can_exist := [stream for stream in new if player.is_name_of_stream(stream)]:
            self._streams.update(self.store.load_many(can_exist))

    def events(self, stream: str) -> list[LoggedEvent]:
        """The events of a stream."""
        self.prefetch([stream])
        return self._streams[stream]

    def version(self, stream: str) -> int:
        """How many events a stream has."""
        if cached_stream(stream) is not None:
            return int(self.cached_state(stream).version)
        return len(self.events(stream))

    def read(self) -> dict[str, int]:
        """The streams that were read by their names, each with the lowest of its stored versions that were read."""
        loaded = {stream: sum(one.position > 0 for one in events) for stream, events in self._streams.items()}
        kept = {stream: state.version for stream, state in self.stored_states.items()}
        versions: dict[str, int] = {}
        for stream, version in chain(loaded.items(), kept.items(), self._versions.items()):
            versions[stream] = min(version, versions.get(stream, version))
        return {stream: version for stream, version in versions.items() if player.is_name_of_stream(stream)}

    def check_unchanged(self) -> None:
        """Raise Overtaken unless the streams are still as they were read by their names: as at one moment."""
        if (read := self.read()) and (changed := self.store.changed_since(read)) is not None:
            raise Overtaken(changed, "has changed since it was read")

    def cached_state(self, stream: str) -> Any:
        """The state of a kept stream. Loads only the events that the process does not know yet."""
        if stream not in self._foreseen_states:
            self._foreseen_states[stream] = self.stored_states[stream] = self._state_cache.load(stream)
        return self._foreseen_states[stream]

    def has_cached_stream(self, stream: str) -> bool:
        """Whether a kept stream has events. It is not loaded."""
        known = self._foreseen_states.get(stream)
        if known is not None:
            return bool(known.version)
        version = self._versions.setdefault(stream, self.store.version(stream))
        return version > 0

    def foresee(self, append: Append) -> None:
        """Take decided events as stored, so that the next command of the request is decided on top of them."""
        if (kept := cached_stream(append.stream)) is not None:
            before, times = self.cached_state(append.stream), [append.played_at or self.now] * len(append.events)
            self._foreseen_states[append.stream] = kept.after(before, append.events, times)
            return
        known = self.events(append.stream)
        for version, event in enumerate(append.events, len(known) + 1):
            name = name_of(event)
            stored = LoggedEvent(0, append.stream, version, name, self.now, append.played_at, "", "", None, event)
            known.append(stored)

    def foreseen(self) -> list[LoggedEvent]:
        """The events that were decided, and are not stored yet."""
        return [stored for events in self._streams.values() for stored in events if not stored.position]

    def match(self, match_id: str) -> match.MatchState:
        """A match."""
        return match_after(self.events(f"match:{match_id}"))

    def merges(self) -> player.Merges:
        """Which ids are read as other ones."""
        return state_after(self.events(player.MERGES_STREAM), player.evolve_merges, player.Merges())

    def player(self, player_id: str) -> player.PlayerState:
        """A player."""
        return state_after(self.events(f"player:{player_id}"), player.evolve, player.PlayerState())

    def members(self) -> members.Members:
        """All members, and those who asked to be. `members_at` is the position up to which they are known."""
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
        """The registered ones of the players of a match. Raises WrongState for the first who was erased."""
        self.prefetch(f"player:{player_id}" for player_id in seats)
        return frozenset(id_ for seat, id_ in enumerate(seats) if player.can_be_seated(seat, id_, self.player(id_)))

    def read_as(self, players: Sequence[str]) -> tuple[str, ...]:
        """The ids of players, merged ids resolved."""
        return player.canonical(players, self.merges().aliases())

    def seated_as(self, player: str, seats: Sequence[str | None]) -> str:
        """The seat's id for a player; the given id if the player is not seated."""
        if player in seats:
            return player
        theirs = self.merges().ids_of(player)
        return next((seat for seat in seats if seat in theirs), player)

    def faults_of_seats(self, seats: Sequence[str]) -> Iterator[InvalidInput]:
        """Where two ids of one player would sit in a match."""
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
        """Refusals in here say their times by the clock of the league."""
        try:
            yield
        except Refusal as refused:
            refused.tell_times(self.zone())
            raise

    def entered(self, encounter: Encounter) -> list[EnteredMatch]:
        """The matches of an encounter that can still count, each with its edition."""
        streams = self._streams_of(encounter)
        self.prefetch(streams)
        events = [stored.event for stream in streams for stored in self.events(stream)]
        ids = [event.match for event in events if isinstance(event, MatchEntered)]
        self.prefetch(f"match:{match_id}" for match_id in ids)
        found = [self._entered(encounter, match_id) for match_id in ids]
        return [entered for entered in found if entered is not None]

    def _entered(self, encounter: Encounter, match_id: str) -> EnteredMatch | None:
        played = self.match(match_id).played
        if played is None or played.voided:
            return None
        sides = sides_of(played.mode, self.read_as(played.seats))
        if Encounter.of(played.mode, sides, played.began_at, self.zone()) != encounter:
            return None  # the months have moved, or a merge was undone
        ruleset = self.rulebook().at(played.began_at).rulesets[played.ruleset]
        winner = result_of(played, ruleset).winner
        if played.decided_at is None:
            return EnteredMatch(match_id)  # it is open or pending
        if winner is None:
            return None
        a_won = competitor_of(sides[winner]) == encounter.a
        return EnteredMatch(match_id, played.decided_at, a_won)

    def _streams_of(self, encounter: Encounter) -> list[str]:
        """Where matches of the two may be entered: under their ids before and after any merge."""
        met = encounters_ever(encounter, self.merges())
        around = self.league().zone_changed
        return [stream for one in met for stream in (one.streams_around if around else [one.stream])]

    def competed_in(self, month: str) -> bool:
        """Whether a match that was entered in the series began in a month of the present time zone."""
        if not self.league().zone_changed:
            return any(self._has_stream(f"series:{mode}:{month}:") for mode in SERIES_MODES)
        zone = self.zone()
        # Nearly always the first entry of the month itself answers. A match of its edges may be entered beside it.
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
        """The events of the streams whose names have this prefix: those of this request, then the stored ones."""
        yield from (one for one in self.foreseen() if one.stream.startswith(prefix))
        yield from self.store.streams_until(prefix, self.store.head())

    def _has_stream(self, prefix: str) -> bool:
        foreseen = (stream for stream, events in self._streams.items() if events)
        return any(stream.startswith(prefix) for stream in foreseen) or self.store.has_stream(prefix)


MEMBERS = "member:"
"""How the names of the streams of members begin."""
