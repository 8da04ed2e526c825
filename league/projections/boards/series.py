"""The standings of a month's series, now or at an earlier moment of play, computed by SQL on read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Select,
    Subquery,
    case,
    cast,
    func,
    literal_column,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by

from league.domain.clauses import SERIES_TERMS, Clause
from league.domain.competitor import Subject
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.boards.board import Board, BoardDefinition, last_rated_at
from league.projections.display_rules import Shown
from league.projections.folds.ratings import RATED_MODES
from league.projections.folds.series import BEYOND_LIMIT

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

    def standings(self, run: int, board: Board, shown: Shown) -> Select[Any]:
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

    def last_decided_at(self, run: int, board: Board, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """The latest rated match in the mode, of any month."""
        return last_rated_at(run, self.competitor(board.mode), board.mode, id_, at)

    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Rated matches of the competitions that count."""
        return mode in RATED_MODES and competition in rules.series.competitions


def standings_now(run: int, mode: str, month: str) -> Subquery:
    """id, wins, losses, series_points, total."""
    columns = (s.id, s.wins, s.losses, s.series_points, s.total)
    return select(*columns).where(s.run == run, s.mode == mode, s.month == month).subquery("standings")


def standings_then(run: int, mode: str, month: str, shown: Shown) -> Subquery:
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


def _pairs_then(run: int, mode: str, month: str, shown: Shown) -> Select[Any]:
    """What each pair of competitors had played, and the editions of its first and its latest game."""
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
    """What one competitor has gained from the other: the arithmetic of `league.domain.series` in SQL."""
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
