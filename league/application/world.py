"""What deciders are told of the league: the state of streams as they stand, folded from their events."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from league.domain import league, match, player, rulebook, season, series_entry
from league.domain.competitor import competitor_of
from league.domain.result import result_of
from league.domain.series import month_of, months_around
from league.domain.series_entry import Encounter, Entered
from league.eventlog.codec import name_of
from league.eventlog.store import Append, EventStore, Stored


class World:
    """The state of streams as they stand, each loaded once; `now` is when it is decided."""

    def __init__(self, store: EventStore, now: datetime) -> None:
        self._store, self.now = store, now
        self._streams: dict[str, list[Stored]] = {}

    def prefetch(self, streams: Iterable[str]) -> None:
        """Load many streams at once. What no stream can be called has no events."""
        new = [stream for stream in streams if stream not in self._streams]
        self._streams.update({stream: [] for stream in new})
        self._streams.update(self._store.load_many([s for s in new if _can_exist(s)]))

    def events(self, stream: str) -> list[Stored]:
        """The events of a stream."""
        self.prefetch([stream])
        return self._streams[stream]

    def foresee(self, append: Append) -> None:
        """Take events for done, so that the next command of the same request is decided on top of them."""
        known = self.events(append.stream)
        for version, event in enumerate(append.events, len(known) + 1):
            name = name_of(event)
            stored = Stored(0, append.stream, version, name, self.now, append.played_at, "", "", None, event)
            known.append(stored)

    def match(self, match_id: str) -> match.MatchState:
        """A match."""
        state = match.MatchState()
        for stored in self.events(f"match:{match_id}"):
            state = match.evolve(state, stored.event, stored.played_at or stored.recorded_at, stored.position)
        return state

    def player(self, player_id: str) -> player.PlayerState:
        """A player."""
        state = player.PlayerState()
        for stored in self.events(f"player:{player_id}"):
            state = player.evolve(state, stored.event)
        return state

    def known_players(self, player_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids that are registered. Raises WrongState for a player who was erased."""
        self.prefetch(f"player:{player_id}" for player_id in player_ids)
        return frozenset(id_ for id_ in player_ids if player.can_be_seated(id_, self.player(id_)))

    def league(self) -> league.LeagueState:
        """The league's settings."""
        state = league.LeagueState()
        for stored in self.events("league"):
            state = league.evolve(state, stored.event)
        return state

    def zone(self) -> ZoneInfo:
        """Where the league's months begin and end."""
        return ZoneInfo(self.league().time_zone)

    def entered(self, encounter: Encounter) -> list[Entered]:
        """The matches of an encounter that can still count, each under the edition by which it is played."""
        streams = encounter.streams_around if self.league().zone_changed else [encounter.stream]
        self.prefetch(streams)
        ids = [stored.event.match for stream in streams for stored in self.events(stream)]
        self.prefetch(f"match:{match_id}" for match_id in ids)
        found = [self._entered(encounter, match_id) for match_id in ids]
        return [entered for entered in found if entered is not None]

    def _entered(self, encounter: Encounter, match_id: str) -> Entered | None:
        played = self.match(match_id).played
        if played is None or played.voided or month_of(played.began_at, self.zone()) != encounter.month:
            return None
        ruleset = self.rulebook().at(played.began_at).rulesets[played.ruleset]
        winner = result_of(played, ruleset).winner
        if played.ended_at is None:
            return Entered(match_id)
        if winner is None:
            return None
        a_won = competitor_of(played.sides[winner]) == encounter.a
        return Entered(match_id, played.ended_at, a_won)

    def competed_in(self, month: str) -> bool:
        """Whether a match was ever entered in this month, by its name; or next to it, where months began elsewhere."""
        months = months_around(month) if self.league().zone_changed else (month,)
        return any(
            self._has_stream(f"series:{mode}:{month}:") for month in months for mode in series_entry.SERIES_MODES
        )

    def _has_stream(self, prefix: str) -> bool:
        foreseen = (stream for stream, events in self._streams.items() if events)
        return any(stream.startswith(prefix) for stream in foreseen) or self._store.has_stream(prefix)

    def seasons(self) -> season.Seasons:
        """The seasons."""
        state: season.Seasons = {}
        for stored in self.events("season"):
            state = season.evolve(state, stored.event)
        return state

    def rulebook(self) -> rulebook.RulebookState:
        """The editions and their timeline."""
        state = rulebook.RulebookState()
        for stored in self.events("rulebook"):
            state = rulebook.evolve(state, stored.event)
        return state


def _can_exist(stream: str) -> bool:
    """Whether all ids in a stream's name can be ids; others cannot even be looked up."""
    return all(player.is_id(part) for part in re.split("[:+]", stream))
