"""What a competitor has played in the series of a month: every game, including those that count zero, and the pairs."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Row, case, or_, select

from league.projections import tables as t
from league.projections.queries.pages import Query
from league.projections.queries.series import Month
from league.projections.queries.snapshot import Snapshot

g, p, m = t.series_games.c, t.series_pairs.c, t.matches.c


class PlayedSeries(Struct, frozen=True):
    """A competitor's games in a month in the order decided, and their account with each other competitor."""

    pairs: Sequence[Row[Any]]
    games: Sequence[Row[Any]]

    def games_by_opponent(self) -> dict[str, list[Row[Any]]]:
        """The games against each other competitor."""
        found: dict[str, list[Row[Any]]] = {}
        for game in self.games:
            found.setdefault(game.other, []).append(game)
        return found


def played_series(snapshot: Snapshot, month: Month, id_: str) -> PlayedSeries:
    """Everything that a competitor's standing is computed from; empty if they have not played."""
    games = _games(snapshot, month, id_)
    return PlayedSeries(_pairs(snapshot, month, id_) if games else (), games)


def _pairs(snapshot: Snapshot, month: Month, id_: str) -> Sequence[Row[Any]]:
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
    return snapshot.conn.execute(query.order_by(p.entered_at, p.entered_match)).all()


def _games(snapshot: Snapshot, month: Month, id_: str) -> Sequence[Row[Any]]:
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
    return snapshot.conn.execute(query.order_by(g.decided_at, g.match_id)).all()
