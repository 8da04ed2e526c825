"""The league's months for the folds: their time zone, and which of them are closed."""

from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct


class Closing(Struct, frozen=True):
    """A month that was closed."""

    month: str
    ends_at: datetime
    position: int
    """The position of the event that closed it."""


class Calendar(Struct, frozen=True):
    """The months of the league as of a log position."""

    zone: ZoneInfo
    closings: tuple[Closing, ...] = ()
