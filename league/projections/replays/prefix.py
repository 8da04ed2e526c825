"""The log up to a position: the rules and the calendar that applied there, and the facts of its matches."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain import league, rulebook
from league.domain.league import MonthClosed, MonthReopened
from league.domain.match import MatchState
from league.domain.merges import Aliases
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.series import bounds
from league.eventlog.codec import UNFOLDED
from league.eventlog.folding import match_after, state_after
from league.eventlog.store import EventStore
from league.projections.folds.calendar import Calendar, Closing
from league.projections.folds.match_fold import Edition, Rules
from league.projections.writers.merged_players import aliases_at


class Prefix(Struct, frozen=True):
    """All events up to a position, and the rules and months that they define."""

    position: int
    rules: Rules
    calendar: Calendar
    aliases: Aliases


def prefix_known_at(store: EventStore, moment: datetime) -> Prefix:
    """What had been recorded at a moment. Raises InvalidInput, also for a moment before the league was created."""
    if moment.tzinfo is None:
        raise InvalidInput("known_at", say("needs an offset from UTC"))
    position = store.position_at(moment)
    rules = _rules(store, position)
    if not rules.timeline:
        raise InvalidInput("known_at", say("nothing had been recorded at {moment}", moment=moment))
    return Prefix(position, rules, _calendar(store, position), aliases_at(store, position))


def facts_until(store: EventStore, position: int, size: int = 2_000) -> Iterator[dict[str, MatchState]]:
    """The facts of all matches as of a position, page by page."""
    states: dict[str, MatchState] = {}
    events = store.streams_until("match:", position, skip=UNFOLDED)
    for stream, of_match in groupby(events, key=lambda stored: stored.stream):
        states[stream.partition(":")[2]] = match_after(of_match)
        if len(states) == size:
            yield states
            states = {}
    if states:
        yield states


def _rules(store: EventStore, position: int) -> Rules:
    events = [stored for stored in store.load("rulebook") if stored.position <= position]
    state = state_after(events, rulebook.evolve, rulebook.RulebookState())
    return Rules(state.timeline, {e.edition: Edition(e.hash, e.document) for e in state.editions})


def _calendar(store: EventStore, position: int) -> Calendar:
    state, closings = league.LeagueState(), dict[str, Closing]()
    for stored in store.load("league"):
        if stored.position <= position:
            state = state_after([stored], league.evolve, state)
            match stored.event:
                case MonthClosed(month):
                    _, ends_at = bounds(month, ZoneInfo(state.time_zone))
                    closings[month] = Closing(month, ends_at, stored.position)
                case MonthReopened(month):
                    del closings[month]
    return Calendar(ZoneInfo(state.time_zone), tuple(closings.values()))
