"""Seasons: named spans of play time that do not overlap. A match is of the season in which it began."""

from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.player import LONGEST_NAME, faults_of_id
from league.domain.readable_text import check_readable, tidied
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound
from league.domain.sentences import say
from league.domain.timeline import check_span
from league.domain.wrong_states import SeasonIsClosed

# ---------------------------------------------------------------- events


class SeasonOpened(Struct, frozen=True):
    """From `start` on, until `end` (exclusive) where that is known."""

    season: str
    name: str
    start: datetime
    end: datetime | None


class SeasonClosed(Struct, frozen=True):
    """A season without an end has got one."""

    season: str
    end: datetime


SeasonEvent = SeasonOpened | SeasonClosed

# ---------------------------------------------------------------- commands


class OpenSeason(Struct, frozen=True):
    """Name a span of play time."""

    season: str
    name: str
    start: datetime
    end: datetime | None = None


class CloseSeason(Struct, frozen=True):
    """End a season that was opened without an end."""

    season: str
    end: datetime


# ---------------------------------------------------------------- state

Seasons = dict[str, SeasonOpened]
"""All seasons by id, with their current span."""


def evolve(state: Seasons, event: SeasonEvent) -> Seasons:
    """The seasons after an event."""
    match event:
        case SeasonOpened():
            return {**state, event.season: event}
        case SeasonClosed():
            return {**state, event.season: replace(state[event.season], end=event.end)}


def season_at(seasons: Seasons, began_at: datetime) -> str | None:
    """The season in which a match that began then is played."""
    for season in seasons.values():
        if season.start <= began_at and (season.end is None or began_at < season.end):
            return season.season
    return None


# ---------------------------------------------------------------- decide


def open_season(command: OpenSeason, state: Seasons) -> list[SeasonEvent]:
    """Open a season. Raises AlreadyExists, InvalidInput (also when it overlaps another)."""
    taken = [AlreadyExists("season", "season", command.season)] if command.season in state else []
    of_name, of_span = partial(_name, command.name), partial(check_span, command.start, command.end)
    Faults.check([*faults_of_id("season", command.season), *taken, *Faults.found_by(of_name, of_span)])
    for other in state.values():
        starts_before_its_end = other.end is None or command.start < other.end
        ends_after_its_start = command.end is None or other.start < command.end
        if starts_before_its_end and ends_after_its_start:
            raise InvalidInput("start", say("overlaps the season {season!r}", season=other.season))
    return [SeasonOpened(command.season, _name(command.name), command.start, command.end)]


def close_season(command: CloseSeason, state: Seasons) -> list[SeasonEvent]:
    """Give a season its end. Raises NotFound, WrongState, InvalidInput."""
    season = state.get(command.season)
    if season is None:
        raise NotFound("season", "season", command.season)
    if season.end is not None:
        raise SeasonIsClosed(
            say("season {season!r}", season=command.season),
            say("closed"),
            say("it ends at {end}", end=season.end),
        )
    check_span(season.start, command.end)
    return [SeasonClosed(command.season, command.end)]


def _name(given: str) -> str:
    check_readable("name", given.strip())
    name = tidied(given)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidInput("name", say("a name has 1 to {longest_name} characters", longest_name=LONGEST_NAME))
    return name
