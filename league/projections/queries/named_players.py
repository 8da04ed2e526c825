"""Players found by what people call them: an id, or a name whatever its case, accents and spaces."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, Select, cast, func, literal, or_, select

from league.domain.player_names import closest_names, pieces_of
from league.projections import tables as t
from league.projections.queries.rows import typed

p, mp = t.players.c, t.match_players.c

COMPARED = 300
"""Names that are compared letter by letter with one that nobody has."""


class NamedPlayer(NamedTuple):
    """A player, with what tells them from another one of the same name."""

    player_id: str
    name: str | None
    """None after the player's erasure."""
    region: str | None
    last_match: datetime | None
    """When the latest match began; None without a match."""


_last_match = select(func.max(mp.began_at)).where(mp.player_id == p.player_id).scalar_subquery()
_NAMED = select(p.player_id, p.name, p.region, _last_match.label("last_match")).order_by(p.player_id)


def players_called(conn: Connection, who: str) -> Sequence[NamedPlayer]:
    """The player with this id, else the players with this name, by id."""
    query = _NAMED.where(or_(p.player_id == who, p.folded_name == func.folded(who)))
    found = list(typed(NamedPlayer, conn.execute(query)))
    return [row for row in found if row.player_id == who] or found


def players_close_to(conn: Connection, name: str, *, most: int = 3) -> Sequence[NamedPlayer]:
    """Players whose names are close to one, the closest first; those with the same name are among them."""
    known = conn.execute(_most_alike(name)).all()
    names = closest_names(name, (row.name for row in known), most)
    close = {row.player_id: names.index(row.name) for row in known if row.name in names}
    rows = typed(NamedPlayer, conn.execute(_NAMED.where(p.player_id.in_(close))))
    return sorted(rows, key=lambda row: close[row.player_id])[:most]


def _most_alike(name: str) -> Select[Any]:
    """The `COMPARED` players whose names have the most pieces of this one, for their length.

    The database looks at every name, which is quick. Only these are worth comparing letter by letter.
    """
    spaced = literal(" ").concat(p.folded_name)
    shared = sum((cast(func.strpos(spaced, piece) > 0, Integer) for piece in pieces_of(name)), literal(0))
    alike = shared.label("shared")
    found = select(p.player_id, p.name, p.folded_name, alike).where(p.name.is_not(None)).subquery()
    share = found.c.shared * 1.0 / (len(pieces_of(name)) + func.length(found.c.folded_name))
    query = select(found.c.player_id, found.c.name).where(found.c.shared > 0)
    return query.order_by(share.desc(), found.c.folded_name, found.c.player_id).limit(COMPARED)


def players_by_name(conn: Connection, region: str | None = None) -> Sequence[NamedPlayer]:
    """All players, or those of a region, by name; erased ones come last."""
    query = _NAMED if region is None else _NAMED.where(p.region == region)
    found = typed(NamedPlayer, conn.execute(query.order_by(None).order_by(p.folded_name.nulls_last(), p.player_id)))
    return list(found)
