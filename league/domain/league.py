"""The league itself: its name, time zone, logo and colours, the closed months of its series, and its seasons.

Seasons are named spans of play time that do not overlap. A match belongs to the season in which it began.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct
from msgspec.structs import asdict, replace

from league.domain.collected_refusals import Faults
from league.domain.colours import faults_of_colour
from league.domain.player import LONGEST_NAME, faults_of_id, read_name
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal
from league.domain.sentences import say
from league.domain.series import bounds
from league.domain.texts_and_times import check_readable
from league.domain.timeline import check_span
from league.domain.wrong_states import (
    MonthIsClosed,
    MonthIsEmpty,
    MonthIsOpen,
    MonthNotOver,
    NoLeagueYet,
    NothingToClose,
    SeasonIsClosed,
)

PHOTO_CONFIDENCE = 0.7

# ---------------------------------------------------------------- events


class LeagueCreated(Struct, frozen=True):
    """The league exists."""

    name: str
    time_zone: str


class SettingsChanged(Struct, frozen=True, omit_defaults=True):
    """Settings of the league were changed; None: unchanged."""

    name: str | None
    time_zone: str | None
    confirmation: bool | None = None
    """Whether matches that end from now on await confirmation by their players."""
    photo_confidence: float | None = None
    colour: str | None = None
    """The club's colour, such as `#b3261e`; empty: it has none any more. So are the next two."""
    second_colour: str | None = None
    logo: str | None = None
    """The SHA-256 of the club's logo. The picture itself is no part of the log, so that it can be removed."""


class MonthClosed(Struct, frozen=True):
    """The series of a month is over. Its standings are published as they are at this position of the log."""

    month: str


class MonthReopened(Struct, frozen=True):
    """The closing of a month is undone: its published list and its badges are withdrawn."""

    month: str


LeagueEvent = LeagueCreated | SettingsChanged | MonthClosed | MonthReopened


class SeasonOpened(Struct, frozen=True):
    """A season was opened. It lasts from `start` until `end` (exclusive); None: its end is not known yet."""

    season: str
    name: str
    start: datetime
    end: datetime | None


class SeasonClosed(Struct, frozen=True):
    """A season that had no end was given one."""

    season: str
    end: datetime


SeasonEvent = SeasonOpened | SeasonClosed

# ---------------------------------------------------------------- commands


class CreateLeague(Struct, frozen=True):
    """Create the league of this database."""

    name: str
    time_zone: str = "UTC"


class ChangeSettings(Struct, frozen=True, omit_defaults=True):
    """Change settings; None: leave a setting unchanged."""

    name: str | None = None
    time_zone: str | None = None
    confirmation: bool | None = None
    photo_confidence: float | None = None
    colour: str | None = None
    """Empty: remove it. So are the next two."""
    second_colour: str | None = None
    logo: str | None = None
    """The SHA-256 of a stored logo."""


class CloseMonth(Struct, frozen=True):
    """Close the series of a month that is over, such as `2026-03`."""

    month: str


class CloseEndedMonths(Struct, frozen=True):
    """Close the series of every month that is over, the oldest first."""


class ReopenMonth(Struct, frozen=True):
    """Undo the closing of a month, such as `2026-03`."""

    month: str


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


class LeagueState(Struct, frozen=True):
    """The league's settings. The league does not exist yet while `name` is None."""

    name: str | None = None
    time_zone: str = "UTC"
    photo_confidence: float = PHOTO_CONFIDENCE
    """Confidence, from 0 to 1, below which the counter of pips on photos says that it cannot tell."""
    closed: frozenset[str] = frozenset()
    """The closed months, such as `2026-03`."""
    zone_changed: bool = False
    """Whether the league ever had another time zone, so that its months began at other times."""
    reopened: frozenset[str] = frozenset()
    """Months that were ever reopened. Only an admin closes them again."""
    confirmation: bool = False
    """Whether matches that end await confirmation by their players."""
    colour: str | None = None
    second_colour: str | None = None
    logo: str | None = None


REMOVABLE = ("colour", "second_colour", "logo")
"""Settings that an empty text removes."""


def evolve(state: LeagueState, event: LeagueEvent) -> LeagueState:
    """The state after an event."""
    match event:
        case LeagueCreated():
            return LeagueState(event.name, event.time_zone)
        case SettingsChanged():
            given = {name: value for name, value in asdict(event).items() if value not in (None, "")}
            removed = {name: None for name in REMOVABLE if getattr(event, name) == ""}
            changed = replace(state, **given, **removed)
            return replace(changed, zone_changed=state.zone_changed or changed.time_zone != state.time_zone)
        case MonthClosed():
            return replace(state, closed=state.closed | {event.month})
        case MonthReopened():
            return replace(state, closed=state.closed - {event.month}, reopened=state.reopened | {event.month})


Seasons = dict[str, SeasonOpened]
"""All seasons by id, with their current span."""


def evolve_seasons(state: Seasons, event: SeasonEvent) -> Seasons:
    """The seasons after an event."""
    match event:
        case SeasonOpened():
            return {**state, event.season: event}
        case SeasonClosed():
            return {**state, event.season: replace(state[event.season], end=event.end)}


def season_at(seasons: Seasons, began_at: datetime) -> str | None:
    """The season of a match that began at this time; None if it is in no season."""
    for season in seasons.values():
        if season.start <= began_at and (season.end is None or began_at < season.end):
            return season.season
    return None


# ---------------------------------------------------------------- decide


def create_league(command: CreateLeague, state: LeagueState) -> list[LeagueEvent]:
    """Create the league. Raises AlreadyExists, InvalidInput."""
    if state.name is not None:
        raise AlreadyExists("name", "league", state.name)
    Faults.check(_faults_of(command.name, command.time_zone))
    return [LeagueCreated(command.name, command.time_zone)]


def change_settings(command: ChangeSettings, state: LeagueState) -> list[LeagueEvent]:
    """Change the settings. Raises WrongState, InvalidInput."""
    if state.name is None:
        raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
    faults, confidence = [*_faults_of(command.name, command.time_zone)], command.photo_confidence
    if confidence is not None and not 0 <= confidence <= 1:
        faults.append(InvalidInput("photo_confidence", say("a confidence is a number from 0 to 1")))
    colours = {"colour": command.colour, "second_colour": command.second_colour}
    for name, colour in colours.items():
        faults += [] if colour is None else faults_of_colour(name, colour)
    Faults.check(faults)
    lower = {name: None if colour is None else colour.lower() for name, colour in colours.items()}
    return [
        SettingsChanged(command.name, command.time_zone, command.confirmation, confidence, logo=command.logo, **lower)
    ]


def close_month(command: CloseMonth, state: LeagueState, reached: datetime, *, entered: bool) -> list[LeagueEvent]:
    """Close a month; `entered`: whether a match of the month was ever entered in the series.

    `reached`: the earlier of the newest event's time and the database's clock, so that a single clock that runs ahead
    closes nothing. Raises WrongState (no league, not over, already closed, no match entered), InvalidInput.
    """
    if state.name is None:
        raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
    _, ends_at = bounds(command.month, ZoneInfo(state.time_zone))
    if reached < ends_at:
        reason = say(
            "it ends at {ends_at}, and the newest event and the database's clock must be past that; the "
            "earlier of the two is at {reached}",
            ends_at=ends_at,
            reached=reached,
        )
        raise MonthNotOver(say("month {month}", month=command.month), say("not over"), reason)
    if command.month in state.closed:
        raise MonthIsClosed(
            say("month {month}", month=command.month), say("closed"), say("its standings are published")
        )
    if not entered:
        raise MonthIsEmpty(say("month {month}", month=command.month), say("empty"), say("it has no competitive match"))
    return [MonthClosed(command.month)]


def close_ended_months(
    _command: CloseEndedMonths, state: LeagueState, reached: datetime, entered: Iterable[str]
) -> list[LeagueEvent]:
    """Close every month that is over, the oldest first. `entered`: the months that have a match in the series.

    `reached`: as in `close_month`. Raises WrongState (no league, no such month).
    """
    if state.name is None:
        raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
    zone = ZoneInfo(state.time_zone)
    ended = [month for month in sorted(entered) if month not in state.closed and bounds(month, zone)[1] <= reached]
    if not ended:
        raise NothingToClose(
            say("the series"),
            say("up to date"),
            say("every month that has ended and has a competitive match is closed"),
        )
    return [MonthClosed(month) for month in ended]


def reopen_month(command: ReopenMonth, state: LeagueState) -> list[LeagueEvent]:
    """Undo the closing of a month. Raises WrongState (no league, not closed), InvalidInput."""
    if state.name is None:
        raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
    bounds(command.month, ZoneInfo(state.time_zone))  # refuses an invalid month
    if command.month not in state.closed:
        raise MonthIsOpen(
            say("month {month}", month=command.month), say("open"), say("only a closed month can be reopened")
        )
    return [MonthReopened(command.month)]


def check_name(name: str) -> str:
    """Return the name if a league can have it. Raises InvalidInput."""
    if not 1 <= len(name.strip()) <= LONGEST_NAME:
        raise InvalidInput("name", say("a name has 1 to {most} characters", most=LONGEST_NAME))
    check_readable("name", name.strip())
    return name


def check_time_zone(time_zone: str) -> str:
    """Return the name if it is that of a time zone. Raises InvalidInput."""
    try:
        ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        reason = say("{name} is not a time zone; an example is America/Havana", name=repr(time_zone))
        raise InvalidInput("time_zone", reason) from None
    return time_zone


def _faults_of(name: str | None, time_zone: str | None) -> Iterator[Refusal]:
    if name is not None:
        yield from Faults.found_by(partial(check_name, name))
    if time_zone is not None:
        yield from Faults.found_by(partial(check_time_zone, time_zone))


def open_season(command: OpenSeason, state: Seasons) -> list[SeasonEvent]:
    """Open a season. Raises AlreadyExists, InvalidInput (also when it overlaps another)."""
    taken = [AlreadyExists("season", "season", command.season)] if command.season in state else []
    of_name, of_span = partial(read_name, command.name), partial(check_span, command.start, command.end)
    Faults.check([*faults_of_id("season", command.season), *taken, *Faults.found_by(of_name, of_span)])
    for other in state.values():
        starts_before_its_end = other.end is None or command.start < other.end
        ends_after_its_start = command.end is None or other.start < command.end
        if starts_before_its_end and ends_after_its_start:
            raise InvalidInput("start", say("overlaps the season {season!r}", season=other.season))
    return [SeasonOpened(command.season, read_name(command.name), command.start, command.end)]


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
