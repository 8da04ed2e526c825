"""What the folds know of the league's months: their time zone, and which of them are closed."""

from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct


class Closing(Struct, frozen=True):
    """A month that was closed."""

    month: str
    ends_at: datetime
    position: int
    """Of the event that closed it."""


class Calendar(Struct, frozen=True):
    """The months of the league at some position of the log."""

    zone: ZoneInfo
    closings: tuple[Closing, ...] = ()
