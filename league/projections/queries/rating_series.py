"""The history of ratings, as series for charts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Select, select

from league.domain.rating import overall_rating
from league.domain.rules import Overall
from league.projections import tables as t
from league.projections.folds.ratings import RATED_MODES
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.thinning import thinned

c = t.changes.c


class SeriesFilter(Struct, frozen=True):
    """Which part of a series to read, and at most how many points of it."""

    mode: str | None = None
    """None: a player's overall rating, or a pair's only rating."""
    points: int = 200
    decided_from: datetime | None = None
    decided_before: datetime | None = None


class Point(Struct, frozen=True):
    """A rating after a match."""

    decided_at: datetime
    match: str
    rating: float


class RatedRow(NamedTuple):
    """The rating of a player or a pair in a mode after a match."""

    id: str
    mode: str
    decided_at: datetime
    match_id: str
    after: float
    matches_before: int


class Series(Struct, frozen=True):
    """The points that were kept, and the number of all points."""

    points: tuple[Point, ...] = ()
    total: int = 0


def rating_series(snapshot: Snapshot, subject: str, wanted: SeriesFilter, ids: Sequence[str]) -> dict[str, Series]:
    """The series of players (`player`) or pairs (`team`), in the order decided."""
    if snapshot.shown is None:
        return {}
    query: Select[Any] = (
        select(c.id, c.mode, c.decided_at, c.match_id, c.after, c.matches_before)
        .where(c.run == snapshot.run, c.subject == subject, c.id.in_(ids))
        .order_by(c.id, c.decided_at, c.match_id)
    )
    if wanted.mode is not None:
        query = query.where(c.mode == wanted.mode)
    if wanted.decided_before is not None:
        query = query.where(c.decided_at < wanted.decided_before)
    rows: dict[str, list[RatedRow]] = {id_: [] for id_ in ids}
    for row in typed(RatedRow, snapshot.conn.execute(query)):
        rows[row.id].append(row)
    rules = snapshot.shown.rulebook.rating.overall
    return {id_: _series(of, rules, wanted) for id_, of in rows.items()}


def _series(rows: Sequence[RatedRow], rules: Overall, wanted: SeriesFilter) -> Series:
    # Matches before the span still count in the overall rating.
    ratings = _after_each(rows, rules)
    start = wanted.decided_from
    first = 0 if start is None else next((n for n, row in enumerate(rows) if row.decided_at >= start), len(rows))
    rows, ratings = rows[first:], ratings[first:]
    kept = thinned(ratings, wanted.points)
    return Series(tuple(Point(rows[n].decided_at, rows[n].match_id, ratings[n]) for n in kept), len(rows))


def _after_each(rows: Sequence[RatedRow], rules: Overall) -> list[float]:
    """The rating after each change: the overall rating as soon as there are two modes."""
    latest: dict[str, RatedRow] = {}
    ratings: list[float] = []
    for row in rows:
        latest[row.mode] = row
        if len(latest) < len(RATED_MODES):
            ratings.append(row.after)
            continue
        a, b = (latest[mode] for mode in RATED_MODES)
        ratings.append(overall_rating(a.after, a.matches_before + 1, b.after, b.matches_before + 1, rules))
    return ratings
