"""Hands that the second of two runs scores differently."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on

from league.projections import tables as t
from league.projections.difference.two_runs import TwoRuns, before_and_after, joined, listed, rows_of
from league.projections.queries.pages import Query
from league.projections.queries.rows import typed

h = t.hands.c


class HandMoveRow(NamedTuple):
    """A hand in two runs; None where a run does not score it."""

    match_id: str
    hand: int
    position: int
    """The position of the event that recorded or last corrected the hand."""
    winner_before: int | None
    winner_after: int | None
    points_before: list[int] | None
    points_after: list[int] | None
    counted_before: bool | None
    counted_after: bool | None
    terms_before: list[list[Any]] | None  # a JSON document: [side, rule, points] of each
    terms_after: list[list[Any]] | None


class FirstHand(NamedTuple):
    """The first hand of a match that is scored differently, and how many of its hands are."""

    hand: HandMoveRow
    hands: int


def other_hands(two: TwoRuns, matches: Sequence[str] | None = None) -> Query:
    """Rows of HandMoveRow: hands with a different winner or different points, or that count in one run only.

    `matches`: only hands of these matches; None: all.
    """
    of_first, of_second = rows_of(t.hands, two, *([] if matches is None else [h.match_id.in_(matches)]))
    both, key = joined(of_first, of_second, "match_id", "hand")
    # A corrected hand shows the position of its correction.
    position = func.greatest(of_first.c.position, of_second.c.position).label("position")
    rows = select(*key, position, *before_and_after(of_first, of_second, "winner", "points", "counted", "terms"))
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "points", "counted"))
    return listed(rows.select_from(both).where(or_(*differs)))


def first_hands(conn: Connection, two: TwoRuns, matches: Sequence[str]) -> Mapping[str, FirstHand]:
    """For each of these matches with such hands, the first of them and how many there are."""
    rows = other_hands(two, matches).subquery()
    query = (
        select(rows, func.count().over(partition_by=rows.c.match_id).label("hands"))
        .ext(distinct_on(rows.c.match_id))
        .order_by(rows.c.match_id, rows.c.hand)
    )
    found = conn.execute(query).all()
    hands = typed(HandMoveRow, found)
    return {hand.match_id: FirstHand(hand, row.hands) for row, hand in zip(found, hands, strict=True)}
