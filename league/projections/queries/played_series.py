"""What a competitor has played in the series of a month: every game, including those that count zero, and the pairs."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import case, or_, select

from league.domain.competitor import CompetitorId
from league.projections import tables as t
from league.projections.queries.pages import Query
from league.projections.queries.rows import typed
from league.projections.queries.series import Month
from league.projections.queries.snapshot import Snapshot

g, p, m = t.series_games.c, t.series_pairs.c, t.matches.c


class OpponentRow(NamedTuple):
    """What a competitor holds of another one in a month."""

    other: CompetitorId
    wins: int
    losses: int
    series_points: int
    game_points: int
    start: int
    locked: bool


class GameRow(NamedTuple):
    """A game against another competitor."""

    other: CompetitorId
    won: bool
    match_id: str
    decided_at: datetime
    counts_zero: str | None
    """Why; None: it counts."""
    edition: str
    """The hash of the edition."""
    position: int
    """Of the event that decided the match."""


class PlayedSeries(Struct, frozen=True):
    """A competitor's games in a month in the order decided, and their account with each other competitor."""

    pairs: Sequence[OpponentRow]
    games: Sequence[GameRow]

    def games_by_opponent(self) -> dict[CompetitorId, list[GameRow]]:
        """The games against each other competitor."""
        found: dict[CompetitorId, list[GameRow]] = {}
        for game in self.games:
            found.setdefault(game.other, []).append(game)
        return found


def played_series(snapshot: Snapshot, month: Month, id_: str) -> PlayedSeries:
    """Everything that a competitor's standing is computed from; empty if they have not played."""
    games = _games(snapshot, month, id_)
    return PlayedSeries(_pairs(snapshot, month, id_) if games else (), games)


def _pairs(snapshot: Snapshot, month: Month, id_: str) -> Sequence[OpponentRow]:
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
    return list(typed(OpponentRow, rows))


def _games(snapshot: Snapshot, month: Month, id_: str) -> Sequence[GameRow]:
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
