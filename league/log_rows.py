"""The log as the database holds it: encoded rows and hashes, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from league.chain import Entry, microseconds

Conn = psycopg.Connection[Any]

# The order in which `chain.encode` puts them.
_FIELDS = "position, originator_version, recorded_at, originator_id, topic, state"
_AS_BYTES = (
    "position, originator_version, recorded_at, convert_to(originator_id, 'UTF8'), convert_to(topic, 'UTF8'), state"
)
_EVENTS = f"COPY (SELECT {_AS_BYTES}, hash FROM stored_events WHERE position > %s ORDER BY position)"  # noqa: S608  # ours

# PostgreSQL's binary format: a header once; in each row the number of fields, then each field after its length.
_HEADER_BYTES, _COUNT_BYTES, _HASH_BYTES = 19, 2, 32
_AFTER_EVENT = -(4 + _HASH_BYTES)
_END = b"\xff\xff"


def rows(conn: Conn, after: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Encoded events after a position, each with the hash that stands beside it."""
    with conn.cursor() as cursor, cursor.copy(f"{_EVENTS} TO STDOUT (FORMAT BINARY)", (after,)) as copy:
        begins = _HEADER_BYTES + _COUNT_BYTES
        for block in copy:
            row = bytes(block)
            if row[begins - _COUNT_BYTES :] != _END:
                yield row[begins:_AFTER_EVENT], row[-_HASH_BYTES:]
            begins = _COUNT_BYTES


def head_of(conn: Conn) -> int:
    """The position of the last event, 0 for an empty log."""
    row = conn.execute("SELECT coalesce(max(position), 0) FROM stored_events").fetchone()
    assert row is not None
    return int(row[0])


def hashes(conn: Conn, start: int, end: int) -> Iterator[bytes]:
    """The hashes of the events after position `start`, up to and with `end`."""
    query = "COPY (SELECT hash FROM stored_events WHERE position > %s AND position <= %s ORDER BY position)"
    with conn.cursor() as cursor, cursor.copy(f"{query} TO STDOUT", (start, end)) as copy:
        for block in copy:
            # As text: a backslash, an x, hexadecimal digits; the backslash is doubled.
            yield bytes.fromhex(bytes(block).decode().strip().removeprefix("\\\\x"))


def events_of(
    conn: Conn, *, stream: str | None = None, position: int | None = None
) -> list[tuple[Entry, bytes, bytes]]:
    """The events of a stream, or the one at a position: each with its hash and the hash before it."""
    query = (
        f"SELECT {_FIELDS}, hash, (SELECT hash FROM stored_events AS b WHERE b.position = e.position - 1)"  # noqa: S608
        " FROM stored_events AS e WHERE originator_id = %s OR position = %s ORDER BY position"
    )
    found = []
    for row in conn.execute(query, (stream, position)).fetchall():
        place, version, recorded_at, its_stream, name, state, hash_, before = row
        entry = Entry(place, version, microseconds(recorded_at), its_stream, name, bytes(state))
        found.append((entry, bytes(hash_), bytes(before or bytes(_HASH_BYTES))))
    return found
