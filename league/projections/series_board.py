"""The standings of a month as a leaderboard, computed by SQL when it is read."""

from typing import Any

from sqlalchemy import Connection, Select, Subquery, and_, func, select

from league.projections import tables as t

s = t.standings.c


def series_board(run: int, mode: str, month: str, region: str | None) -> Subquery:
    """The places of a month's standings: id, value (the total), rank, wins, losses, series_points.

    Equal totals share a rank. Of a region: its players, or the pairs of which both are of it.
    """
    rank = func.rank().over(order_by=s.total.desc())
    query: Select[Any] = select(
        s.id, s.total.label("value"), rank.label("rank"), s.wins, s.losses, s.series_points
    ).where(s.run == run, s.mode == mode, s.month == month)
    if region is not None:
        query = query.where(of_region(region))
    return query.subquery("board")


def of_region(region: str) -> Any:
    """Whether a competitor, a player or a pair, is of a region."""
    theirs = select(t.players.c.player_id).where(t.players.c.region == region)
    first, second = func.split_part(s.id, "+", 1), func.split_part(s.id, "+", 2)
    return and_(first.in_(theirs), (second == "") | second.in_(theirs))


def months(conn: Connection, run: int) -> list[str]:
    """The months with standings, in order."""
    return list(conn.scalars(select(s.month).where(s.run == run).distinct().order_by(s.month)))
