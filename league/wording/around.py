"""What the words of the trail need beside an event: the players' names, who sat where, the league's time zone."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from types import MappingProxyType

from msgspec import Struct

from league.domain.deciders import Event
from league.domain.rules import Mode
from league.domain.seating import sides_of
from league.wording.language import _

Names = Mapping[str, str]
"""The current name of each player by id; a player without one appears under the id."""


class Around(Struct, frozen=True):
    """What the words of an event need beside the event: names, seats, and the time zone."""

    names: Names = MappingProxyType({})
    mode: Mode = "1v1"
    seats: Sequence[str] = ()
    """The ids of the players of the match at which it happened; empty where there was none."""
    zone: tzinfo = UTC

    def named(self, id_: str) -> str:
        """A player by name and id."""
        known = id_ in self.names and self.names[id_] != id_
        return f"{self.names[id_]} ({id_})" if known else id_

    def at_seat(self, seat: int) -> str:
        """Who sits there."""
        return self.named(self.seats[seat]) if seat < len(self.seats) else _("seat {seat}", seat=seat)

    def on_side(self, side: int) -> str:
        """Who plays on that side."""
        sides = sides_of(self.mode, tuple(self.seats))
        return " & ".join(map(self.named, sides[side])) if side < len(sides) else _("side {side}", side=side)

    def time(self, moment: datetime) -> str:
        """A time to the minute with its time zone: `2026-03-01 20:30 America/Havana`."""
        return f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M} {self.zone}"


class StreamWords(Struct, frozen=True):
    """What people read of the events in streams of a kind."""

    kind: str
    """How the names of the streams begin, before the colon."""
    words: Callable[[str, Event, Around], str]
    """What happened in the stream of an id, in a sentence without a full stop."""
    players: Callable[[str, Event], set[str]]
    """The players that the words of an event name, by the id of its stream and the event."""
