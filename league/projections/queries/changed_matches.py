"""Which matches the log has changed after a position, page by page."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import text

from league.projections.queries.matches import MatchFilter, m, matches
from league.projections.queries.snapshot import Snapshot

PAGE = 1_000
"""Positions of the log that are looked through at once."""
MOST_BEHIND = 100_000
"""Events after which reading everything again is cheaper than following."""

_HEAD = text("SELECT coalesce(max(position), 0) FROM stored_events")
_CHANGED = text(
    "SELECT originator_id, max(position) AS position FROM stored_events"
    " WHERE position > :after AND position <= :until"
    " AND (starts_with(originator_id, 'match:') OR topic LIKE 'edition-adopted/%')"
    " GROUP BY originator_id ORDER BY max(position)"
)


class Reached(NamedTuple):
    """How far the read side and the log have come."""

    run: int
    position: int
    """Of the read side."""
    head: int
    """Of the log."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> "Reached":
        """What a snapshot shows."""
        return cls(snapshot.run, snapshot.position, snapshot.conn.execute(_HEAD).scalar_one())


class Changed(Struct, frozen=True):
    """The matches that events up to a position have changed."""

    position: int
    """Nothing up to here is left out."""
    matches: Sequence[tuple[int, str]]
    """The position of the latest of these events, and the match, in the order of the positions."""


def changed_matches(snapshot: Snapshot, run: int, after: int, wanted: MatchFilter) -> Changed | None:
    """The matches of a filter that the next page of the log has changed.

    None if matches may have changed without an event of their own: another run than `run` is official, or other rules
    were adopted.
    """
    until = min(after + PAGE, snapshot.position)
    rows = snapshot.conn.execute(_CHANGED, {"after": after, "until": until}).all()
    if snapshot.run != run or any(row.originator_id == "rulebook" for row in rows):
        return None
    changed = {row.originator_id.partition(":")[2]: row.position for row in rows}
    query = matches(run, wanted).with_only_columns(m.match_id).where(m.match_id.in_(changed))
    passing = set(snapshot.conn.scalars(query))
    return Changed(until, [(position, match_id) for match_id, position in changed.items() if match_id in passing])
