"""The spread of the league's ratings, and how their mean moves from month to month."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import BigInteger, Integer, cast, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by

from league.domain.series import bounds, month_of
from league.projections import tables as t
from league.projections.queries.snapshot import Snapshot

# ---------------------------------------------------------------- the distribution


r = t.ratings.c


class SpreadBucket(Struct, frozen=True):
    """The number of ratings from `start` on, below `end`."""

    start: int
    end: int
    count: int


class RatingSpread(Struct, frozen=True):
    """Ratings in buckets of equal width without gaps, and their statistics; None without any rating."""

    count: int
    mean: float | None
    median: float | None
    standard_deviation: float | None
    """The standard deviation of the whole population, not of a sample."""
    lowest: float | None
    highest: float | None
    buckets: tuple[SpreadBucket, ...]


def distribution(snapshot: Snapshot, subject: str, mode: str, width: int, *, established: bool) -> RatingSpread:
    """The ratings of players (`player`) or pairs (`team`) in a mode; `established`: leave out provisional ones."""
    conditions = [r.run == snapshot.run, r.subject == subject, r.mode == mode]
    if established:
        conditions.append(~r.provisional)
    # Floats are added in a fixed order, so equal leagues have equal figures to the last bit.
    ordered = aggregate_order_by(r.rating, r.rating)
    figures = {
        "count": func.count(),
        "mean": func.avg(ordered),
        "median": func.percentile_cont(0.5).within_group(r.rating),
        "standard_deviation": func.stddev_pop(ordered),
        "lowest": func.min(r.rating),
        "highest": func.max(r.rating),
    }
    query = select(*(figure.label(name) for name, figure in figures.items())).where(*conditions)
    found = snapshot.conn.execute(query).one()._asdict()
    number = cast(func.floor(r.rating / literal(width)), Integer).label("number")
    rows = snapshot.conn.execute(select(number, func.count().label("ratings")).where(*conditions).group_by("number"))
    counts: dict[int, int] = {row.number: row.ratings for row in rows}
    buckets = range(min(counts), max(counts) + 1) if counts else range(0)
    return RatingSpread(
        **found, buckets=tuple(SpreadBucket(n * width, (n + 1) * width, counts.get(n, 0)) for n in buckets)
    )


# ---------------------------------------------------------------- the drift


c = t.changes.c


class DriftMonth(Struct, frozen=True):
    """A month of the league's time zone, by the time matches were decided."""

    month: str
    rated: int
    """Competitors with a rating at the end of the month."""
    mean: float
    """The mean of their ratings then."""
    matches: int
    """Matches rated in the month."""
    gained: float
    """The sum of all rating changes of the month."""
    gained_per_match: float | None
    """None in a month without a match."""


UNITS = 10**12
"""Drift adds ratings in whole units of this part of a point: the sum is the same in whatever order rows come."""


def rating_drift(snapshot: Snapshot, subject: str, mode: str) -> list[DriftMonth]:
    """Every month from the first to the latest rated match of a mode, for players (`player`) or pairs (`team`)."""
    ours = (c.run == snapshot.run, c.subject == subject, c.mode == mode)
    first, last = snapshot.conn.execute(select(func.min(c.decided_at), func.max(c.decided_at)).where(*ours)).one()
    if first is None:
        return []
    zone = ZoneInfo(snapshot.zone)
    months = list(_months(first, last, zone))
    starts = [bounds(month, zone)[0] for month in months]
    found = {row.month: row for row in snapshot.conn.execute(_by_month(ours, starts))}
    drift, rated, total = [], 0, 0
    for number, month in enumerate(months):
        row, matches, gained = found.get(number), 0, 0.0
        if row is not None:
            rated, total = rated + int(row.came), total + int(row.began_with) + int(row.gained)
            matches, gained = row.matches, int(row.gained) / UNITS
        drift.append(
            DriftMonth(month, rated, total / rated / UNITS, matches, gained, gained / matches if matches else None)
        )
    return drift


def _months(first: datetime, last: datetime, zone: ZoneInfo) -> Iterator[str]:
    """The months from one time to another."""
    month, final = month_of(first, zone), month_of(last, zone)
    while month <= final:
        yield month
        month = month_of(bounds(month, zone)[1], zone)


def _by_month(ours: tuple[Any, ...], starts: Sequence[datetime]) -> Any:
    """What happened in each month with a match, by its number from 0: matches, who came, with which ratings, gains.

    A rating begins with what its first change finds, and each change begins where the one before it ended. So the sum
    of all ratings at the end of a month is all that they began with and have gained until then.
    """
    month = (func.width_bucket(c.decided_at, literal(starts, ARRAY(t.Time)), type_=Integer) - 1).label("month")
    is_first = c.matches_before == 0
    of_matches = (
        select(
            month,
            func.count().filter(is_first).label("came"),
            func.sum(_units(c.before)).filter(is_first).label("began_with"),
            func.sum(_units(c.after) - _units(c.before)).label("gained"),
        )
        .where(*ours)
        .group_by(month, c.match_id)  # a match counts once, however many ratings it changes
        .subquery("of_matches")
    )
    m = of_matches.c
    began_with = func.coalesce(func.sum(m.began_with), 0).label("began_with")
    sums = (func.sum(m.came).label("came"), began_with, func.sum(m.gained).label("gained"))
    return select(m.month, func.count().label("matches"), *sums).group_by(m.month)


def _units(points: Any) -> Any:
    return cast(func.round(points * UNITS), BigInteger)
