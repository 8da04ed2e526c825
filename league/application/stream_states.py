"""The states that commands are decided on: each stream is loaded once and folded from its events."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from league.domain import league, match, player, rulebook, season
from league.domain.competitor import competitor_of
from league.domain.result import result_of
from league.domain.series import month_of, months_around
from league.domain.series_entry import SERIES_MODES, Encounter, Entered, MatchEntered
from league.eventlog.codec import name_of
from league.eventlog.folding import match_after, state_after
from league.eventlog.store import Append, EventStore, Stored


class StreamStates:
    """The state of streams at one moment, `now`, with the events that were decided since then."""

    def __init__(self, store: EventStore, now: datetime) -> None:
        self._store, self.now = store, now
        self._streams: dict[str, list[Stored]] = {}

    def time_reached(self) -> datetime:
        """The time that the log has reached, which one clock that runs ahead cannot move."""
        return self._store.time_reached()

    def prefetch(self, streams: Iterable[str]) -> None:
        """Load those streams that are not loaded yet, with one query or none."""
        new = [stream for stream in streams if stream not in self._streams]
        self._streams.update({stream: [] for stream in new})
        if can_exist := [stream for stream in new if _can_exist(stream)]:
            self._streams.update(self._store.load_many(can_exist))

    def events(self, stream: str) -> list[Stored]:
        """The events of a stream."""
        self.prefetch([stream])
        return self._streams[stream]

    def foresee(self, append: Append) -> None:
        """Take decided events as stored, so that the next command of the request is decided on top of them."""
        known = self.events(append.stream)
        for version, event in enumerate(append.events, len(known) + 1):
            name = name_of(event)
            stored = Stored(0, append.stream, version, name, self.now, append.played_at, "", "", None, event)
            known.append(stored)

    def match(self, match_id: str) -> match.MatchState:
        """A match."""
        return match_after(self.events(f"match:{match_id}"))

    def player(self, player_id: str) -> player.PlayerState:
        """A player."""
        return state_after(self.events(f"player:{player_id}"), player.evolve, player.PlayerState())

    def known_players(self, seats: Sequence[str]) -> frozenset[str]:
        """The registered ones of the players of a match. Raises WrongState for the first who was erased."""
        self.prefetch(f"player:{player_id}" for player_id in seats)
        return frozenset(id_ for seat, id_ in enumerate(seats) if player.can_be_seated(seat, id_, self.player(id_)))

    def league(self) -> league.LeagueState:
        """The league's settings."""
        return state_after(self.events("league"), league.evolve, league.LeagueState())

    def seasons(self) -> season.Seasons:
        """The seasons by id."""
        return state_after(self.events("season"), season.evolve, {})

    def rulebook(self) -> rulebook.RulebookState:
        """The editions and their timeline."""
        return state_after(self.events("rulebook"), rulebook.evolve, rulebook.RulebookState())

    def zone(self) -> ZoneInfo:
        """The time zone in which the league's months begin and end."""
        return ZoneInfo(self.league().time_zone)

    def entered(self, encounter: Encounter) -> list[Entered]:
        """The matches of an encounter that can still count, each with its edition."""
        streams = encounter.streams_around if self.league().zone_changed else [encounter.stream]
        self.prefetch(streams)
        events = [stored.event for stream in streams for stored in self.events(stream)]
        ids = [event.match for event in events if isinstance(event, MatchEntered)]
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
        """Whether a match was entered in the series of a month.

        After a change of the time zone the neighbouring months count too: the match may be entered there.
        """
        months = months_around(month) if self.league().zone_changed else (month,)
        return any(self._has_stream(f"series:{mode}:{month}:") for month in months for mode in SERIES_MODES)

    def _has_stream(self, prefix: str) -> bool:
        foreseen = (stream for stream, events in self._streams.items() if events)
        return any(stream.startswith(prefix) for stream in foreseen) or self._store.has_stream(prefix)


def _can_exist(stream: str) -> bool:
    """Whether every part of a stream's name is a possible id; PostgreSQL cannot even look up some other texts."""
    return all(player.is_id(part) for part in re.split("[:+]", stream))
