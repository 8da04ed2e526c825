"""The distribution of the league's ratings."""

from msgspec import Struct
from sqlalchemy import Integer, cast, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from league.projections import tables as t
from league.projections.queries.snapshot import Snapshot

r = t.ratings.c


class Bucket(Struct, frozen=True):
    """The number of ratings from `start` on, below `end`."""

    start: int
    end: int
    count: int


class Distribution(Struct, frozen=True):
    """Ratings in buckets of equal width without gaps, and their statistics; None without any rating."""

    count: int
    mean: float | None
    median: float | None
    standard_deviation: float | None
    """Of the whole population, not of a sample."""
    lowest: float | None
    highest: float | None
    buckets: tuple[Bucket, ...]


def distribution(snapshot: Snapshot, subject: str, mode: str, width: int, *, established: bool) -> Distribution:
    """The ratings of players (`player`) or pairs (`team`) in a mode; `established`: leave out provisional ones."""
    conditions = [r.run == snapshot.run, r.subject == subject, r.mode == mode]
    if established:
        conditions.append(~r.provisional)
    # Floats are added in a fixed order, so equal leagues have equal figures to the last bit.
    ordered = aggregate_order_by(r.rating, r.rating)
    ratings, mean, median, standard_deviation, lowest, highest = snapshot.conn.execute(
        select(
            func.count(),
            func.avg(ordered),
            func.percentile_cont(0.5).within_group(r.rating),
            func.stddev_pop(ordered),
            func.min(r.rating),
            func.max(r.rating),
        ).where(*conditions)
    ).one()
    number = cast(func.floor(r.rating / literal(width)), Integer).label("number")
    rows = snapshot.conn.execute(select(number, func.count().label("ratings")).where(*conditions).group_by("number"))
    counts: dict[int, int] = {row.number: row.ratings for row in rows}
    buckets = range(min(counts), max(counts) + 1) if counts else range(0)
    return Distribution(
        count=ratings,
        mean=mean,
        median=median,
        standard_deviation=standard_deviation,
        lowest=lowest,
        highest=highest,
        buckets=tuple(Bucket(n * width, (n + 1) * width, counts.get(n, 0)) for n in buckets),
    )
