"""Boards of ratings and of the monthly series, now or at an earlier moment of play, computed by SQL on read.

A rating board lists established competitors with ranks, then provisional ones without; inactive ones only on request.
Earlier ratings are the present ones minus the changes that were decided later.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Integer,
    Numeric,
    Select,
    Subquery,
    Table,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by, distinct_on

from league.domain.bonuses import BOARD_TERMS, SERIES_TERMS, Clause
from league.domain.rules import OverallRules, Rulebook
from league.domain.seating import Subject
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.boards.board import BoardDefinition, BoardKey, DisplayRules, last_match_at, last_rated_at
from league.projections.folds.league_fold import BEYOND_LIMIT, RATED_MODES

# ---------------------------------------------------------------- ratings


@dataclass(frozen=True, kw_only=True)
class RatingBoard(BoardDefinition):
    """Ratings of players, or of teams, in one mode or overall."""

    subject: Subject
    mode: str
    """`1v1`, `2v2`, or `overall`."""
    clause: Clause = BOARD_TERMS["rating"]
    unit: str = say("rating points")
    heading: str = say("rating")
    drops_inactive: bool = True

    @property
    def modes(self) -> tuple[str, ...]:
        """The board's mode; both modes for the overall rating."""
        return RATED_MODES if self.mode == "overall" else (self.mode,)

    def competitor(self, mode: str) -> Subject:
        """The subject of the ratings, a player or a team."""
        return self.subject

    def standings(self, run: int, board: BoardKey, shown: DisplayRules) -> Select[Any]:
        """Stored ratings, or ratings as of a moment; inactive competitors only if the board includes them."""
        r: Any
        if board.as_of is None:
            r = t.ratings.c
            value, active = r.rating, r.last_decided_at >= shown.active_since
            query = select(r.id, value.label("value"), r.matches, r.provisional, r.last_decided_at)
            query = query.where(r.run == run, r.subject == self.subject, r.mode == self.mode)
        else:
            r = ratings_then(run, self.subject, self.mode, shown).c
            value, active = r.value, r.active
            query = select(r.id, value, r.matches, r.provisional)
        query = query.add_columns((-value).label("below"))
        return query if board.include_inactive else query.where(active)

    def last_decided_at(self, run: int, board: BoardKey, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """The latest rated match in the mode; on the overall board the latest match of any kind."""
        if self.mode == "overall":
            return last_match_at(run, id_, at)
        return last_rated_at(run, self.subject, self.mode, id_, at)

    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Matches of the mode; on the overall board any match, since it keeps a player active."""
        return self.mode in ("overall", mode)

    def is_moved_by_rating(self, subject: str, mode: str) -> bool:
        """Ratings of the subject in the mode; on the overall board in either mode."""
        return subject == self.subject and self.mode in ("overall", mode)


def ratings_then(run: int, subject: str, mode: str, shown: DisplayRules) -> FromClause:
    """Ratings of a subject in a mode (`overall`: both) at a moment: id, value, matches, provisional, active."""
    query = _overall(run, shown) if mode == "overall" else _of_mode(run, subject, mode, shown)
    return query.subquery("then")


class _Mode:
    """The rating in one mode at a moment: the rating before the first later change, or the present rating."""

    def __init__(self, run: int, subject: str, mode: str, at: datetime) -> None:
        r = t.ratings.c
        rated = select(r.id, r.rating, r.matches, r.last_decided_at)
        rated = rated.where(r.run == run, r.subject == subject, r.mode == mode)
        # All are read at once: the planner underestimates how many there are, and would look each of them up.
        self.current = rated.cte(f"rated_{mode}").prefix_with("MATERIALIZED")
        self.later = _first_after(run, subject, mode, at)
        now, first = self.current.c, self.later.c
        self.value = func.coalesce(first.before, now.rating)
        self.matches = func.coalesce(first.matches_before, now.matches, literal_column("0"))
        self.rated = self.matches > literal_column("0")


def _first_after(run: int, subject: str, mode: str, at: datetime) -> FromClause:
    """The first change of each rating after a moment: how many matches there were before it, and the rating."""
    c = t.changes.c
    # All of it is in the primary key's index, in this order.
    query = select(c.id, c.matches_before, c.before).ext(distinct_on(c.id)).order_by(c.id, c.decided_at, c.match_id)
    ledger = (c.run == run, c.subject == subject, c.mode == mode, c.decided_at > at)
    return query.where(*ledger).subquery(f"later_{mode}")


def _of_mode(run: int, subject: str, mode: str, shown: DisplayRules) -> Select[Any]:
    c = t.changes.c
    m = _Mode(run, subject, mode, shown.at)
    r = m.current.c
    theirs = and_(c.run == run, c.subject == subject, c.id == r.id, c.mode == mode)
    return (
        select(
            r.id,
            m.value.label("value"),
            m.matches.label("matches"),
            (m.matches < shown.rulebook.rating.provisional_below).label("provisional"),
            _is_active(r.last_decided_at, t.changes, theirs, shown).label("active"),
        )
        .select_from(m.current.outerjoin(m.later, m.later.c.id == r.id))
        .where(m.rated)
    )


def _overall(run: int, shown: DisplayRules) -> Select[Any]:
    x, r = t.appearances.c, t.ratings.c
    a, b = (_Mode(run, "player", mode, shown.at) for mode in RATED_MODES)
    theirs = and_(x.run == run, x.player_id == r.id)
    both = overall_value(a.value, a.matches, b.value, b.matches, shown.rulebook.rating.overall)
    below = shown.rulebook.rating.provisional_below
    joined: FromClause = t.ratings
    for mode in (a, b):
        joined = joined.outerjoin(mode.current, mode.current.c.id == r.id)
        joined = joined.outerjoin(mode.later, mode.later.c.id == r.id)
    return (
        select(
            r.id,
            case((~b.rated, a.value), (~a.rated, b.value), else_=both).label("value"),
            (a.matches + b.matches).label("matches"),
            and_(*(or_(~mode.rated, mode.matches < below) for mode in (a, b))).label("provisional"),
            _is_active(r.last_decided_at, t.appearances, theirs, shown).label("active"),
        )
        .select_from(joined)
        .where(r.run == run, r.subject == "player", r.mode == "overall", or_(a.rated, b.rated))
    )


def _is_active(last: Any, matches: Table, theirs: Any, shown: DisplayRules) -> ColumnElement[bool]:
    """Whether a competitor finished a match in the days before the moment. Often the latest match alone decides it."""
    in_days = matches.c.decided_at.between(shown.active_since, shown.at)
    then = exists().where(theirs, in_days).correlate_except(matches)
    return case((last <= shown.at, last >= shown.active_since), else_=then)


def overall_value(
    a: ColumnElement[float],
    a_matches: ColumnElement[int],
    b: ColumnElement[float],
    b_matches: ColumnElement[int],
    rules: OverallRules,
) -> ColumnElement[float]:
    """`rating.overall_rating` of the domain in SQL, equal to the last bit."""
    weight = float(rules.main_weight)
    most = cast(func.greatest(a_matches, b_matches), Numeric)
    balanced = most <= cast(literal(str(rules.balanced_share)), Numeric) * (a_matches + b_matches)
    main, other = (case((a_matches >= b_matches, x), else_=y) for x, y in ((a, b), (b, a)))
    half, more, less = (literal(number, Float(53)) for number in (0.5, weight, 1.0 - weight))
    return case((balanced, half * a + half * b), else_=more * main + less * other)


# ---------------------------------------------------------------- the series


g, s = t.series_games.c, t.standings.c


@dataclass(frozen=True, kw_only=True)
class SeriesBoard(BoardDefinition):
    """The standings of a month and mode; `value` is the total."""

    clause: Clause = SERIES_TERMS["series_points"]
    unit: str = say("points")
    heading: str = say("total")
    monthly: bool = True

    def competitor(self, mode: str) -> Subject:
        """Players in 1v1, pairs in 2v2."""
        return "team" if mode == "2v2" else "player"

    def standings(self, run: int, board: BoardKey, shown: DisplayRules) -> Select[Any]:
        """Adds wins, losses, series_points and total to the columns of every board."""
        if board.as_of is None:
            s = standings_now(run, board.mode, board.month).c
        else:
            s = standings_then(run, board.mode, board.month, shown).c
        return select(
            s.id,
            s.total.label("value"),
            (s.wins + s.losses).label("matches"),
            literal_column("false", Boolean).label("provisional"),
            s.wins,
            s.losses,
            s.series_points,
            s.total,
            (-s.total).label("below"),
        )

    def last_decided_at(self, run: int, board: BoardKey, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """The latest rated match in the mode, of any month."""
        subject = self.competitor(board.mode)
        if board.as_of is not None:
            return last_rated_at(run, subject, board.mode, id_, at)
        r = t.ratings.c
        theirs = (r.run == run, r.subject == subject, r.id == id_, r.mode == board.mode)
        return select(r.last_decided_at).where(*theirs).scalar_subquery()

    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Rated matches of the competitions that count."""
        return mode in RATED_MODES and competition in rules.series.competitions


def standings_now(run: int, mode: str, month: str) -> Subquery:
    """The stored standings of a month and mode: id, wins, losses, series_points, total."""
    columns = (s.id, s.wins, s.losses, s.series_points, s.total)
    return select(*columns).where(s.run == run, s.mode == mode, s.month == month).subquery("standings")


def standings_then(run: int, mode: str, month: str, shown: DisplayRules) -> Subquery:
    """The standings from the games decided by that moment; each pair follows the rules of its latest game then."""
    pairs = _pairs_then(run, mode, month, shown).cte("pairs")
    last, first = _rules("last_rules"), _rules("first_rules")
    joined = pairs.join(last, last.c.hash == pairs.c.last_edition).join(first, first.c.hash == pairs.c.first_edition)
    p = pairs.c
    sides = union_all(
        _side(p.a, p.won, p.lost, p, last, first).select_from(joined),
        _side(p.b, p.lost, p.won, p, last, first).select_from(joined),
    ).subquery("sides")
    d = sides.c
    entered = func.array_agg(aggregate_order_by(d.start, d.entered_at, d.entered_match))
    series_points = func.sum(d.series_points)
    query = select(
        d.id,
        cast(func.sum(d.wins), Integer).label("wins"),
        cast(func.sum(d.losses), Integer).label("losses"),
        cast(series_points, Integer).label("series_points"),
        cast(_first(entered) + series_points + func.sum(d.game_points), Integer).label("total"),
    )
    return query.group_by(d.id).subquery("standings")


def months(conn: Connection, run: int) -> list[str]:
    """The months that have standings, in order."""
    return list(conn.scalars(select(s.month).where(s.run == run).distinct().order_by(s.month)))


def _pairs_then(run: int, mode: str, month: str, shown: DisplayRules) -> Select[Any]:
    """The games won and lost by each pair of competitors, and the editions of its first and its latest game."""
    played = (
        g.run == run,
        g.mode == mode,
        g.month == month,
        or_(g.counts_zero.is_(None), g.counts_zero == BEYOND_LIMIT),
    )
    forward, back = (g.decided_at, g.match_id), (g.decided_at.desc(), g.match_id.desc())
    counts = g.counts_zero.is_(None)
    query = select(
        g.a,
        g.b,
        func.count().filter(counts, g.a_won).label("won"),
        func.count().filter(counts, ~g.a_won).label("lost"),
        _first(func.array_agg(aggregate_order_by(g.edition, *back))).label("last_edition"),
        _first(func.array_agg(aggregate_order_by(g.edition, *forward))).label("first_edition"),
        func.min(g.decided_at).label("entered_at"),
        _first(func.array_agg(aggregate_order_by(g.match_id, *forward))).label("entered_match"),
    )
    return query.where(*played, g.decided_at <= shown.at).group_by(g.a, g.b)


def _rules(name: str) -> FromClause:
    """The rules of the series by edition."""
    e = t.editions.c
    section = cast(func.convert_from(e.document, "UTF8"), JSONB)["series"]
    numbers = ("start", "game_points", "pool", "pool_from_game")
    return select(e.hash, *(cast(section[number].astext, Integer).label(number) for number in numbers)).cte(name)


def _side(id_: Any, wins: Any, losses: Any, pair: Any, last: FromClause, first: FromClause) -> Select[Any]:
    """The points that one competitor has gained from the other: the arithmetic of `league.domain.series` in SQL."""
    rules = last.c
    games, lead = wins + losses, func.greatest(wins - losses, losses - wins, type_=Integer)
    rounded = (2 * rules.pool * lead + 2 * games) // func.nullif(4 * games, 0, type_=Integer)
    points = case(
        ((games == 0) | (games < rules.pool_from_game), literal_column("0")), (wins < losses, -rounded), else_=rounded
    )
    return select(
        id_.label("id"),
        wins.label("wins"),
        losses.label("losses"),
        points.label("series_points"),
        (rules.game_points * (wins - losses)).label("game_points"),
        first.c.start,
        pair.entered_at,
        pair.entered_match,
    )


def _first(aggregated: Any) -> Any:
    return aggregated[1]
