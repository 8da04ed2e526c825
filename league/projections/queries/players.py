"""Players, teams and their ratings."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import ColumnElement, and_, cast, func, or_, select

from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.boards.board import is_of_region
from league.projections.folds.ratings import RatingRow
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import among_ids
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot

p, r, a, h = t.players.c, t.ratings.c, t.player_aliases.c, t.achievements.c


class PlayerFilter(Struct, frozen=True):
    """Conditions on players; None: any."""

    name_contains: str | None = None
    name_starts_with: str | None = None
    region: str | None = None


class PlayerRow(NamedTuple):
    """A registered player."""

    player_id: str
    name: str | None
    """None after the player's erasure."""
    region: str | None
    registered_at: datetime


class TeamRow(NamedTuple):
    """A fixed pair with a rated match."""

    id: str
    matches: int
    """Rated ones."""


BY_ID = Order((p.player_id,))
_asked = t.players.alias("asked")
_BY_ID = (
    # A player who is kept, and each id that is read as theirs.
    select(_asked.c.player_id.label("asked"), p.player_id, p.name, p.region, p.registered_at)
    .select_from(_asked)
    .outerjoin(t.player_aliases, a.player_id == _asked.c.player_id)
    .join(t.players, p.player_id == func.coalesce(a.canonical_id, _asked.c.player_id))
    .where(among_ids(_asked.c.player_id))
)
TEAMS_BY_ID = Order((r.id,))


def is_kept(player: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether an id is not read as another one."""
    return player.not_in(select(a.player_id))


def players(wanted: PlayerFilter) -> Query:
    """The players that pass a filter; names are compared without accents and case."""
    query = select(t.players).where(is_kept(p.player_id))
    if wanted.name_contains is not None:
        query = query.where(func.strpos(p.folded_name, func.folded(wanted.name_contains)) > 0)
    if wanted.name_starts_with is not None:
        query = query.where(func.starts_with(p.folded_name, func.folded(wanted.name_starts_with)))
    if wanted.region is not None:
        query = query.where(p.region == wanted.region)
    return query


@short
def players_by_id(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, PlayerRow]:
    """By id, the players who have these ids; of a merged id the player as whom it is read."""
    rows = snapshot.conn.execute(_BY_ID, {"ids": list(ids)})
    return {asked: PlayerRow(*row) for asked, *row in rows}


Ordered = tuple[Query, Order]
"""Players, and their order."""

# As they are shown and compared: an erased player has a pseudonym. Bytes, whatever the server's locale.
_SHOWN = func.coalesce(
    p.folded_name, "player " + func.left(func.encode(func.sha256(func.convert_to(p.player_id, "UTF8")), "hex"), 8)
)
_NAME = cast(_SHOWN, t.Id).collate("C").label("shown_name")
_PLAYED = func.coalesce(h.matches, 0).label("played")


def by_name(_run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """The players that pass a filter, by their names without accents and case."""
    return players(wanted).add_columns(_NAME), Order((_NAME, p.player_id), descending)


def by_registration(_run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """By when they were registered."""
    return players(wanted), Order((p.registered_at, p.player_id), descending)


def by_matches(run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """By how many decided matches they have played."""
    theirs = and_(h.run == run, h.player_id == p.player_id)
    query = players(wanted).outerjoin(t.achievements, theirs).add_columns(_PLAYED)
    return query, Order((_PLAYED, p.player_id), descending)


def by_rating(run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """By their overall rating; only those who have one."""
    theirs = and_(r.run == run, r.subject == "player", r.mode == "overall", r.id == p.player_id)
    query = players(wanted).join(t.ratings, theirs).add_columns(r.rating)
    return query, Order((r.rating, p.player_id), descending)


class TeamFilter(Struct, frozen=True):
    """Conditions on fixed pairs; None: any."""

    name_contains: str | None = None
    """A part of the name of either partner."""
    region: str | None = None
    """The region of both partners."""
    player: str | None = None
    """One of the partners."""


def teams(run: int, wanted: TeamFilter | None = None) -> Query:
    """The fixed pairs with a rated match that pass a filter; names are compared without accents and case."""
    query = select(t.ratings).where(r.run == run, r.subject == "team", r.mode == "2v2")
    if wanted is None:
        return query
    partners = competitor_columns.partners_of(r.id)
    if wanted.name_contains is not None:
        named = select(p.player_id).where(func.strpos(p.folded_name, func.folded(wanted.name_contains)) > 0)
        query = query.where(or_(*(partner.in_(named) for partner in partners)))
    if wanted.region is not None:
        query = query.where(is_of_region("team", r.id, wanted.region))
    if wanted.player is not None:
        query = query.where(competitor_columns.includes(r.id, wanted.player))
    return query


def teams_of(run: int, player: ColumnElement[str]) -> Query:
    """The pairs that include a player."""
    return teams(run).where(or_(*(partner == player for partner in competitor_columns.partners_of(r.id))))


def ratings_by_id(snapshot: Snapshot, subject: str, ids: Sequence[str]) -> dict[str, list[RatingRow]]:
    """The ratings of players (`player`) or pairs (`team`), one per mode played."""
    columns = (r[name] for name in RatingRow.__struct_fields__)
    query = select(*columns).where(r.run == snapshot.run, r.subject == subject, r.id.in_(ids)).order_by(r.id, r.mode)
    found: dict[str, list[RatingRow]] = {id_: [] for id_ in ids}
    for row in snapshot.conn.execute(query):
        found[row.id].append(RatingRow(*row))
    return found


@short
def regions(snapshot: Snapshot) -> list[str]:
    """The regions of the players, ordered as bytes."""
    query = select(p.region).where(p.region.is_not(None), is_kept(p.player_id)).distinct().order_by(p.region)
    return [region for region in snapshot.conn.scalars(query) if region is not None]
