"""The beginning of a log that an earlier verification found good: a check goes on after it, and does not read it."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from league.audit.signed_heads import Head
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import Conn
from league.eventlog.hash_chain import FIRST, encode, hash_of, microseconds

EARLIEST = microseconds(datetime.min.replace(tzinfo=UTC))
"""PostgreSQL has times beyond the calendar."""

# Of the streams that go on afterwards only, so that the cost is that of what came after.
VERSIONS = """
    SELECT originator_id, max(originator_version) FROM stored_events
    WHERE position <= %(position)s
        AND originator_id IN (SELECT originator_id FROM stored_events WHERE position > %(position)s)
    GROUP BY originator_id
"""


class Beginning(Struct, frozen=True):
    """What has to follow on: the state of a check after the last event of the beginning."""

    position: int = 0
    hash: bytes = FIRST
    peaks: tuple[bytes, ...] = ()
    """The peaks of the tree."""
    recorded_at: int = EARLIEST
    versions: dict[bytes, int] = {}
    """By stream."""


EMPTY = Beginning()


def beginning_at(conn: Conn, head: Head) -> Beginning | None:
    """The beginning that a genuine head signs; None if the event at its position is not the one that it signs.

    `conn` reads one state of the log. The versions are those of the database: the head does not sign them apart.
    """
    found = encoded_rows.events_of(conn, position=head.position)
    if not found:
        return None
    entry, stored, before = found[0]
    if not stored == hash_of(before, encode(entry)) == head.hash:
        return None
    versions = {
        stream.encode(): version for stream, version in conn.execute(VERSIONS, {"position": head.position}).fetchall()
    }
    return Beginning(head.position, head.hash, head.peaks, entry.recorded_at, versions)
