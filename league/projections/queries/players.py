"""Players, teams and their ratings; players found by name; merged players; and members."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    DateTime,
    Integer,
    Select,
    and_,
    cast,
    column,
    func,
    literal,
    or_,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.members import Standing
from league.domain.player import displayed
from league.domain.player_names import closest_names, pieces_of
from league.domain.seating import CompetitorId, players_of
from league.projections import tables as t
from league.projections.boards.board import is_of_region
from league.projections.folds.league_fold import RatingRow
from league.projections.queries.pages import Order, Query, among_ids, grouped, typed
from league.projections.queries.snapshot import Snapshot, short

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
    """Rated matches."""


BY_ID = Order((p.player_id,))
_asked = t.players.alias("asked")
_BY_ID = (
    # Each registered id, with the player under whose id it is read.
    select(_asked.c.player_id.label("asked"), p.player_id, p.name, p.region, p.registered_at)
    .select_from(_asked)
    .outerjoin(t.player_aliases, a.player_id == _asked.c.player_id)
    .join(t.players, p.player_id == func.coalesce(a.canonical_id, _asked.c.player_id))
    .where(among_ids(_asked.c.player_id))
)
TEAMS_BY_ID = Order((r.id,))


def is_kept(player: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a player is not merged into another."""
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
    """Players by id. A merged id maps to the player it was merged into."""
    rows = snapshot.conn.execute(_BY_ID, {"ids": list(ids)})
    return {asked: PlayerRow(*row) for asked, *row in rows}


def names_of(conn: Connection, ids: Iterable[str], new: Mapping[str, str] | None = None) -> dict[str, str]:
    """The names of competitors by id; for a pair both players' names. An erased player has a pseudonym.

    `new`: the names of players who are not registered yet.
    """
    ids = set(ids)
    players = {player for id_ in ids for player in players_of(CompetitorId(id_))}
    p = t.players.c
    rows = conn.execute(select(p.player_id, p.name).where(p.player_id.in_(players)))
    names = {**(new or {}), **{row.player_id: displayed(row.player_id, row.name) for row in rows}}
    return {id_: " & ".join(names.get(player, player) for player in players_of(CompetitorId(id_))) for id_ in ids}


Ordered = tuple[Query, Order]
"""A query of players, and its order."""

# Names as they are shown and compared; an erased player has a pseudonym. Compared as bytes in any locale of the server.
_SHOWN = func.coalesce(
    p.folded_name, "player " + func.left(func.encode(func.sha256(func.convert_to(p.player_id, "UTF8")), "hex"), 8)
)
_NAME = cast(_SHOWN, t.Id).collate("C").label("shown_name")
_PLAYED = func.coalesce(h.matches, 0).label("played")


def by_name(_run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """The players that pass a filter, by their names without accents and case."""
    return players(wanted).add_columns(_NAME), Order((_NAME, p.player_id), descending)


def by_registration(_run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """The players that pass a filter, by the time at which they were registered."""
    return players(wanted), Order((p.registered_at, p.player_id), descending)


def by_matches(run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """The players that pass a filter, by their number of decided matches."""
    theirs = and_(h.run == run, h.player_id == p.player_id)
    query = players(wanted).outerjoin(t.achievements, theirs).add_columns(_PLAYED)
    return query, Order((_PLAYED, p.player_id), descending)


def by_rating(run: int, wanted: PlayerFilter, *, descending: bool) -> Ordered:
    """The players that pass a filter and have an overall rating, by that rating."""
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
    partners = t.partners_of(r.id)
    if wanted.name_contains is not None:
        named = select(p.player_id).where(func.strpos(p.folded_name, func.folded(wanted.name_contains)) > 0)
        query = query.where(or_(*(partner.in_(named) for partner in partners)))
    if wanted.region is not None:
        query = query.where(is_of_region("team", r.id, wanted.region))
    if wanted.player is not None:
        query = query.where(t.includes(r.id, wanted.player))
    return query


def teams_of(run: int, player: ColumnElement[str]) -> Query:
    """The pairs that include a player."""
    return teams(run).where(or_(*(partner == player for partner in t.partners_of(r.id))))


def ratings_by_id(snapshot: Snapshot, subject: str, ids: Sequence[str]) -> dict[str, list[RatingRow]]:
    """The ratings of players (`player`) or pairs (`team`), one per mode played."""
    columns = (r[name] for name in RatingRow.__struct_fields__)
    query = select(*columns).where(r.run == snapshot.run, r.subject == subject, r.id.in_(ids)).order_by(r.id, r.mode)
    return grouped(ids, ((row.id, RatingRow(*row)) for row in snapshot.conn.execute(query)))


@short
def regions(snapshot: Snapshot) -> list[str]:
    """The regions of the players, ordered as bytes."""
    query = select(p.region).where(p.region.is_not(None), is_kept(p.player_id)).distinct().order_by(p.region)
    return [region for region in snapshot.conn.scalars(query) if region is not None]


# ---------------------------------------------------------------- players by what people call them


mp = t.match_players.c

COMPARED = 300
"""The most names that are compared letter by letter with a name that no player has."""


class NamedPlayer(NamedTuple):
    """A player, with what distinguishes them from others of the same name."""

    player_id: str
    name: str | None
    """None after the player's erasure."""
    region: str | None
    last_match: datetime | None
    """When the latest match began; None without a match."""


_last_match = select(func.max(mp.began_at)).where(mp.player_id == p.player_id).correlate(t.players).scalar_subquery()
_NAMED = select(p.player_id, p.name, p.region, _last_match.label("last_match")).order_by(p.player_id)
_others = t.players.alias("others")
other = _others.c
_read_as = func.coalesce(a.canonical_id, other.player_id)
_READ_AS = (
    select(_read_as.label("player_id")).select_from(_others).outerjoin(t.player_aliases, a.player_id == other.player_id)
)


_IN_USE = (
    _READ_AS.add_columns(other.name, other.folded_name.label("key"))
    .where(other.name.is_not(None))
    .order_by(other.player_id)
)


def players_called(conn: Connection, who: str) -> Sequence[NamedPlayer]:
    """The player with this id, or else the players with this name, ordered by id. Merged ids are resolved."""
    by_id, by_name = other.player_id == who, other.folded_name == func.folded(who)
    return _read_where(conn, by_id) or _read_where(conn, by_name)


def _read_where(conn: Connection, is_it: ColumnElement[bool]) -> Sequence[NamedPlayer]:
    """The players that match a condition. Merged ids are resolved."""
    return list(typed(NamedPlayer, conn.execute(_NAMED.where(p.player_id.in_(_READ_AS.where(is_it))))))


def players_close_to(conn: Connection, name: str, *, most: int = 3) -> Sequence[NamedPlayer]:
    """Players whose names are close to a name, the closest first. Players with the same name are included.

    A merged id counts as the player it was merged into.
    """
    known = conn.execute(_most_alike(name)).all()
    names = closest_names(name, (row.name for row in known), most)
    fitting = sorted(((names.index(row.name), row.player_id) for row in known if row.name in names), reverse=True)
    close = {player: place for place, player in fitting}
    rows = typed(NamedPlayer, conn.execute(_NAMED.where(p.player_id.in_(close))))
    return sorted(rows, key=lambda row: close[row.player_id])[:most]


class NameInUse(NamedTuple):
    """A name of a player. A merged id counts as the player it was merged into."""

    player_id: str
    name: str
    key: str
    """As `name_key` makes it."""


def names_in_use(snapshot: Snapshot) -> list[NameInUse]:
    """The names of all players."""
    return list(typed(NameInUse, snapshot.conn.execute(_IN_USE)))


def _most_alike(name: str) -> Select[Any]:
    """The `COMPARED` players whose names share the most pieces with this name, relative to their length.

    The database looks at every name, which is quick. Only the names found are compared letter by letter.
    """
    spaced = literal(" ").concat(other.folded_name)
    shared = sum((cast(func.strpos(spaced, piece) > 0, Integer) for piece in pieces_of(name)), literal(0))
    alike = shared.label("shared")
    found = _READ_AS.add_columns(other.name, other.folded_name, alike).where(other.name.is_not(None)).subquery()
    share = found.c.shared * 1.0 / (len(pieces_of(name)) + func.length(found.c.folded_name))
    query = select(found.c.player_id, found.c.name).where(found.c.shared > 0)
    return query.order_by(share.desc(), found.c.folded_name, found.c.player_id).limit(COMPARED)


# ---------------------------------------------------------------- merges


BY_DROPPED = Order((a.player_id,))


class MergeRow(NamedTuple):
    """A merge in force."""

    player_id: str
    """The dropped id."""
    merged_into: str
    """The kept id, which may have been dropped by another merge."""
    canonical_id: str
    """The id under which both are read."""
    dropped_name: str | None
    """The name under which the dropped id was registered; None after an erasure."""
    kept_name: str | None


def all_merges() -> Query:
    """All merges in force."""
    dropped, kept = t.players.alias("dropped"), t.players.alias("kept")
    both = t.player_aliases.outerjoin(dropped, dropped.c.player_id == a.player_id)
    both = both.outerjoin(kept, kept.c.player_id == a.merged_into)
    names = (dropped.c.name.label("dropped_name"), kept.c.name.label("kept_name"))
    return select(a.player_id, a.merged_into, a.canonical_id, *names).select_from(both)


class TwinsRow(NamedTuple):
    """Two players whose names look the same."""

    player_id: str
    first_id: str
    """The player of this name who was registered first."""


def name_twins() -> tuple[Query, Order]:
    """Players whose names differ from another's only in invisible characters, with the first player of that name."""
    p = t.players.c
    called = func.first_value(p.player_id).over(partition_by=p.folded_name, order_by=(p.registered_at, p.player_id))
    known = select(p.player_id, p.name, p.folded_name, called.label("first_id"))
    twins = known.where(p.name.is_not(None), is_kept(p.player_id)).subquery()
    first = t.players.alias("first")
    unseen = or_(*(name != func.seen(name) for name in (twins.c.name, first.c.name)))
    both = twins.join(first, first.c.player_id == twins.c.first_id)
    query = select(twins.c.player_id, twins.c.first_id).select_from(both)
    return query.where(twins.c.player_id != twins.c.first_id, unseen), Order((twins.c.player_id,))


_FORMER = select(a.canonical_id, a.player_id).where(among_ids(a.canonical_id)).order_by(a.player_id)


@short
def former_ids(snapshot: Snapshot, players: Sequence[str]) -> dict[str, list[str]]:
    """The dropped ids of each of these players."""
    rows = snapshot.conn.execute(_FORMER, {"ids": list(players)})
    return grouped(players, ((kept, dropped) for kept, dropped in rows))


# ---------------------------------------------------------------- members


MEMBER_COLUMNS = (
    column("member_id", t.Id),
    column("subject", t.Id),
    column("name", t.Text),
    column("player_id", t.Id),
    column("roles", ARRAY(t.Text)),
    column("standing", t.Text),
    column("since", DateTime(timezone=True)),
)
members = table("members", *MEMBER_COLUMNS)
m = members.c

MEMBERS_OLDEST_FIRST = Order((m.since, m.member_id))


class MemberRow(NamedTuple):
    """A member, or somebody who asked to be one."""

    member_id: str
    subject: str
    name: str | None
    """What the identity provider calls them."""
    player_id: str | None
    roles: list[str]
    standing: Standing
    since: datetime
    """When they were added, or asked."""


def all_members(standing: Standing | None) -> Query:
    """All members, or only those of one standing."""
    query = select(members)
    return query if standing is None else query.where(m.standing == standing)


def member_with(snapshot: Snapshot, member: str) -> MemberRow | None:
    """The member with an id; None when there is none."""
    return next(typed(MemberRow, snapshot.conn.execute(all_members(None).where(m.member_id == member))), None)
