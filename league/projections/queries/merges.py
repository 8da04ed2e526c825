"""Which players were merged: merges in force, the ids of a player that were dropped, and who could be merged next."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func, or_, select

from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.players import is_kept
from league.projections.queries.rows import among_ids
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot

a = t.player_aliases.c

BY_DROPPED = Order((a.player_id,))


class MergeRow(NamedTuple):
    """A merge in force."""

    player_id: str
    """The dropped id."""
    merged_into: str
    """The kept id, which may have been dropped by another merge."""
    canonical_id: str
    """The id as which both are read."""
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
    """Who was registered first of all who are called so."""


def name_twins() -> tuple[Query, Order]:
    """Players whose names are another one's but for characters that nobody sees, each with the first one called so."""
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
    found: dict[str, list[str]] = {player: [] for player in players}
    for canonical_id, dropped in snapshot.conn.execute(_FORMER, {"ids": list(players)}):
        found[canonical_id].append(dropped)
    return found
