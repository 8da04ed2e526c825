"""What the folds know of the league's months: where they begin and end, and which ones are closed."""

from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.projections.runs import Conn


class Closing(Struct, frozen=True):
    """A month that was closed, and by which event."""

    month: str
    ends_at: datetime
    position: int


class Calendar(Struct, frozen=True):
    """The months of the league as some position of the log has them."""

    zone: ZoneInfo
    closings: tuple[Closing, ...] = ()


def calendar_of(conn: Conn) -> Calendar:
    """The calendar as the read tables have it."""
    row = conn.execute("SELECT time_zone FROM league").fetchone()
    closings = conn.execute("SELECT month, ends_at, position FROM closed_months").fetchall()
    return Calendar(ZoneInfo(row[0] if row else "UTC"), tuple(Closing(*closing) for closing in closings))
