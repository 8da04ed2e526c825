"""Which matches the log has changed after a position, page by page."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import text

from league.projections.queries.matches import MatchFilter, m, matches
from league.projections.queries.snapshot import Snapshot

PAGE = 1_000
"""Events of the log that are looked through at once."""
MOST_BEHIND = 100_000
"""Events after which reading everything again is cheaper than following. Those of live tables do not count."""

ANEW = ("edition-adopted/", "players-merged/", "merge-undone/")
"""How the events are named after which any match may be another one."""

_HEAD = text("SELECT coalesce(max(position), 0) FROM stored_events")
_PAGE = text(
    "SELECT position, originator_id, topic FROM followed_events WHERE position > :after AND position <= :until"
    " ORDER BY position LIMIT :page"
)
_IS_FAR = text(
    "SELECT EXISTS (SELECT FROM followed_events WHERE position > :after AND position <= :until"
    " ORDER BY position OFFSET :most)"
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


def is_far_behind(snapshot: Snapshot, after: int) -> bool:
    """Whether more than `MOST_BEHIND` events came after a position."""
    asked = {"after": after, "until": snapshot.position, "most": MOST_BEHIND}
    return bool(snapshot.conn.execute(_IS_FAR, asked).scalar_one())


def changed_matches(snapshot: Snapshot, run: int, after: int, wanted: MatchFilter) -> Changed | None:
    """The matches of a filter that the next page of the log has changed.

    None if matches may have changed without an event of their own: another run than `run` is official, other rules
    were adopted, or players were merged or parted.
    """
    rows = snapshot.conn.execute(_PAGE, {"after": after, "until": snapshot.position, "page": PAGE}).all()
    if snapshot.run != run or any(row.topic.startswith(ANEW) for row in rows):
        return None
    changed: dict[str, int] = {}
    for row in rows:
        kind, _, match_id = row.originator_id.partition(":")
        if kind == "match":
            changed.pop(match_id, None)  # the order is that of the latest events
            changed[match_id] = row.position
    until = rows[-1].position if len(rows) == PAGE else snapshot.position
    query = matches(run, wanted).with_only_columns(m.match_id).where(m.match_id.in_(changed))
    passing = set(snapshot.conn.scalars(query))
    return Changed(until, [(position, match_id) for match_id, position in changed.items() if match_id in passing])
