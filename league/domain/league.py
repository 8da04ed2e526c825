"""The league itself: its name and its time zone."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct
from msgspec.structs import replace

from league.domain.player import LONGEST_NAME
from league.domain.refusals import AlreadyExists, InvalidInput, WrongState

# ---------------------------------------------------------------- events


class LeagueCreated(Struct, frozen=True):
    """The league exists."""

    name: str
    time_zone: str


class SettingsChanged(Struct, frozen=True):
    """The league's name or time zone is another one; None: unchanged."""

    name: str | None
    time_zone: str | None


LeagueEvent = LeagueCreated | SettingsChanged

# ---------------------------------------------------------------- commands


class CreateLeague(Struct, frozen=True):
    """Create the league of this database."""

    name: str
    time_zone: str = "UTC"


class ChangeSettings(Struct, frozen=True):
    """Change what is given."""

    name: str | None = None
    time_zone: str | None = None


# ---------------------------------------------------------------- state


class LeagueState(Struct, frozen=True):
    """The league's settings; `name` None: it does not exist yet."""

    name: str | None = None
    time_zone: str = "UTC"


def evolve(state: LeagueState, event: LeagueEvent) -> LeagueState:
    """The state after an event."""
    if isinstance(event, LeagueCreated):
        return LeagueState(event.name, event.time_zone)
    return replace(state, name=event.name or state.name, time_zone=event.time_zone or state.time_zone)


# ---------------------------------------------------------------- decide


def create_league(command: CreateLeague, state: LeagueState) -> list[LeagueEvent]:
    """Create the league. Raises AlreadyExists, InvalidInput."""
    if state.name is not None:
        raise AlreadyExists("name", "league", state.name)
    _check(command.name, command.time_zone)
    return [LeagueCreated(command.name, command.time_zone)]


def change_settings(command: ChangeSettings, state: LeagueState) -> list[LeagueEvent]:
    """Change the settings. Raises WrongState, InvalidInput."""
    if state.name is None:
        raise WrongState("the league", "not there", "create it first (`league init`)")
    _check(command.name, command.time_zone)
    return [SettingsChanged(command.name, command.time_zone)]


def _check(name: str | None, time_zone: str | None) -> None:
    if name is not None and not 1 <= len(name.strip()) <= LONGEST_NAME:
        raise InvalidInput("name", f"a name has 1 to {LONGEST_NAME} characters")
    if time_zone is not None:
        try:
            ZoneInfo(time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InvalidInput("time_zone", f"{time_zone!r} is no time zone; one is America/Havana") from None
