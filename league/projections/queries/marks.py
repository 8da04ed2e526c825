"""The outstanding matches of a competitor by rating: the peak, the best win, the worst loss."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Select, and_, bindparam, case, func, or_, select

from league.projections import tables as t
from league.projections.queries.played import STATEMENTS, Counted, Whose, owned_by, played
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot


class MarkRow(NamedTuple):
    """An outstanding match: the rating after it, and the other side's rating before it."""

    mode: str
    match_id: str
    decided_at: datetime
    after: float
    provisional: bool
    opponents: float


class Marks(Struct, frozen=True):
    """The outstanding matches of a competitor."""

    peak: MarkRow | None = None
    """The highest rating after a match; a provisional rating only if none was ever established."""
    best_win: MarkRow | None = None
    """The win against the highest rated side."""
    worst_loss: MarkRow | None = None
    """The loss against the lowest rated side."""


def marks(snapshot: Snapshot, counted: Counted, whose: Sequence[Whose]) -> dict[Whose, Marks]:
    """The rating marks of each competitor; ties go to the earliest. Matches of individuals have no ratings."""
    shown = snapshot.shown_as_of(counted.decided_until)
    established = shown.rulebook.rating.provisional_below if shown else 0
    by_owner: dict[Whose, dict[str, MarkRow]] = {one: {} for one in whose}
    rows = snapshot.conn.execute(_marks(counted.shape, established), owned_by(snapshot.run, whose, counted)).all()
    for row, mark in zip(rows, typed(MarkRow, rows), strict=True):
        if row.height == 1:
            by_owner[Whose(row.of_, row.against)]["peak"] = mark
        if row.surprise == 1:
            by_owner[Whose(row.of_, row.against)]["best_win" if row.won else "worst_loss"] = mark
    return {one: Marks(**of_owner) for one, of_owner in by_owner.items()}


@lru_cache(STATEMENTS)
def _marks(counted: Counted, established: int) -> Select[Any]:
    p, c = played(counted).c, t.changes.c
    provisional = c.matches_before + 1 < established
    earliest = (c.decided_at, c.match_id)
    hardness = case((p.won, -c.opponents), else_=c.opponents)
    rated = (
        select(
            p.of_,
            p.against,
            p.won,
            *(c[name] for name in ("mode", "match_id", "decided_at", "after", "opponents")),
            provisional.label("provisional"),
            func.row_number()
            .over(partition_by=(p.of_, p.against), order_by=(provisional, c.after.desc(), *earliest))
            .label("height"),
            func.row_number()
            .over(partition_by=(p.of_, p.against, p.won), order_by=(hardness, *earliest))
            .label("surprise"),
        )
        .join(
            t.changes,
            and_(c.subject == p.subject, c.id == p.of_, c.decided_at == p.decided_at, c.match_id == p.match_id),
        )
        .where(c.run == bindparam("run"))
        .subquery("rated")
    )
    return select(rated).where(or_(rated.c.height == 1, rated.c.surprise == 1))
