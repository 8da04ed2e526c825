"""The log as encoded rows with their hash chain, read from the database in bounded memory.

Each event has a SHA-256 over its row and the previous hash. The hashed bytes are an entry of a Merkle tree as RFC 6962
defines it, so an event's hash is also a leaf of that tree. `docs/verify.md` specifies the format for independent
checkers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from struct import Struct
from typing import Any, NamedTuple

import psycopg

# ---------------------------------------------------------------- the hash chain


FIRST = bytes(32)
"""The previous hash of the first event."""
LEAF = b"\x00"
"""The prefix of an event's hash input. The tree's inner nodes have another prefix."""

# Each field is preceded by its length, as in PostgreSQL's binary row format, so rows are hashed as they arrive.
_NUMBERS, _LENGTH = Struct(">IqIqIqI"), Struct(">I")
_EPOCH, _MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class HashedRow(NamedTuple):
    """An event of the log: everything that its hash covers, except the previous hash."""

    position: int
    version: int
    recorded_at: int
    """Microseconds since the beginning of 2000, UTC; negative for earlier times."""
    stream: str
    name: str
    state: bytes


def encode(entry: HashedRow) -> bytes:
    """The unambiguous encoding of an event. Raises struct.error for a number out of range."""
    position, version, recorded_at, stream, name, state = entry
    who, what = stream.encode(), name.encode()
    numbers = _NUMBERS.pack(8, position, 8, version, 8, recorded_at, len(who))
    return b"".join((numbers, who, _LENGTH.pack(len(what)), what, _LENGTH.pack(len(state)), state))


def decode(encoded: bytes) -> HashedRow:
    """The inverse of `encode`."""
    _, position, _, version, _, recorded_at, _ = _NUMBERS.unpack_from(encoded)
    start = _NUMBERS.size - _LENGTH.size
    texts = []
    for _ in range(3):
        (length,) = _LENGTH.unpack_from(encoded, start)
        start += _LENGTH.size
        texts.append(encoded[start : start + length])
        start += length
    stream, name, state = texts
    return HashedRow(position, version, recorded_at, stream.decode(), name.decode(), state)


def hash_of(before: bytes, encoded: bytes) -> bytes:
    """The hash of an encoded event; `before` is the previous hash."""
    return sha256(LEAF + before + encoded).digest()


def microseconds(time: datetime) -> int:
    """Microseconds since the beginning of 2000, UTC."""
    return (time - _EPOCH) // _MICROSECOND


def moment(microseconds: int) -> datetime:
    """The time this many microseconds after the beginning of 2000, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND


# ---------------------------------------------------------------- rows of the log


Conn = psycopg.Connection[Any]

_OUT_OF_ORDER = """
    SELECT place FROM (
        SELECT *, coalesce(lag(position) OVER log, %(after)s) + 1 AS place FROM stored_events
        WHERE position <= 0 OR position > %(after)s WINDOW log AS (ORDER BY position)
    ) AS e
    WHERE position <> place
        OR EXISTS (SELECT FROM stored_events AS b WHERE b.position = e.position - 1 AND b.recorded_at >= e.recorded_at)
        OR originator_version <> 1 AND NOT EXISTS (
            SELECT FROM stored_events AS b WHERE b.originator_id = e.originator_id
            AND b.originator_version = e.originator_version - 1 AND b.position < e.position)
    ORDER BY position LIMIT 1
"""
_FIELDS = "position, originator_version, recorded_at, originator_id, topic, state"
_BEGIN = b"PGCOPY\n\xff\r\n\0" + bytes(4 + 4)
"""The header of a binary COPY."""
_HEADER = len(_BEGIN)
_COUNT, _FIELD_LENGTH, _HASH = 2, 4, 32
"""Bytes of the number of fields at the start of a row, of the length before each field, and of the hash at the end."""
_SEVEN_FIELDS, _HASH_LENGTH, _END = b"\x00\x07", b"\x00\x00\x00\x20", b"\xff\xff"


def rows(conn: Conn, after: int | None = None) -> Generator[tuple[bytes, bytes], None, None]:
    """Encoded events after a position, each with its stored hash.

    Without a position, yields all events, including those at invalid positions. Do not use the connection for anything
    else meanwhile. To stop early, close the generator: the transaction can be used afterwards.
    """
    where = "" if after is None else "WHERE position > %s"
    query = f"COPY (SELECT {_FIELDS}, hash FROM stored_events {where} ORDER BY position) TO STDOUT (FORMAT BINARY)"  # noqa: S608  # constants of this file
    # Texts are sent in the client's encoding. The index gives the order, so no sort is needed.
    conn.execute("SET client_encoding TO 'UTF8'; SET enable_sort TO off")
    # Stopping inside a COPY cancels it. Without the savepoint that would abort the transaction.
    with conn.transaction(), conn.cursor() as cursor, cursor.copy(query, None if after is None else (after,)) as copy:
        start = _HEADER + _COUNT
        for block in copy:
            row = bytes(block)
            # These are the bytes that `encode` produces. The trailer after the rows has no fields.
            if len(row) > start:
                yield row[start : -_FIELD_LENGTH - _HASH], row[-_HASH:]
                start = _COUNT


def copy_in(conn: Conn, rows: Iterable[tuple[bytes, bytes]]) -> None:
    """Insert the events of another log into an empty one, unchanged."""
    for _ in copied_in(conn, rows):
        pass


def copied_in(conn: Conn, rows: Iterable[tuple[bytes, bytes]]) -> Generator[tuple[bytes, bytes], None, None]:
    """As `copy_in`, row by row: yields each row, and inserts it when the next one is requested.

    To stop early, close the generator.
    """
    query = f"COPY stored_events ({_FIELDS}, hash) FROM STDIN (FORMAT BINARY)"
    conn.execute("SET client_encoding TO 'UTF8'")
    with conn.cursor() as cursor, cursor.copy(query) as copy:
        copy.write(_BEGIN)
        for row in rows:
            yield row
            encoded, hash_ = row
            copy.write(_SEVEN_FIELDS + encoded + _HASH_LENGTH + hash_)
        copy.write(_END)


def head_of(conn: Conn) -> int:
    """The position of the last event; 0 for an empty log."""
    row = conn.execute("SELECT coalesce(max(position), 0) FROM stored_events").fetchone()
    assert row is not None
    return int(row[0])


def first_out_of_order(conn: Conn, after: int) -> int | None:
    """The first position after `after` that is wrong: no event, a wrong version, or a time not after the previous one.

    Includes events at invalid positions, below 1. Returns None if the log is in order.
    """
    row = conn.execute(_OUT_OF_ORDER, {"after": after}).fetchone()
    return None if row is None else int(row[0])


def hashes(conn: Conn, start: int, end: int) -> Iterator[bytes]:
    """The hashes of the events after position `start`, up to and including `end`."""
    query = "COPY (SELECT hash FROM stored_events WHERE position > %s AND position <= %s ORDER BY position)"
    with conn.cursor() as cursor, cursor.copy(f"{query} TO STDOUT", (start, end)) as copy:
        for block in copy:
            # COPY writes a hash as `\\x` and hexadecimal digits: it doubles the backslash.
            yield bytes.fromhex(bytes(block).decode().strip().removeprefix("\\\\x"))


def events_of(
    conn: Conn, *, stream: str | None = None, position: int | None = None
) -> list[tuple[HashedRow, bytes, bytes]]:
    """The events of a stream, or the event at a position, each with its hash and the previous hash."""
    query = (
        f"SELECT {_FIELDS}, hash, (SELECT hash FROM stored_events AS b WHERE b.position = e.position - 1)"  # noqa: S608  # constants of this file
        " FROM stored_events AS e WHERE originator_id = %s OR position = %s ORDER BY position"
    )
    found = []
    for row in conn.execute(query, (stream, position)).fetchall():
        place, version, recorded_at, its_stream, name, state, hash_, before = row
        entry = HashedRow(place, version, microseconds(recorded_at), its_stream, name, bytes(state))
        found.append((entry, bytes(hash_), bytes(before or FIRST)))
    return found
