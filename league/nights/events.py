"""The events of nights, and the names under which the log stores them."""

from msgspec import Struct

from league.eventlog.records import EventKind, EventPart

STREAM = "night:"
"""Prefix of the streams of nights, before the day on which a night begins."""


class PlayerCame(Struct, frozen=True):
    """A player is here tonight."""

    player: str


class PlayerLeft(Struct, frozen=True):
    """A player has gone home."""

    player: str


NightEvent = PlayerCame | PlayerLeft

EVENTS = EventPart(
    kinds=(
        EventKind("player-came/1", PlayerCame, is_folded=False, boards="none"),
        EventKind("player-left/1", PlayerLeft, is_folded=False, boards="none"),
    )
)
