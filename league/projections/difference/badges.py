"""Badges that only one of two runs awards, or that a different event earns."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import case, column, func, select

from league.projections import tables as t
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    rows_of,
    same_names,
)
from league.projections.queries.pages import Order, Query

b = t.badges.c

GAINED, LOST, EARNED_OTHERWISE = "gained", "lost", "earned_otherwise"

BY_ID = Order((column("id", t.Id), column("badge", t.Id)))


class BadgeMoveRow(NamedTuple):
    """A badge in two runs, with the event that earned it; None where a run does not award it.

    A badge of a month has no match.
    """

    id: str
    """The player's."""
    badge: str
    measure: str
    threshold: int
    what: str
    """`gained`, `lost` or `earned_otherwise` (both runs award it, for different events)."""
    earned_at_before: datetime | None
    earned_at_after: datetime | None
    match_id_before: str | None
    match_id_after: str | None
    position_before: int | None
    position_after: int | None


def badges(two: TwoRuns, *, what: str | None = None, player: str | None = None) -> Query:
    """Rows of BadgeMoveRow: badges that only one run awards, or that a different event earns."""
    of_first, of_second = rows_of(t.badges, two, *([] if player is None else [b.player_id == player]))
    both, _ = joined(of_first, of_second, "player_id", "badge")
    first, second = of_first.c, of_second.c
    kind = case((first.badge.is_(None), GAINED), (second.badge.is_(None), LOST), else_=EARNED_OTHERWISE)
    rows = (
        select(
            func.coalesce(first.player_id, second.player_id).label("id"),
            *(func.coalesce(first[name], second[name]).label(name) for name in ("badge", "measure", "threshold")),
            kind.label("what"),
            *before_and_after(of_first, of_second, "earned_at", "match_id", "position"),
        )
        .select_from(both)
        .where(first.position.is_distinct_from(second.position))
    )
    return listed(rows if what is None else rows.where(kind == what))


BADGES = DifferenceList(
    BadgeMoveRow,
    badges,
    {"by_id": BY_ID},
    {
        **same_names("id", "badge", "what", "earned_at_before", "earned_at_after"),
        "match_before": "match_id_before",
        "match_after": "match_id_after",
        **same_names("position_before", "position_after"),
    },
)
