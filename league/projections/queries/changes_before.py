"""The ratings that a match found: the previous change of each."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import text

from league.projections.queries.matches import ChangeRow
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot

_BEFORE = text("""
    SELECT latest.id, latest.match_id, latest.position
    FROM unnest(CAST(:ids AS text[])) AS asked (id), LATERAL (
        SELECT c.id, c.match_id, c.position FROM changes AS c
        WHERE c.run = :run AND c.subject = :subject AND c.id = asked.id AND c.mode = :mode
            AND (c.decided_at, c.match_id) < (:decided_at, :match)
        ORDER BY c.decided_at DESC, c.match_id DESC LIMIT 1
    ) AS latest
    ORDER BY latest.id
""")


class PreviousChange(NamedTuple):
    """The last change of a rating before another change; `position` is that of the event that decided its match."""

    id: str
    match_id: str
    position: int


def changes_before(snapshot: Snapshot, change: ChangeRow, ids: Sequence[str]) -> list[PreviousChange]:
    """For each id, the last change in the mode before this one; ids without an earlier change are left out."""
    asked = {
        "ids": list(ids),
        "run": snapshot.run,
        "subject": change.subject,
        "mode": change.mode,
        "decided_at": change.decided_at,
        "match": change.match_id,
    }
    return list(typed(PreviousChange, snapshot.conn.execute(_BEFORE, asked)))
