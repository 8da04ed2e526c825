"""Closing a month publishes its standings. Nothing changes the list afterwards; reopening the month withdraws it."""

from psycopg import sql

from league.domain.league import MonthClosed, MonthReopened
from league.domain.series import bounds
from league.eventlog.records import Stored
from league.projections.folds.match_fold import Rules
from league.projections.runs import Conn, table_of
from league.projections.writers.calendar import calendar_of
from league.projections.writers.month_honours import store_honours

PUBLISH = """
    INSERT INTO published_standings (month, mode, id, rank, wins, losses, series_points, total)
    SELECT month, mode, id, rank() OVER (PARTITION BY mode ORDER BY total DESC), wins, losses, series_points, total
    FROM {} WHERE month = %s
"""


def close_month(conn: Conn, run: int, rules: Rules, closed: Stored) -> None:
    """Publish the standings of a month. `run` must be folded up to the event that closes it."""
    assert isinstance(closed.event, MonthClosed)
    month = closed.event.month
    _, ends_at = bounds(month, calendar_of(conn).zone)
    conn.execute(
        "INSERT INTO closed_months (month, ends_at, closed_at, position) VALUES (%s, %s, %s, %s)",
        (month, ends_at, closed.recorded_at, closed.position),
    )
    conn.execute(sql.SQL(PUBLISH).format(table_of(run, "standings")), (month,))
    store_honours(conn, run, rules, calendar_of(conn).closings, {month})


def reopen_month(conn: Conn, run: int, rules: Rules, reopened: Stored) -> None:
    """Withdraw the published standings of a month, and the badges that it gave."""
    assert isinstance(reopened.event, MonthReopened)
    month = reopened.event.month
    for table in ("published_standings", "closed_months"):
        conn.execute(sql.SQL("DELETE FROM {} WHERE month = %s").format(sql.Identifier(table)), (month,))
    store_honours(conn, run, rules, calendar_of(conn).closings, {month})
