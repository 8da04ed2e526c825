"""Ratings over time: at a moment of play, before and after a match, as a series, in the journal, and their marks."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, Self

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Select,
    Text,
    and_,
    bindparam,
    case,
    column,
    func,
    literal,
    or_,
    select,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.rating import overall_rating, overall_weights
from league.domain.rules import OverallRules
from league.projections import tables as t
from league.projections.boards.board import display_rules_at
from league.projections.folds.league_fold import RATED_MODES, RatedStanding, RatingRow, RatingState, key_of, rating_rows
from league.projections.queries.matches import ChangeRow
from league.projections.queries.pages import Order, Query, grouped, typed
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.statistics import STATEMENTS, CountedMatches, MatchOwner, owned_by, played

# ---------------------------------------------------------------- at a moment of play


def ratings_at(snapshot: Snapshot, subject: str, at: datetime, ids: Sequence[str]) -> Mapping[str, list[RatingRow]]:
    """The ratings of players (`player`) or pairs (`team`) at a time, under the edition of the latest match by then."""
    shown = display_rules_at(snapshot.conn, snapshot.run, [at]).get(at)
    if shown is None:
        return {}
    state = RatingState()
    for row in _latest_changes(snapshot, subject, at, ids):
        standing = RatedStanding(row.after, row.matches_before + 1, row.decided_at)
        state.standings[key_of((subject, row.id_, row.mode_))] = standing
    if subject == "player":
        state.last_seen = _last_seen(snapshot, at, ids)
    return {id_: rating_rows(state, subject, id_, shown.rulebook.rating) for id_ in ids}


def _latest_changes(snapshot: Snapshot, subject: str, at: datetime, ids: Sequence[str]) -> Sequence[Any]:
    c, id_, mode = t.changes.c, column("id_", t.Id), column("mode_", t.Id)
    owner = func.unnest(literal(list(ids), ARRAY(t.Text))).table_valued(id_).render_derived(name="owner")
    modes = func.unnest(literal(list(RATED_MODES), ARRAY(t.Text))).table_valued(mode).render_derived(name="modes")
    latest = (
        select(c.after, c.matches_before, c.decided_at)
        .where(c.run == snapshot.run, c.subject == subject, c.id == owner.c.id_, c.mode == modes.c.mode_)
        .where(c.decided_at <= at)
        .order_by(c.decided_at.desc(), c.match_id.desc())
        .limit(1)
        .lateral("latest")
    )
    query = select(owner.c.id_, modes.c.mode_, latest).select_from(owner.join(modes, true()).join(latest, true()))
    return snapshot.conn.execute(query).all()


def _last_seen(snapshot: Snapshot, at: datetime, ids: Sequence[str]) -> dict[str, datetime]:
    x = t.appearances.c
    query = select(x.player_id, func.max(x.decided_at).label("seen")).where(
        x.run == snapshot.run, x.player_id.in_(ids), x.decided_at <= at
    )
    return {row.player_id: row.seen for row in snapshot.conn.execute(query.group_by(x.player_id))}


# ---------------------------------------------------------------- the journal


j = t.journal.c

JOURNAL_LATEST_FIRST = Order((j.entry,), descending=True)


class JournalRow(NamedTuple):
    """A change of an official rating; `position` is that of the event that caused it."""

    entry: int
    position: int
    cause: str
    mode: str
    match_id: str | None
    before: float
    after: float | None


def journal_of(subject: str, id_: ColumnElement[str], mode: str | None, causes: tuple[str, ...] | None = None) -> Query:
    """The entries for the rating of a player (`player`) or a pair (`team`), in one mode or in both.

    `causes`: only entries with one of these causes; None: all.
    """
    query = select(t.journal).where(j.subject == subject, j.id == id_)
    if causes is not None:
        query = query.where(j.cause.in_(causes))
    return query if mode is None else query.where(j.mode == mode)


# ---------------------------------------------------------------- before a match


_BEFORE = text("""
    SELECT latest.id, latest.match_id, latest.position
    FROM unnest(CAST(:ids AS text[])) AS asked (id), LATERAL (
        SELECT c.id, c.match_id, c.position FROM changes AS c
        WHERE c.run = :run AND c.subject = :subject AND c.id = asked.id AND c.mode = :mode
            AND (c.decided_at, c.match_id) < (:decided_at, :match)
        ORDER BY c.decided_at DESC, c.match_id DESC LIMIT 1
    ) AS latest
    ORDER BY latest.id
""")


class PreviousChangeRow(NamedTuple):
    """The last change of a rating before another change; `position` is that of the event that decided its match."""

    id: str
    match_id: str
    position: int


def changes_before(snapshot: Snapshot, change: ChangeRow, ids: Sequence[str]) -> list[PreviousChangeRow]:
    """For each id, the last change in the mode before this one; ids without an earlier change are left out."""
    asked = {
        "ids": list(ids),
        "run": snapshot.run,
        "subject": change.subject,
        "mode": change.mode,
        "decided_at": change.decided_at,
        "match": change.match_id,
    }
    return list(typed(PreviousChangeRow, snapshot.conn.execute(_BEFORE, asked)))


# ---------------------------------------------------------------- the overall rating


class ModeChangeRow(NamedTuple):
    """A change of a player's rating in a mode, as far as the overall rating depends on it."""

    id: str
    mode: str
    decided_at: datetime
    match_id: str
    before: float
    after: float
    matches_before: int

    @classmethod
    def of(cls, row: ChangeRow) -> Self | None:
        """The change of a row; None for a pair's own rating, which is no part of an overall one."""
        return cls(*(getattr(row, name) for name in cls._fields)) if row.subject == "player" else None


class OverallChangeRow(NamedTuple):
    """An overall rating before and after a change: `weight * rating after it + other_weight * other` is `after`."""

    before: float
    after: float
    weight: float
    other: float | None
    """The rating in the other mode at that time; None before its first rated match."""
    other_weight: float | None


# The latest change in the other mode before each of the given changes; `n` is the number of the change, from 1.
_OTHER_MODES = text("""
    SELECT asked.n, other.after, other.matches_before + 1 AS matches
    FROM unnest(:ids, :modes, :times, :matches) WITH ORDINALITY AS asked (id, mode, decided_at, match_id, n),
    LATERAL (
        SELECT after, matches_before FROM changes
        WHERE run = :run AND subject = 'player' AND id = asked.id AND mode <> asked.mode
            AND (decided_at, match_id) < (asked.decided_at, asked.match_id)
        ORDER BY decided_at DESC, match_id DESC LIMIT 1
    ) AS other
""").bindparams(
    bindparam("ids", type_=ARRAY(Text(collation="C"))),
    bindparam("modes", type_=ARRAY(Text(collation="C"))),
    bindparam("times", type_=ARRAY(DateTime(timezone=True))),
    bindparam("matches", type_=ARRAY(Text(collation="C"))),
)


def overall_changes(snapshot: Snapshot, changes: Sequence[ModeChangeRow]) -> dict[ModeChangeRow, OverallChangeRow]:
    """The effect of each change on its player's overall rating, under the edition of the latest decided match."""
    if snapshot.shown is None:
        return {}
    columns = {
        "ids": [one.id for one in changes],
        "modes": [one.mode for one in changes],
        "times": [one.decided_at for one in changes],
        "matches": [one.match_id for one in changes],
    }
    rows = snapshot.conn.execute(_OTHER_MODES, {"run": snapshot.run, **columns})
    others = {changes[row.n - 1]: (float(row.after), int(row.matches)) for row in rows}
    rules = snapshot.shown.rulebook.rating.overall
    return {one: _overall_change(one, others.get(one), rules) for one in changes}


def _overall_change(of: ModeChangeRow, other: tuple[float, int] | None, rules: OverallRules) -> OverallChangeRow:
    """The effect of a change on the overall rating, which is the rating of one mode until both have been played."""
    if other is None:
        return OverallChangeRow(of.before, of.after, 1.0, None, None)
    is_first = of.mode == RATED_MODES[0]

    def overall(rating: float, matches: int) -> float:
        (a, a_matches), (b, b_matches) = ((rating, matches), other) if is_first else (other, (rating, matches))
        return overall_rating(a, a_matches, b, b_matches, rules)

    before = overall(of.before, of.matches_before) if of.matches_before else other[0]
    matches = of.matches_before + 1
    weights = overall_weights(*((matches, other[1]) if is_first else (other[1], matches)), rules)
    weight, other_weight = weights if is_first else weights[::-1]
    return OverallChangeRow(before, overall(of.after, matches), weight, other[0], other_weight)


# ---------------------------------------------------------------- series for charts


FEWEST = 4
"""The fewest points of a thinned series: both ends, and the lowest and the highest value between them."""


def thinned(values: Sequence[float], most: int) -> list[int]:
    """The indexes of the points of a series to keep, in order: at most `most` (`FEWEST` or more).

    The points between the ends are divided into buckets of equal size. The first minimum and the first maximum of each
    bucket are kept.
    """
    if len(values) <= most:
        return list(range(len(values)))
    return [0, *_extremes(values, (most - 2) // 2), len(values) - 1]


def _extremes(values: Sequence[float], buckets: int) -> Iterator[int]:
    between = len(values) - 2
    for bucket in range(buckets):
        indexes = range(1 + between * bucket // buckets, 1 + between * (bucket + 1) // buckets)
        yield from sorted({min(indexes, key=values.__getitem__), max(indexes, key=values.__getitem__)})


c = t.changes.c


class SeriesFilter(Struct, frozen=True):
    """Which part of a series to read, and at most how many points of it."""

    mode: str | None = None
    """None: a player's overall rating, or a pair's only rating."""
    points: int = 200
    decided_from: datetime | None = None
    decided_before: datetime | None = None


class CurvePoint(Struct, frozen=True):
    """A rating after a match."""

    decided_at: datetime
    match: str
    rating: float


class RatingAfterRow(NamedTuple):
    """The rating of a player or a pair in a mode after a match."""

    id: str
    mode: str
    decided_at: datetime
    match_id: str
    after: float
    matches_before: int


class RatingCurve(Struct, frozen=True):
    """The points of a rating over time that were kept, and the number of all its points."""

    points: tuple[CurvePoint, ...] = ()
    total: int = 0


def rating_series(snapshot: Snapshot, subject: str, wanted: SeriesFilter, ids: Sequence[str]) -> dict[str, RatingCurve]:
    """The ratings of players (`player`) or pairs (`team`) over time, in the order decided."""
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
    rows = grouped(ids, ((row.id, row) for row in typed(RatingAfterRow, snapshot.conn.execute(query))))
    rules = snapshot.shown.rulebook.rating.overall
    return {id_: _series(of, rules, wanted) for id_, of in rows.items()}


def _series(rows: Sequence[RatingAfterRow], rules: OverallRules, wanted: SeriesFilter) -> RatingCurve:
    # Matches before the span still count in the overall rating.
    ratings = _after_each(rows, rules)
    start = wanted.decided_from
    first = 0 if start is None else next((n for n, row in enumerate(rows) if row.decided_at >= start), len(rows))
    rows, ratings = rows[first:], ratings[first:]
    kept = thinned(ratings, wanted.points)
    return RatingCurve(tuple(CurvePoint(rows[n].decided_at, rows[n].match_id, ratings[n]) for n in kept), len(rows))


def _after_each(rows: Sequence[RatingAfterRow], rules: OverallRules) -> list[float]:
    """The rating after each change: the overall rating as soon as there are two modes."""
    latest: dict[str, RatingAfterRow] = {}
    ratings: list[float] = []
    for row in rows:
        latest[row.mode] = row
        if len(latest) < len(RATED_MODES):
            ratings.append(row.after)
            continue
        a, b = (latest[mode] for mode in RATED_MODES)
        ratings.append(overall_rating(a.after, a.matches_before + 1, b.after, b.matches_before + 1, rules))
    return ratings


# ---------------------------------------------------------------- outstanding matches


class MarkRow(NamedTuple):
    """An outstanding match: the rating after it, and the other side's rating before it."""

    mode: str
    match_id: str
    decided_at: datetime
    after: float
    provisional: bool
    opponents: float


class RatingMarks(Struct, frozen=True):
    """The outstanding matches of a competitor."""

    peak: MarkRow | None = None
    """The highest rating after a match; a provisional rating only if none was ever established."""
    best_win: MarkRow | None = None
    """The win against the highest rated side."""
    worst_loss: MarkRow | None = None
    """The loss against the lowest rated side."""


def marks(snapshot: Snapshot, counted: CountedMatches, whose: Sequence[MatchOwner]) -> dict[MatchOwner, RatingMarks]:
    """The rating marks of each competitor; ties go to the earliest. Matches of individuals have no ratings."""
    shown = snapshot.shown_as_of(counted.decided_until)
    established = shown.rulebook.rating.provisional_below if shown else 0
    by_owner: dict[MatchOwner, dict[str, MarkRow]] = {one: {} for one in whose}
    rows = snapshot.conn.execute(_marks(counted.shape, established), owned_by(snapshot.run, whose, counted)).all()
    for row, mark in zip(rows, typed(MarkRow, rows), strict=True):
        if row.height == 1:
            by_owner[MatchOwner(row.of_, row.against)]["peak"] = mark
        if row.surprise == 1:
            by_owner[MatchOwner(row.of_, row.against)]["best_win" if row.won else "worst_loss"] = mark
    return {one: RatingMarks(**of_owner) for one, of_owner in by_owner.items()}


@lru_cache(STATEMENTS)
def _marks(counted: CountedMatches, established: int) -> Select[Any]:
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
