"""The folds' calendar, read from the tables."""

from zoneinfo import ZoneInfo

from league.projections.folds.calendar import Calendar, Closing
from league.projections.runs import Conn


def calendar_of(conn: Conn) -> Calendar:
    """The calendar according to the read tables."""
    row = conn.execute("SELECT time_zone FROM league").fetchone()
    closings = conn.execute("SELECT month, ends_at, position FROM closed_months").fetchall()
    return Calendar(ZoneInfo(row[0] if row else "UTC"), tuple(Closing(*closing) for closing in closings))
