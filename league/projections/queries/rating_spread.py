"""The spread of the league's ratings, and how their mean moves from month to month."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Integer, and_, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by, distinct_on

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


def rating_drift(snapshot: Snapshot, subject: str, mode: str) -> list[DriftMonth]:
    """Every month from the first to the latest rated match of a mode, for players (`player`) or pairs (`team`)."""
    ours = (c.run == snapshot.run, c.subject == subject, c.mode == mode)
    first, last = snapshot.conn.execute(select(func.min(c.decided_at), func.max(c.decided_at)).where(*ours)).one()
    if first is None:
        return []
    zone = ZoneInfo(snapshot.zone)
    months = list(_months(first, last, zone))
    return [
        DriftMonth(months[number], rated, mean, matches, gained, gained / matches if matches else None)
        for number, rated, mean, matches, gained in snapshot.conn.execute(
            _by_month(ours, [bounds(month, zone) for month in months])
        )
    ]


def _months(first: datetime, last: datetime, zone: ZoneInfo) -> Iterator[str]:
    """The months from one time to another."""
    month, final = month_of(first, zone), month_of(last, zone)
    while month <= final:
        yield month
        month = month_of(bounds(month, zone)[1], zone)


def _by_month(ours: tuple[Any, ...], spans: Sequence[tuple[datetime, datetime]]) -> Any:
    """The figures of each month by its number, from 0."""
    columns: dict[str, Any] = {
        "month": literal(list(range(len(spans))), ARRAY(Integer)),
        "starts": literal([start for start, _ in spans], ARRAY(t.Time)),
        "ends": literal([end for _, end in spans], ARRAY(t.Time)),
    }
    calendar = func.unnest(*columns.values()).table_valued(*columns).render_derived(name="calendar")
    of_month = select(calendar.c.month, c.id, c.match_id, c.decided_at, c.before, c.after)
    changes = (
        of_month.join(t.changes, and_(c.decided_at >= calendar.c.starts, c.decided_at < calendar.c.ends))
        .where(*ours)
        .cte("changes_of_months")
    )
    h = changes.c
    # The last change in a month also holds at the ends of later months until the competitor plays again.
    last = (
        select(h.id, h.month, h.after)
        .ext(distinct_on(h.id, h.month))
        .order_by(h.id, h.month, h.decided_at.desc(), h.match_id.desc())
        .subquery("last")
    )
    until = func.lead(last.c.month).over(partition_by=last.c.id, order_by=last.c.month).label("until")
    held = select(last.c.month, last.c.after, until).subquery("held")
    # Floats are added in a fixed order, so equal leagues have equal figures to the last bit.
    standing = (
        select(
            calendar.c.month,
            func.count().label("rated"),
            func.avg(aggregate_order_by(held.c.after, held.c.after)).label("mean"),
        )
        .join(
            held,
            and_(calendar.c.month >= held.c.month, or_(held.c.until.is_(None), calendar.c.month < held.c.until)),
        )
        .group_by(calendar.c.month)
        .subquery("standing")
    )
    gain = h.after - h.before
    moved = (
        select(
            h.month,
            func.count(h.match_id.distinct()).label("matches"),
            func.sum(aggregate_order_by(gain, gain)).label("gained"),
        )
        .group_by(h.month)
        .subquery("moved")
    )
    return (
        select(
            standing.c.month,
            standing.c.rated,
            standing.c.mean,
            func.coalesce(moved.c.matches, 0).label("matches"),
            func.coalesce(moved.c.gained, 0.0).label("gained"),
        )
        .outerjoin(moved, moved.c.month == standing.c.month)
        .order_by(standing.c.month)
    )
