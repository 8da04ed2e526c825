"""What a badge or a board of achievements counts for a player up to a match, and the matches that added to it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import ColumnElement, Integer, and_, case, cast, func, literal, or_, select, tuple_

from league.domain.competitor import CompetitorId
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.boards.achievements import ADDED
from league.projections.folds.badges import CountedBadge, Measure, StreakBadge
from league.projections.folds.ratings import RATED_MODES
from league.projections.queries.matches import ChangeRow
from league.projections.queries.pages import Query
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot

x, c, m, h, d, s = (table.c for table in (t.appearances, t.changes, t.matches, t.honours, t.closed_months, t.standings))

MOST = 20
"""How many of the latest matches are listed."""


class Until(Struct, frozen=True):
    """Up to and including this match; without an id, up to all matches decided at that time."""

    decided_at: datetime
    match: str | None = None


class AddedRow(NamedTuple):
    """A match that added to a number of a player's career."""

    match_id: str
    added: int
    position: int
    """The position of the event that decided the match."""


class LastMatchRow(NamedTuple):
    """The latest decided match of a player."""

    match_id: str
    position: int
    """The position of the event that decided the match."""


class HonourRow(NamedTuple):
    """An honour of a closed month, with one of the standings behind it."""

    month: str
    mode: str | None
    """None: the honour is for both modes."""
    position: int
    """The position of the event that closed the month."""
    standing_mode: str
    standing_id: CompetitorId
    """The player, or the pair."""
    games: int


class Counted(Struct, frozen=True):
    """A count in a player's career."""

    value: int
    latest: Sequence[AddedRow]
    """The latest matches that added to it, latest first."""


def counted(snapshot: Snapshot, player: str, measure: Measure, until: Until) -> Counted:
    """What a badge counts over rated matches; for a streak, the matches since the last loss."""
    badge = measure.definition
    mine = and_(x.run == snapshot.run, x.player_id == player, x.mode.in_(RATED_MODES), _until(until))
    if isinstance(badge, StreakBadge):
        lost = select(x.decided_at, x.match_id).where(mine, ~x.won)
        last = snapshot.conn.execute(lost.order_by(x.decided_at.desc(), x.match_id.desc()).limit(1)).one_or_none()
        if last is not None:
            mine = and_(mine, tuple_(x.decided_at, x.match_id) > _key(last.decided_at, last.match_id))
        return _summed(snapshot, mine, cast(x.won, Integer))
    assert isinstance(badge, CountedBadge), "ratings and months are not counted in matches"
    return _summed(snapshot, mine, cast(badge.added(Appearances(snapshot.run), measure.numbers), Integer))


def achieved(snapshot: Snapshot, player: str, measure: str, until: Until | None) -> Counted:
    """A column of achievements, over all decided matches. None: up to now, where the fold has stored the sum."""
    mine, added = and_(x.run == snapshot.run, x.player_id == player), ADDED[measure]
    if until is not None:
        return _summed(snapshot, and_(mine, _until(until)), added)
    a = t.achievements.c
    kept: int = snapshot.conn.execute(
        select(a[measure]).where(a.run == snapshot.run, a.player_id == player)
    ).scalar_one()
    return Counted(kept, _latest(snapshot, mine, added, kept))


def last_change(snapshot: Snapshot, subject: str, id_: str, mode: str, until: Until) -> ChangeRow | None:
    """The latest change of a rating."""
    mine = and_(
        c.run == snapshot.run, c.subject == subject, c.id == id_, c.mode == mode, c.decided_at <= until.decided_at
    )
    latest_first = (c.decided_at.desc(), c.match_id.desc())
    query = select(t.changes).where(mine).order_by(*latest_first).limit(1)
    return next(typed(ChangeRow, snapshot.conn.execute(query)), None)


def last_match(snapshot: Snapshot, player: str, until: Until) -> LastMatchRow | None:
    """A player's latest decided match of any kind."""
    latest_first = (x.decided_at.desc(), x.match_id.desc())
    query: Query = select(x.match_id, m.position).join(t.matches, (m.run == x.run) & (m.match_id == x.match_id))
    query = query.where(x.run == snapshot.run, x.player_id == player, _until(until)).order_by(*latest_first)
    return next(typed(LastMatchRow, snapshot.conn.execute(query.limit(1))), None)


def honours_until(snapshot: Snapshot, player: str, measure: str, position: int) -> Sequence[HonourRow]:
    """The honours of months closed up to a log position, with the standings behind them."""
    highest = t.standings.alias("highest").c
    first = select(func.max(highest.total)).where(
        highest.run == s.run, highest.mode == s.mode, highest.month == s.month
    )
    theirs = and_(
        s.run == h.run,
        s.month == h.month,
        competitor_columns.includes(s.id, player),
        or_(h.mode.is_(None), and_(s.mode == h.mode, s.total == first.correlate(t.standings).scalar_subquery())),
    )
    query: Query = (
        select(
            h.month,
            h.mode,
            d.position,
            s.mode.label("standing_mode"),
            s.id.label("standing_id"),
            (s.wins + s.losses).label("games"),
        )
        .join(t.closed_months, d.month == h.month)
        .join(t.standings, theirs)
    )
    mine = (h.run == snapshot.run, h.player_id == player, h.measure == measure, d.position <= position)
    query = query.where(*mine).order_by(d.position, h.mode, s.mode, s.id)
    return list(typed(HonourRow, snapshot.conn.execute(query)))


def highest_rating(snapshot: Snapshot, player: str, established: int) -> ChangeRow | None:
    """The change that reached the highest rating after this many rated matches in its mode; None without one."""
    mine = (c.run == snapshot.run, c.subject == "player", c.id == player, c.matches_before + 1 >= established)
    highest_first = (c.after.desc(), c.decided_at, c.match_id)
    query = select(t.changes).where(*mine).order_by(*highest_first).limit(1)
    return next(typed(ChangeRow, snapshot.conn.execute(query)), None)


def _summed(snapshot: Snapshot, mine: ColumnElement[bool], added: ColumnElement[Any]) -> Counted:
    total = int(snapshot.conn.execute(select(func.coalesce(func.sum(added), 0)).where(mine)).scalar_one())
    return Counted(total, _latest(snapshot, mine, added, total))


def _latest(snapshot: Snapshot, mine: ColumnElement[bool], added: ColumnElement[Any], total: int) -> Sequence[AddedRow]:
    query: Query = (
        select(x.match_id, added.label("added"), m.position)
        .join(t.matches, (m.run == x.run) & (m.match_id == x.match_id))
        .where(mine, added > 0)
        .order_by(x.decided_at.desc(), x.match_id.desc())
        # Stop at the known number of matches instead of searching the rest of a long career.
        .limit(min(total, MOST))
    )
    return list(typed(AddedRow, snapshot.conn.execute(query)))


class Appearances:
    """The table's columns under the attribute names of `folds.badges.Appearance`."""

    def __init__(self, run: int) -> None:
        self._run = run

    def __getattr__(self, name: str) -> ColumnElement[Any]:
        return x[name]

    @property
    def rated_higher(self) -> ColumnElement[Any]:
        """By how many points the other side was rated higher before the match, on average."""
        gap = _gap(self._run)
        return case((x.won, gap), else_=-gap)


def _gap(run: int) -> ColumnElement[Any]:
    """By how many points the side that lost a match was rated higher before it, on average."""
    lost, won = (
        func.sum(c.before).filter(c.outcome == score) / func.count().filter(c.outcome == score) for score in (0.0, 1.0)
    )
    theirs = (c.run == run, c.match_id == x.match_id, c.subject == "player")
    return select(lost - won).where(*theirs).correlate(t.appearances).scalar_subquery()


def _until(until: Until) -> ColumnElement[bool]:
    if until.match is None:
        return x.decided_at <= until.decided_at
    place: ColumnElement[bool] = tuple_(x.decided_at, x.match_id) <= _key(until.decided_at, until.match)
    return place


def _key(decided_at: datetime, match: str) -> Any:
    return tuple_(literal(decided_at, t.Time), literal(match, t.Id))
