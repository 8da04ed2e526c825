"""Which players were merged: each merge in force, and the ids of a player that were dropped."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select

from league.projections import tables as t
from league.projections.queries.pages import Order, Query
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


_FORMER = select(a.canonical_id, a.player_id).where(among_ids(a.canonical_id)).order_by(a.player_id)


@short
def former_ids(snapshot: Snapshot, players: Sequence[str]) -> dict[str, list[str]]:
    """The dropped ids of each of these players."""
    found: dict[str, list[str]] = {player: [] for player in players}
    for canonical_id, dropped in snapshot.conn.execute(_FORMER, {"ids": list(players)}):
        found[canonical_id].append(dropped)
    return found
