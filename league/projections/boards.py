"""Leaderboards: who stands where, computed by SQL when it is read."""

from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, Float, Select, Subquery, and_, case, cast, func, select

from league.domain.rules import Rulebook
from league.projections import tables as t

RatingBoard = Literal["global", "1v1", "2v2", "teams"]
RATING_BOARDS: dict[RatingBoard, tuple[str, str]] = {
    "global": ("player", "overall"),
    "1v1": ("player", "1v1"),
    "2v2": ("player", "2v2"),
    "teams": ("team", "2v2"),
}
"""Of each board, the subject and the mode of its ratings."""


AchievementBoard = Literal["capicuas", "capicuas_per_hand", "pollonas", "viajeras"]
ACHIEVEMENT_BOARDS: tuple[AchievementBoard, ...] = ("capicuas", "capicuas_per_hand", "pollonas", "viajeras")


def shown_edition(conn: Connection, run: int) -> Rulebook | None:
    """The edition of the latest decided match: it says how ratings and boards are shown. None without a match."""
    query = (
        select(t.editions.c.document)
        .join(t.matches, t.matches.c.edition == t.editions.c.hash)
        .where(t.matches.c.run == run, t.matches.c.decided.is_not(None))
        .order_by(t.matches.c.decided_at.desc(), t.matches.c.match_id.desc())
        .limit(1)
    )
    document = conn.execute(query).scalar()
    return None if document is None else msgspec.json.decode(document, type=Rulebook)


def active_since(conn: Connection, run: int) -> datetime | None:
    """Who finished a match then or later is active; None without a match."""
    latest: datetime | None = conn.execute(select(t.runs.c.latest_decided_at).where(t.runs.c.run == run)).scalar()
    rulebook = shown_edition(conn, run)
    if latest is None or rulebook is None:
        return None
    return latest - timedelta(days=rulebook.boards.active_days)


def rating_board(run: int, board: RatingBoard, region: str | None, since: datetime | None) -> Subquery:
    """The places of a rating board: id, value, provisional, matches, rank (null where provisional).

    Established players come first, with ranks that equal values share; `since` leaves out who has not played
    since then, None shows everybody.
    """
    subject, mode = RATING_BOARDS[board]
    r = t.ratings.c
    query: Select[Any] = select(
        r.id,
        r.rating.label("value"),
        r.provisional,
        r.matches,
        r.last_decided_at,
        case(
            (~r.provisional, func.rank().over(partition_by=r.provisional, order_by=r.rating.desc())), else_=None
        ).label("rank"),
    ).where(r.run == run, r.subject == subject, r.mode == mode)
    if since is not None:
        query = query.where(r.last_decided_at >= since)
    if region is not None:
        query = query.where(_of_region(subject, region))
    return query.subquery("board")


def achievement_board(run: int, board: AchievementBoard, region: str | None, per_hand_from: int) -> Subquery:
    """The places of an achievement board: id, value, rank. Who has achieved nothing does not stand on it.

    `per_hand_from`: hands to have won, to stand on `capicuas_per_hand`.
    """
    a = t.achievements.c
    value = cast(a.capicuas, Float(53)) / func.nullif(a.hands_won, 0) if board == "capicuas_per_hand" else a[board]
    rank = func.rank().over(order_by=value.desc())
    query: Select[Any] = select(a.player_id.label("id"), value.label("value"), rank.label("rank")).where(a.run == run)
    query = query.where(value > 0)
    if board == "capicuas_per_hand":
        query = query.where(a.hands_won >= per_hand_from)
    if region is not None:
        query = query.where(a.player_id.in_(_players_of(region)))
    return query.subquery("board")


def regions(conn: Connection) -> list[str]:
    """The regions that players are of, as bytes in order."""
    return list(
        conn.scalars(select(t.players.c.region).where(t.players.c.region.is_not(None)).distinct().order_by("region"))
    )


def _of_region(subject: str, region: str) -> Any:
    if subject == "player":
        return t.ratings.c.id.in_(_players_of(region))
    partners = [func.split_part(t.ratings.c.id, "+", part) for part in (1, 2)]
    return and_(*(partner.in_(_players_of(region)) for partner in partners))


def _players_of(region: str) -> Select[Any]:
    return select(t.players.c.player_id).where(t.players.c.region == region)
