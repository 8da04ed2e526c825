"""Standings of the monthly series that differ between two runs."""

from typing import NamedTuple

from sqlalchemy import Integer, Subquery, column, func, or_, select

from league.projections import tables as t
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    of_player,
    same_names,
)
from league.projections.queries.pages import Order, Query

s = t.standings.c

_KEY = (column("month", t.Id), column("mode", t.Id), column("id", t.Id))
BY_ID = Order(_KEY)
LARGEST_FIRST = Order((column("smallness", Integer()), *_KEY))
"""Ordered by points of the total; standings that only one run has come last."""


class StandingMoveRow(NamedTuple):
    """A standing in two runs; None where a run does not have it."""

    month: str
    mode: str
    id: str
    rank_before: int | None
    rank_after: int | None
    total_before: int | None
    total_after: int | None
    change: int | None
    """Points of the total gained."""


def standings(two: TwoRuns, *, month: str | None = None, mode: str | None = None, player: str | None = None) -> Query:
    """Rows of StandingMoveRow: standings with a different rank or total."""
    of_first, of_second = _ranked(two.first, month, mode), _ranked(two.second, month, mode)
    both, key = joined(of_first, of_second, "month", "mode", "id")
    before, after = of_first.c, of_second.c
    change = after.total - before.total
    rows = (
        select(
            *key,
            *before_and_after(of_first, of_second, "rank", "total"),
            change.label("change"),
            (-func.coalesce(func.abs(change), 0)).label("smallness"),
        )
        .select_from(both)
        .where(or_(before.rank.is_distinct_from(after.rank), before.total.is_distinct_from(after.total)))
    )
    return listed(rows if player is None else rows.where(of_player(player, key[-1])))


STANDINGS = DifferenceList(
    StandingMoveRow,
    standings,
    {"largest_first": LARGEST_FIRST, "by_id": BY_ID},
    same_names("month", "mode", "id", "rank_before", "rank_after", "total_before", "total_after"),
)


def _ranked(run: int, month: str | None, mode: str | None) -> Subquery:
    rank = func.rank().over(partition_by=(s.month, s.mode), order_by=s.total.desc())
    query = select(s.month, s.mode, s.id, s.total, rank.label("rank")).where(s.run == run)
    if month is not None:
        query = query.where(s.month == month)
    return (query if mode is None else query.where(s.mode == mode)).subquery()
