"""Disputes of results."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from league.domain.disputes import Outcome
from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.rows import among_ids, typed
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot

d = t.disputes.c

OLDEST_FIRST = Order((d.opened_at, d.match_id, d.dispute))


class DisputeRow(NamedTuple):
    """A dispute; `outcome` None: it is open."""

    match_id: str
    dispute: int
    """Its number in the match."""
    player_id: str
    reason: str
    opened_at: datetime
    outcome: Outcome | None
    closed_at: datetime | None
    answer: str | None
    """The reason of what settled it."""


def disputes(*, is_open: bool | None) -> Query:
    """The open disputes, the closed ones, or all."""
    query = select(t.disputes)
    if is_open is None:
        return query
    return query.where(d.outcome.is_(None) if is_open else d.outcome.is_not(None))


_OF_MATCHES = select(t.disputes).where(among_ids(d.match_id)).order_by(d.match_id, d.dispute)


@short
def disputes_by_match(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, list[DisputeRow]]:
    """The disputes of matches, in order."""
    found: dict[str, list[DisputeRow]] = {id_: [] for id_ in ids}
    for row in typed(DisputeRow, snapshot.conn.execute(_OF_MATCHES, {"ids": list(ids)})):
        found[row.match_id].append(row)
    return found
