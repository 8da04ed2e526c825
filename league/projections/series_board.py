"""Who stands in the series of a month: now, or at an earlier moment of play. Computed by SQL when it is read."""

from typing import Any

from sqlalchemy import Connection, Integer, Select, Subquery, case, cast, func, literal_column, select, union_all

from league.domain.rules import Series
from league.projections import tables as t
from league.projections.shown import Shown

g, s = t.series_games.c, t.standings.c


def standings_now(run: int, mode: str, month: str) -> Subquery:
    """id, wins, losses, series_points, total."""
    columns = (s.id, s.wins, s.losses, s.series_points, s.total)
    return select(*columns).where(s.run == run, s.mode == mode, s.month == month).subquery("standings")


def standings_then(run: int, mode: str, month: str, shown: Shown) -> Subquery:
    """The same by the games that were decided at that moment, under the rules by which the league is shown then."""
    rules = shown.rulebook.series
    counted = (g.run == run, g.mode == mode, g.month == month, g.counts_zero.is_(None), g.decided_at <= shown.at)
    won, lost = func.count().filter(g.a_won).label("won"), func.count().filter(~g.a_won).label("lost")
    pairs = select(g.a, g.b, won, lost).where(*counted).group_by(g.a, g.b).cte("pairs").c
    sides = union_all(
        _side(pairs.a, pairs.won, pairs.lost, rules),
        _side(pairs.b, pairs.lost, pairs.won, rules),
    ).subquery("sides")
    d = sides.c
    series_points = func.sum(d.series_points)
    query = select(
        d.id,
        cast(func.sum(d.wins), Integer).label("wins"),
        cast(func.sum(d.losses), Integer).label("losses"),
        cast(series_points, Integer).label("series_points"),
        cast(rules.start + series_points + func.sum(d.game_points), Integer).label("total"),
    )
    return query.group_by(d.id).subquery("standings")


def months(conn: Connection, run: int) -> list[str]:
    """The months with standings, in order."""
    return list(conn.scalars(select(s.month).where(s.run == run).distinct().order_by(s.month)))


def _side(id_: Any, wins: Any, losses: Any, rules: Series) -> Select[Any]:
    """What one of two holds of the other: the arithmetic of `league.domain.series` in SQL."""
    games, lead = wins + losses, func.greatest(wins - losses, losses - wins, type_=Integer)
    rounded = (2 * rules.pool * lead + 2 * games) // (4 * games)
    points = case((games < rules.pool_from_game, literal_column("0")), (wins < losses, -rounded), else_=rounded)
    return select(
        id_.label("id"),
        wins.label("wins"),
        losses.label("losses"),
        points.label("series_points"),
        (rules.game_points * (wins - losses)).label("game_points"),
    )
