"""Nights and seats: when a night begins, who is here after some events, and who sits where in a rematch."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import ClassVar
from zoneinfo import ZoneInfo

from league.domain.refusals import Refusal, WrongState
from league.domain.rules import Competition, Mode
from league.domain.sentences import say
from league.nights.events import NightEvent, PlayerCame

NOON = time(12)


class NotHere(WrongState, code="NOT_HERE"):
    """A player who did not come cannot leave."""


class PlayersAtTable(Refusal, code="PLAYERS_AT_TABLE"):
    """Some of the players sit in a match of tonight that is open."""

    at: ClassVar[str] = "seats"
    says: ClassVar[str] = say(
        "some of these players are at another table: end their match first, or open this one all the same"
    )
    match: str
    """The match that they play."""
    players: tuple[str, ...]
    position: int
    """The position of the log at which it is so."""


def night_of(moment: datetime, zone: ZoneInfo) -> date:
    """The night to which a moment belongs: nights last from noon to noon, and have the name of their first day."""
    local = moment.astimezone(zone)
    return local.date() if local.time() >= NOON else local.date() - timedelta(days=1)


def bounds_of(night: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When a night begins and when it ends. Raises OverflowError at the edges of the calendar."""
    begins, ends = (datetime.combine(day, NOON, zone) for day in (night, night + timedelta(days=1)))
    return begins.astimezone(UTC), ends.astimezone(UTC)


def moment_in(night: date, shown: time, zone: ZoneInfo) -> datetime:
    """When the clock shows this time in a night; the first moment if it does so twice. Raises OverflowError."""
    day = night if shown >= NOON else night + timedelta(days=1)
    return datetime.combine(day, shown, zone).astimezone(UTC)


def said_last(events: Iterable[NightEvent], aliases: Mapping[str, str]) -> dict[str, bool]:
    """Whether each player is here, by the last event about them. Merged players are one."""
    return {aliases.get(event.player, event.player): isinstance(event, PlayerCame) for event in events}


def turned(mode: Mode, seats: Sequence[str]) -> tuple[str, ...]:
    """The seats of a rematch with other partners, or with the order of play turned by one.

    In matches of two pairs each player has each other one as partner once in three matches.
    """
    if mode == "2v2":
        first, left, across, right = seats
        return first, across, right, left
    return (*seats[1:], seats[0])


def competition_of_rematch(competition: Competition) -> Competition:
    """What a rematch counts for: the same, but a rematch belongs to no special tournament."""
    return "competitive" if competition == "special" else competition
