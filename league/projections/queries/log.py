"""The stored events behind the rows that readers see: who recorded what, and when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, DateTime, LargeBinary, Text, bindparam, text

from league.eventlog.envelopes import Envelope
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot

_ENVELOPE = msgspec.json.Decoder(Envelope[msgspec.Raw])

EVENTS = "SELECT position, originator_id, topic, recorded_at, state FROM stored_events WHERE"
"""The columns of a `StoredEvent`; a condition follows."""
_BY_POSITION = text(EVENTS + " position = ANY(:positions)")
_BY_STREAM = text(EVENTS + " originator_id IN :streams ORDER BY originator_id, originator_version")
_BY_STREAM = _BY_STREAM.bindparams(bindparam("streams", expanding=True))
_NEWEST = text(
    "SELECT originator_id AS stream, max(position) AS position FROM stored_events WHERE originator_id IN :streams "
    "GROUP BY originator_id"
).bindparams(bindparam("streams", expanding=True))
_COLUMNS: dict[str, Any] = {
    "position": BigInteger,
    "originator_id": Text,
    "topic": Text,
    "recorded_at": DateTime(timezone=True),
    "state": LargeBinary,
}


class StoredEvent(NamedTuple):
    """A row of the log."""

    position: int
    originator_id: str
    """The stream."""
    topic: str
    """The event's name."""
    recorded_at: datetime
    state: bytes
    """The envelope and the event, as JSON."""


class LogEntry(Struct, frozen=True, gc=False):
    """An event's envelope, without the event itself."""

    position: int
    stream: str
    name: str
    recorded_at: datetime
    played_at: datetime | None
    actor: str
    source: str
    key: str | None


def entries_by_position(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, LogEntry]:
    """The log entries at these positions."""
    rows = snapshot.conn.execute(_BY_POSITION.columns(**_COLUMNS), {"positions": list(positions)})
    return {row.position: entry_and_body(row)[0] for row in typed(StoredEvent, rows)}


def entries_by_stream(snapshot: Snapshot, streams: Sequence[str]) -> dict[str, list[LogEntry]]:
    """The log entries of these streams up to the snapshot's position, in order."""
    found: dict[str, list[LogEntry]] = {stream: [] for stream in streams}
    rows = snapshot.conn.execute(_BY_STREAM.columns(**_COLUMNS), {"streams": list(streams)})
    for row in typed(StoredEvent, rows):
        if row.position <= snapshot.position:
            found[row.originator_id].append(entry_and_body(row)[0])
    return found


def newest_by_stream(snapshot: Snapshot, streams: Sequence[str]) -> dict[str, int]:
    """The position of the newest event of each of these streams, also of one that is not folded yet."""
    return {row.stream: row.position for row in snapshot.conn.execute(_NEWEST, {"streams": list(streams)})}


def entry_and_body(row: StoredEvent) -> tuple[LogEntry, msgspec.Raw]:
    """The envelope and the stored event of a row of the log."""
    said = _ENVELOPE.decode(row.state)
    entry = LogEntry(
        row.position, row.originator_id, row.topic, row.recorded_at, said.played_at, said.actor, said.source, said.key
    )
    return entry, said.body
