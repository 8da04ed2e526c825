"""Hands that are scored otherwise in the second of two runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on

from league.projections import tables as t
from league.projections.difference.two_runs import TwoRuns, before_and_after, joined, listed, rows_of
from league.projections.queries.pages import Query

h = t.hands.c


def other_hands(two: TwoRuns, matches: Sequence[str] | None = None) -> Query:
    """Hands with another winner, other points, or that count in one run only: match_id, hand, position.

    winner, points, counted and terms, `_before` and `_after`. `matches`: only of these; None: all.
    """
    of_first, of_second = rows_of(t.hands, two, *([] if matches is None else [h.match_id.in_(matches)]))
    both, key = joined(of_first, of_second, "match_id", "hand")
    # A corrected hand goes by its correction.
    position = func.greatest(of_first.c.position, of_second.c.position).label("position")
    rows = select(*key, position, *before_and_after(of_first, of_second, "winner", "points", "counted", "terms"))
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "points", "counted"))
    return listed(rows.select_from(both).where(or_(*differs)))


def first_hands(conn: Connection, two: TwoRuns, matches: Sequence[str]) -> Mapping[str, Row[Any]]:
    """Of each of these matches that has such hands the first one, and how many there are (`hands`)."""
    rows = other_hands(two, matches).subquery()
    query = (
        select(rows, func.count().over(partition_by=rows.c.match_id).label("hands"))
        .ext(distinct_on(rows.c.match_id))
        .order_by(rows.c.match_id, rows.c.hand)
    )
    return {row.match_id: row for row in conn.execute(query)}
