"""The statistics of a player or a pair: sums, streaks and form over the matches that they played."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Float, Select, cast, func, or_, select

from league.projections.queries.played import STATEMENTS, Counted, Whose, in_a_row, owned_by, played
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot

FORM = 10
"""How many of the latest matches make up the form."""

# ---------------------------------------------------------------- sums


class Totals(Struct, frozen=True):
    """Sums over the matches."""

    matches: int = 0
    wins: int = 0
    average_difference: float | None = None
    """Own score minus the best other score, over the matches with points; None without any."""
    hands_won: int = 0
    """By the side."""
    hands_won_by_block: int = 0
    capicuas: int = 0
    viajeras: int = 0
    pollonas: int = 0
    pollonas_suffered: int = 0
    recoveries: tuple[tuple[int, int], ...] = ()
    """By step of the recovery badge in the displayed edition: its points, and the matches won after trailing so far."""


def totals(snapshot: Snapshot, counted: Counted, whose: Sequence[Whose]) -> dict[Whose, Totals]:
    """The sums of each."""
    shown = snapshot.shown_as_of(counted.decided_until)
    steps = tuple(step.behind for step in shown.rulebook.badges.recoveries) if shown else ()
    found = {one: Totals(recoveries=tuple((step, 0) for step in steps)) for one in whose}
    for row in snapshot.conn.execute(_totals(counted.shape, steps), owned_by(snapshot.run, whose, counted)):
        figures = {name: getattr(row, name) for name in Totals.__struct_fields__ if name != "recoveries"}
        recoveries = tuple((step, getattr(row, f"recovery_{n}")) for n, step in enumerate(steps))
        found[Whose(row.of_, row.against)] = Totals(**figures, recoveries=recoveries)
    return found


@lru_cache(STATEMENTS)
def _totals(counted: Counted, steps: tuple[int, ...]) -> Select[Any]:
    p = played(counted).c
    sums = ("hands_won", "hands_won_by_block", "capicuas", "viajeras")
    return select(
        p.of_,
        p.against,
        func.count().label("matches"),
        func.count().filter(p.won).label("wins"),
        cast(func.avg(p.difference), Float(53)).label("average_difference"),
        *(func.sum(p[name]).label(name) for name in sums),
        func.count().filter(p.pollona).label("pollonas"),
        func.count().filter(p.pollona_suffered).label("pollonas_suffered"),
        *(func.count().filter(p.trailed_by >= step).label(f"recovery_{n}") for n, step in enumerate(steps)),
    ).group_by(p.of_, p.against)


# ---------------------------------------------------------------- streaks and form


class Streak(Struct, frozen=True):
    """Consecutive wins or losses in the order decided."""

    won: bool
    length: int
    since: datetime
    """When the first of them was decided."""
    until: datetime
    """When the last of them was decided."""


class Streaks(Struct, frozen=True):
    """The streak of the latest match, and the longest streaks; of equally long ones the earliest."""

    current: Streak | None = None
    longest_won: Streak | None = None
    longest_lost: Streak | None = None


def streaks(snapshot: Snapshot, counted: Counted, whose: Sequence[Whose]) -> dict[Whose, Streaks]:
    """The streaks of each competitor."""
    by_owner: dict[Whose, dict[str, Streak]] = {one: {} for one in whose}
    for row in snapshot.conn.execute(_streaks(counted.shape), owned_by(snapshot.run, whose, counted)):
        streak, of_owner = Streak(row.won, row.length, row.since, row.until), by_owner[Whose(row.of_, row.against)]
        if row.latest == 1:
            of_owner["current"] = streak
        if row.longest == 1:
            of_owner["longest_won" if row.won else "longest_lost"] = streak
    return {one: Streaks(**of_owner) for one, of_owner in by_owner.items()}


@lru_cache(STATEMENTS)
def _streaks(counted: Counted) -> Select[Any]:
    rows = in_a_row(played(counted), counted)
    r, in_order = rows.c, (rows.c.decided_at, rows.c.match_id)
    number = func.row_number().over(partition_by=(r.of_, r.against), order_by=in_order)
    number_of_kind = func.row_number().over(partition_by=(r.of_, r.against, r.won), order_by=in_order)
    # Within a streak both numbers grow by one, so their difference identifies the streak.
    numbered = select(
        r.of_, r.against, r.won, r.decided_at, number.label("number"), (number - number_of_kind).label("streak")
    ).subquery("numbered")
    n = numbered.c
    length, last = func.count(), func.max(n.number)
    found = (
        select(
            n.of_,
            n.against,
            n.won,
            length.label("length"),
            func.min(n.decided_at).label("since"),
            func.max(n.decided_at).label("until"),
            func.row_number().over(partition_by=(n.of_, n.against), order_by=last.desc()).label("latest"),
            func.row_number()
            .over(partition_by=(n.of_, n.against, n.won), order_by=(length.desc(), last))
            .label("longest"),
        )
        .group_by(n.of_, n.against, n.won, n.streak)
        .subquery("streaks")
    )
    return select(found).where(or_(found.c.latest == 1, found.c.longest == 1))


class FormRow(NamedTuple):
    """One of the latest matches."""

    match_id: str
    decided_at: datetime
    won: bool


def form(snapshot: Snapshot, counted: Counted, whose: Sequence[Whose]) -> dict[Whose, list[FormRow]]:
    """The last ten matches of each competitor, latest first."""
    found: dict[Whose, list[FormRow]] = {one: [] for one in whose}
    latest_ten = snapshot.conn.execute(_form(counted.shape), owned_by(snapshot.run, whose, counted)).all()
    for row, match in zip(latest_ten, typed(FormRow, latest_ten), strict=True):
        found[Whose(row.of_, row.against)].append(match)
    return found


@lru_cache(STATEMENTS)
def _form(counted: Counted) -> Select[Any]:
    r = in_a_row(played(counted), counted).c
    latest = (r.decided_at.desc(), r.match_id.desc())
    back = func.row_number().over(partition_by=(r.of_, r.against), order_by=latest)
    numbered = select(r.of_, r.against, r.match_id, r.decided_at, r.won, back.label("back")).subquery("numbered")
    return select(numbered).where(numbered.c.back <= FORM).order_by(numbered.c.back)
