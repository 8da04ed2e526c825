"""Leaderboards: who stands on them, in which order, with which value; computed by SQL when it is read.

Every board is a relation of `id`, `value`, `matches`, `provisional` and `below`. Its order is (provisional, below, id).
"""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Select,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal_column,
    select,
)

from league.domain.rules import Rulebook
from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.boards.past import achievements_then, ratings_then
from league.projections.boards.series import standings_now, standings_then
from league.projections.display_rules import Shown, shown_now

RatingBoard = Literal["global", "1v1", "2v2", "teams"]
AchievementBoard = Literal["capicuas", "capicuas_per_hand", "pollonas", "viajeras"]
BoardKind = RatingBoard | AchievementBoard | Literal["series"]

RATING_BOARDS: dict[BoardKind, tuple[str, str]] = {
    "global": ("player", "overall"),
    "1v1": ("player", "1v1"),
    "2v2": ("player", "2v2"),
    "teams": ("team", "2v2"),
}
"""Of each board, the subject and the mode of its ratings."""

ACHIEVEMENT_BOARDS: tuple[AchievementBoard, ...] = ("capicuas", "capicuas_per_hand", "pollonas", "viajeras")


class Board(Struct, frozen=True):
    """Which board is meant."""

    kind: BoardKind
    region: str | None = None
    """Only those of this region; None: everybody."""
    include_inactive: bool = False
    """Of rating boards: show also who has not finished a match for long."""
    as_of: datetime | None = None
    """As it stood at this moment of play; None: as it stands now."""
    month: str = ""
    """Of the series: which month, such as `2026-03` ..."""
    mode: str = ""
    """... and in which mode."""


def standings(run: int, board: Board, shown: Shown) -> FromClause:
    """Who stands on a board; `shown` is that of now, or that of `as_of`.

    A board of now can be read in its order by an index. One of a moment is computed whole, once a statement.
    """
    read = _ratings if board.kind in RATING_BOARDS else _series if board.kind == "series" else _achievements
    query = read(run, board, shown)
    return query.subquery("board") if board.as_of is None else query.cte("board")


def ranked(run: int, board: Board, shown: Shown) -> Subquery:
    """A whole board with its ranks: from 1, shared by equal values (1, 2, 2, 4), null while provisional."""
    everybody = standings(run, board, shown)
    rank = func.rank().over(partition_by=everybody.c.provisional, order_by=everybody.c.below)
    return select(everybody, case((~everybody.c.provisional, rank), else_=None).label("rank")).subquery("ranked")


def shown_edition(conn: Connection, run: int) -> Rulebook | None:
    """The edition of the latest decided match: it says how ratings and boards are shown. None without a match."""
    shown = shown_now(conn, run)
    return None if shown is None else shown.rulebook


def subject_of(board: Board) -> tuple[str, str]:
    """Who stands on a board, `player` or `team`, and in which mode they play for it."""
    if board.kind == "series":
        return ("team" if board.mode == "2v2" else "player", board.mode)
    return RATING_BOARDS.get(board.kind, ("player", "overall"))


def last_decided_at(run: int, board: Board, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
    """When the latest match was decided that keeps somebody on a board; `at`: the moment that the board shows."""
    subject, mode = subject_of(board)
    if mode == "overall":
        x = t.appearances.c
        return (
            select(func.max(x.decided_at)).where(x.run == run, x.player_id == id_, x.decided_at <= at).scalar_subquery()
        )
    c = t.changes.c
    theirs = (c.run == run, c.subject == subject, c.id == id_, c.mode == mode, c.decided_at <= at)
    return select(func.max(c.decided_at)).where(*theirs).scalar_subquery()


def _ratings(run: int, board: Board, shown: Shown) -> Select[Any]:
    subject, mode = RATING_BOARDS[board.kind]
    r: Any
    if board.as_of is None:
        r = t.ratings.c
        query = select(r.id, r.rating.label("value"), r.matches, r.provisional, r.last_decided_at)
        query = query.where(r.run == run, r.subject == subject, r.mode == mode)
        value, active = r.rating, r.last_decided_at >= shown.active_since
    else:
        r = ratings_then(run, subject, mode, shown).c
        query, value, active = select(r.id, r.value, r.matches, r.provisional), r.value, r.active
    # Provisional ones go by id only. The index of the board has this very expression.
    below = case((r.provisional, literal_column("0", Float(53))), else_=-value)
    query = query.add_columns(below.label("below"))
    if not board.include_inactive:
        query = query.where(active)
    return query if board.region is None else query.where(_is_of(subject, r.id, board.region))


def _achievements(run: int, board: Board, shown: Shown) -> Select[Any]:
    """Who has achieved nothing does not stand there."""
    a: Any = t.achievements.c if board.as_of is None else achievements_then(run, shown.at).c
    value: ColumnElement[Any]
    if board.kind == "capicuas_per_hand":
        value = cast(a.capicuas, Float(53)) / cast(func.nullif(a.hands_won, literal_column("0")), Float(53))
        stands = and_(a.capicuas > 0, a.hands_won >= shown.rulebook.boards.capicuas_per_hand_from)
    else:
        value = a[board.kind]
        stands = value > literal_column("0")
    query = select(
        a.player_id.label("id"),
        value.label("value"),
        a.matches,
        literal_column("false").label("provisional"),
        (-value).label("below"),
    )
    query = query.where(a.run == run, stands)
    return query if board.region is None else query.where(_is_of("player", a.player_id, board.region))


def _series(run: int, board: Board, shown: Shown) -> Select[Any]:
    """The standings of a month; `value` is the total."""
    if board.as_of is None:
        s = standings_now(run, board.mode, board.month).c
    else:
        s = standings_then(run, board.mode, board.month, shown).c
    query = select(
        s.id,
        s.total.label("value"),
        (s.wins + s.losses).label("matches"),
        literal_column("false").label("provisional"),
        s.wins,
        s.losses,
        s.series_points,
        s.total,
        (-s.total).label("below"),
    )
    return query if board.region is None else query.where(_is_of(subject_of(board)[0], s.id, board.region))


def _is_of(subject: str, id_: ColumnElement[str], region: str) -> ColumnElement[bool]:
    """A pair is of a region with both partners."""
    p = t.players.c
    players = select(p.player_id).where(p.region == region)
    if subject == "player":
        return id_.in_(players)
    return and_(*(partner.in_(players) for partner in competitor_columns.partners_of(id_)))
