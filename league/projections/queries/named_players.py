"""Players found by what people call them: an id, or a name whatever its case, accents and spaces."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Integer, Select, cast, func, literal, select

from league.domain.player_names import closest_names, pieces_of
from league.projections import tables as t
from league.projections.queries.rows import typed

p, mp = t.players.c, t.match_players.c

COMPARED = 300
"""Names that are compared letter by letter with a name that no player has."""


class NamedPlayer(NamedTuple):
    """A player, with what distinguishes them from another one of the same name."""

    player_id: str
    name: str | None
    """None after the player's erasure."""
    region: str | None
    last_match: datetime | None
    """When the latest match began; None without a match."""


_last_match = select(func.max(mp.began_at)).where(mp.player_id == p.player_id).correlate(t.players).scalar_subquery()
_NAMED = select(p.player_id, p.name, p.region, _last_match.label("last_match")).order_by(p.player_id)
_others = t.players.alias("others")
other, a = _others.c, t.player_aliases.c
_read_as = func.coalesce(a.canonical_id, other.player_id)
_READ_AS = (
    select(_read_as.label("player_id")).select_from(_others).outerjoin(t.player_aliases, a.player_id == other.player_id)
)


def players_called(conn: Connection, who: str) -> Sequence[NamedPlayer]:
    """The player with this id, else the players with this name, by id; merged ids resolved."""
    by_id, by_name = other.player_id == who, other.folded_name == func.folded(who)
    return _read_where(conn, by_id) or _read_where(conn, by_name)


def _read_where(conn: Connection, is_it: ColumnElement[bool]) -> Sequence[NamedPlayer]:
    """The matching players, merged ids resolved."""
    return list(typed(NamedPlayer, conn.execute(_NAMED.where(p.player_id.in_(_READ_AS.where(is_it))))))


def players_close_to(conn: Connection, name: str, *, most: int = 3) -> Sequence[NamedPlayer]:
    """Players whose names are close to one, the closest first; those with the same name are among them.

    A merged id counts as the player as whom it is read.
    """
    known = conn.execute(_most_alike(name)).all()
    names = closest_names(name, (row.name for row in known), most)
    fitting = sorted(((names.index(row.name), row.player_id) for row in known if row.name in names), reverse=True)
    close = {player: place for place, player in fitting}
    rows = typed(NamedPlayer, conn.execute(_NAMED.where(p.player_id.in_(close))))
    return sorted(rows, key=lambda row: close[row.player_id])[:most]


def _most_alike(name: str) -> Select[Any]:
    """The `COMPARED` players whose names have the most pieces of this one, for their length.

    The database looks at every name, which is quick. Only these are worth comparing letter by letter.
    """
    spaced = literal(" ").concat(other.folded_name)
    shared = sum((cast(func.strpos(spaced, piece) > 0, Integer) for piece in pieces_of(name)), literal(0))
    alike = shared.label("shared")
    found = _READ_AS.add_columns(other.name, other.folded_name, alike).where(other.name.is_not(None)).subquery()
    share = found.c.shared * 1.0 / (len(pieces_of(name)) + func.length(found.c.folded_name))
    query = select(found.c.player_id, found.c.name).where(found.c.shared > 0)
    return query.order_by(share.desc(), found.c.folded_name, found.c.player_id).limit(COMPARED)
