"""The monthly series for readers: standings, published lists, and the games that a competitor has played."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import and_, case, column, func, or_, select, true, tuple_

from league.domain.refusals import InvalidInput
from league.domain.seating import CompetitorId
from league.domain.sentences import say
from league.domain.series import bounds, month_of
from league.projections import tables as t
from league.projections.folds.league_fold import BEYOND_LIMIT
from league.projections.queries.pages import Order, Query, typed
from league.projections.queries.snapshot import Snapshot, short

g, p, s, m = t.series_games.c, t.series_pairs.c, t.standings.c, t.matches.c
published = t.published_standings.c


class ModeMonth(Struct, frozen=True):
    """The series of a month in one mode, and when the month begins and ends."""

    mode: str
    month: str
    starts_at: datetime
    ends_at: datetime

    def is_over(self, now: datetime) -> bool:
        """Whether the next month has begun."""
        return self.ends_at <= now


class CompetitorMonth(Struct, frozen=True):
    """A player or a pair in a month of the series."""

    competitor_id: CompetitorId
    month: ModeMonth


class StandingRow(NamedTuple):
    """The standing of a player or a pair in a month."""

    id: CompetitorId
    rank: int
    wins: int
    losses: int
    series_points: int
    total: int


class PlayedMonthRow(NamedTuple):
    """A month with standings."""

    month: str
    mode: str
    closed: bool


class ClosingRow(NamedTuple):
    """The closing of a month."""

    month: str
    ends_at: datetime
    closed_at: datetime
    position: int
    """The position of the event that closed it."""


class CorrectionRow(NamedTuple):
    """A standing in the published list and now; None where there is no such standing."""

    id: CompetitorId
    rank_then: int | None
    total_then: int | None
    rank_now: int | None
    total_now: int | None


class LateRow(NamedTuple):
    """A match of the series that was decided after its month was closed."""

    match_id: str
    began_at: datetime
    position: int
    """The position of the event that decided the match."""


class ZeroRow(NamedTuple):
    """A match that counts zero in the series."""

    match_id: str
    began_at: datetime
    reason: str
    """`casual`, `beyond_limit` or `voided`."""


class MeetingRow(NamedTuple):
    """The account of two competitors who have met in a month."""

    a: CompetitorId
    b: CompetitorId
    a_wins: int
    b_wins: int
    a_series_points: int
    ignored: int
    locked: bool


def month_named(snapshot: Snapshot, mode: str, month: str | None, as_of: datetime | None = None) -> ModeMonth:
    """The named month in the league's time zone; None: the latest month with games in the mode. Raises InvalidInput.

    Before the first game it is the month of the latest decided match or the latest registration. `as_of`: the latest
    month with games decided by that moment of play, or else the month of that moment.
    """
    zone = ZoneInfo(snapshot.zone)
    name = month
    if name is None:
        if as_of is None:
            name = _latest_with_games(snapshot, mode) or month_of(_latest_news(snapshot), zone)
        else:
            name = _latest_with_games_then(snapshot, mode, as_of) or _month_at(as_of, zone)
    try:
        return ModeMonth(mode, name, *bounds(name, zone))
    except InvalidInput as refused:
        with_games = select(s.month).where(s.run == snapshot.run, s.mode == mode).distinct().order_by(s.month)
        months = snapshot.conn.scalars(with_games).all()
        if not months:
            raise
        reason = say("{reason}; games are in {months}", reason=refused.reason, months=", ".join(months))
        raise InvalidInput(refused.at, reason) from None


def present_month(snapshot: Snapshot, now: datetime) -> str:
    """The month of a moment in the league's time zone."""
    return month_of(now, ZoneInfo(snapshot.zone))


def _latest_with_games(snapshot: Snapshot, mode: str) -> str | None:
    query = select(func.max(s.month)).where(s.run == snapshot.run, s.mode == mode)
    month: str | None = snapshot.conn.scalar(query)
    return month


def _latest_with_games_then(snapshot: Snapshot, mode: str, as_of: datetime) -> str | None:
    in_series = or_(g.counts_zero.is_(None), g.counts_zero == BEYOND_LIMIT)
    query = select(func.max(g.month)).where(g.run == snapshot.run, g.mode == mode, g.decided_at <= as_of, in_series)
    month: str | None = snapshot.conn.scalar(query)
    return month


def _month_at(as_of: datetime, zone: ZoneInfo) -> str:
    try:
        return month_of(as_of, zone)
    except OverflowError:
        raise InvalidInput("asOf", say("lies beyond the calendar")) from None


def _latest_news(snapshot: Snapshot) -> datetime:
    r, p = t.runs.c, t.players.c
    registered = select(func.max(p.registered_at)).scalar_subquery()
    query = select(func.coalesce(func.greatest(r.latest_decided_at, registered), r.created_at))
    at: datetime | None = snapshot.conn.scalar(query.where(r.run == snapshot.run))
    return datetime.fromtimestamp(0, UTC) if at is None else at  # before the first projection


def months(run: int) -> Query:
    """The months with standings: month, mode, closed."""
    # One row of each month and mode is read: a step looks the next ones up in the primary key.
    here = select(s.mode, s.month).where(s.run == run).order_by(s.mode, s.month).limit(1)
    found = select(here.subquery()).cte("months", recursive=True)
    after = here.where(tuple_(s.mode, s.month) > tuple_(found.c.mode, found.c.month)).lateral("after")
    found = found.union_all(select(after).select_from(found.join(after, true())))
    closed = select(t.closed_months.c.month).where(t.closed_months.c.month == found.c.month).exists()
    return select(found, closed.label("closed"))


@short
def competitors_of_months(snapshot: Snapshot, months: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The number of competitors in the standings of each mode and month."""
    query = (
        select(s.mode, s.month, func.count())
        .where(s.run == snapshot.run, tuple_(s.mode, s.month).in_(months))
        .group_by(s.mode, s.month)
    )
    return {(mode, month): number for mode, month, number in snapshot.conn.execute(query)}


def closing(snapshot: Snapshot, month: str) -> ClosingRow | None:
    """When a month was closed, and by which event; None while it is open."""
    rows = snapshot.conn.execute(select(t.closed_months).where(t.closed_months.c.month == month))
    return next(typed(ClosingRow, rows), None)


# ---------------------------------------------------------------- lists of a month

LATEST_MONTH_FIRST = Order((column("month", t.Id), column("mode", t.Id)), descending=True)
BY_RANK = Order((published.rank, published.id))
BY_COMPETITORS = Order((p.a, p.b))
BY_BEGINNING = Order((m.began_at, m.match_id))
BY_ID = Order((column("id", t.Id),))


def published_standings(month: ModeMonth) -> Query:
    """The standings as published when the month was closed."""
    return select(t.published_standings).where(published.mode == month.mode, published.month == month.month)


def moved_since_published(run: int, month: ModeMonth) -> Query:
    """Standings whose rank or total differs from the published list: rank and total then and now."""
    ranked = select(s.id, s.total, func.rank().over(order_by=s.total.desc()).label("rank"))
    now = ranked.where(s.run == run, s.mode == month.mode, s.month == month.month).subquery("now")
    then = published_standings(month).subquery("then")
    closed = select(t.closed_months.c.month).where(t.closed_months.c.month == month.month).exists()
    columns = (
        func.coalesce(then.c.id, now.c.id).label("id"),
        then.c.rank.label("rank_then"),
        then.c.total.label("total_then"),
        now.c.rank.label("rank_now"),
        now.c.total.label("total_now"),
    )
    either = select(*columns).select_from(then.join(now, then.c.id == now.c.id, full=True)).subquery("either")
    e = either.c
    differs = or_(e.rank_then.is_distinct_from(e.rank_now), e.total_then.is_distinct_from(e.total_now))
    return select(e.id.collate("C").label("id"), e.rank_then, e.total_then, e.rank_now, e.total_now).where(
        differs, closed
    )


def pairs(run: int, month: ModeMonth) -> Query:
    """The accounts of every two competitors who have met in a month."""
    return select(t.series_pairs).where(p.run == run, p.mode == month.mode, p.month == month.month)


def meetings(run: int, month: ModeMonth, among_first: int) -> Query:
    """The accounts of every two competitors who have met in a month, among the first `among_first` of the standings."""
    first = (
        select(s.id)
        .where(s.run == run, s.mode == month.mode, s.month == month.month)
        .order_by(s.total.desc(), s.id)
        .limit(among_first)
    )
    columns = (p.a, p.b, p.a_wins, p.b_wins, p.a_series_points, p.ignored, p.locked)
    here = (p.run == run, p.mode == month.mode, p.month == month.month)
    return select(*columns).where(*here, p.a.in_(first), p.b.in_(first))


def counting_zero(run: int, month: ModeMonth) -> Query:
    """The matches of the month that count zero, each with the reason: `beyond_limit`, `voided`, or its competition."""
    reason = case((m.status == "voided", "voided"), else_=g.counts_zero)
    game = and_(g.run == run, g.decided_at == m.decided_at, g.match_id == m.match_id)
    query = select(m.match_id, m.began_at, reason.label("reason")).join(t.series_games, game, isouter=True)
    span = (m.began_at >= month.starts_at, m.began_at < month.ends_at)
    return query.where(m.run == run, m.mode == month.mode, *span, reason.is_not(None))


def late(run: int, month: ModeMonth) -> Query:
    """The matches that were decided after the month was closed, except those that its series leaves out."""
    closed_at = select(t.closed_months.c.position).where(t.closed_months.c.month == month.month).scalar_subquery()
    game = and_(g.run == m.run, g.decided_at == m.decided_at, g.match_id == m.match_id)
    query = select(m.match_id, m.began_at, m.position).join(t.series_games, game)
    in_series = or_(g.counts_zero.is_(None), g.counts_zero == BEYOND_LIMIT)
    return query.where(m.run == run, g.mode == month.mode, g.month == month.month, in_series, m.position > closed_at)


def standing_of(snapshot: Snapshot, month: ModeMonth, id_: str) -> StandingRow | None:
    """A competitor's standing with its rank; None without a game that counts."""
    here = (s.run == snapshot.run, s.mode == month.mode, s.month == month.month)
    own = select(t.standings).where(*here, s.id == id_).subquery("own")
    above = select(func.count() + 1).where(*here, s.total > own.c.total).scalar_subquery()
    return next(typed(StandingRow, snapshot.conn.execute(select(own, above.label("rank")))), None)


# ---------------------------------------------------------------- what a competitor has played


class MonthOpponentRow(NamedTuple):
    """A competitor's account with an opponent in a month."""

    other: CompetitorId
    wins: int
    losses: int
    series_points: int
    game_points: int
    start: int
    locked: bool


class GameRow(NamedTuple):
    """A game against an opponent."""

    other: CompetitorId
    won: bool
    match_id: str
    decided_at: datetime
    counts_zero: str | None
    """The reason for counting zero; None if the game counts."""
    edition: str
    """The hash of the edition."""
    position: int
    """The position of the event that decided the match."""


class PlayedSeries(Struct, frozen=True):
    """A competitor's games in a month in the order decided, and their account with each opponent."""

    pairs: Sequence[MonthOpponentRow]
    games: Sequence[GameRow]

    def games_by_opponent(self) -> dict[CompetitorId, list[GameRow]]:
        """The games against each opponent."""
        found: dict[CompetitorId, list[GameRow]] = {}
        for game in self.games:
            found.setdefault(game.other, []).append(game)
        return found


def played_series(snapshot: Snapshot, month: ModeMonth, id_: str) -> PlayedSeries:
    """Everything that a competitor's standing is computed from; empty if they have not played."""
    games = _games_of(snapshot, month, id_)
    return PlayedSeries(_pairs_of(snapshot, month, id_) if games else (), games)


def _pairs_of(snapshot: Snapshot, month: ModeMonth, id_: str) -> Sequence[MonthOpponentRow]:
    is_a = p.a == id_
    query: Query = select(
        case((is_a, p.b), else_=p.a).label("other"),
        case((is_a, p.a_wins), else_=p.b_wins).label("wins"),
        case((is_a, p.b_wins), else_=p.a_wins).label("losses"),
        case((is_a, p.a_series_points), else_=-p.a_series_points).label("series_points"),
        case((is_a, p.a_game_points), else_=-p.a_game_points).label("game_points"),
        p.start,
        p.locked,
    ).where(p.run == snapshot.run, p.mode == month.mode, p.month == month.month, or_(is_a, p.b == id_))
    rows = snapshot.conn.execute(query.order_by(p.entered_at, p.entered_match))
    return list(typed(MonthOpponentRow, rows))


def _games_of(snapshot: Snapshot, month: ModeMonth, id_: str) -> Sequence[GameRow]:
    is_a = g.a == id_
    query: Query = (
        select(
            case((is_a, g.b), else_=g.a).label("other"),
            case((is_a, g.a_won), else_=~g.a_won).label("won"),
            g.match_id,
            g.decided_at,
            g.counts_zero,
            g.edition,
            m.position,
        )
        .join(t.matches, (m.run == g.run) & (m.match_id == g.match_id))
        .where(g.run == snapshot.run, g.mode == month.mode, g.month == month.month, or_(is_a, g.b == id_))
    )
    return list(typed(GameRow, snapshot.conn.execute(query.order_by(g.decided_at, g.match_id))))
