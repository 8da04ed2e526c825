"""The chain: each event carries a SHA-256 over its stored bytes, its envelope and the hash before it.

What is hashed is, byte by byte, an entry of a Merkle tree as RFC 6962 defines it, so an event's hash is a leaf of that
tree as well. `docs/verify.md` says the same for those who write their own checker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from struct import Struct
from typing import NamedTuple

FIRST = bytes(32)
"""Stands before the first event, in place of a hash."""
LEAF = b"\x00"
"""Begins what an event's hash is made of; the tree's nodes begin otherwise."""

# Each field comes after its length. This is how PostgreSQL sends a row in binary, so a log is checked as it arrives.
_NUMBERS, _LENGTH = Struct(">IqIqIqI"), Struct(">I")
_EPOCH, _MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Entry(NamedTuple):
    """An event of the log: all that its hash covers, except the hash before it."""

    position: int
    version: int
    recorded_at: int
    """Microseconds since the beginning of 2000, UTC; before it less than 0."""
    stream: str
    name: str
    state: bytes


def encode(entry: Entry) -> bytes:
    """An event in bytes that can be read in one way only. Raises struct.error for a number that has no place."""
    position, version, recorded_at, stream, name, state = entry
    who, what = stream.encode(), name.encode()
    numbers = _NUMBERS.pack(8, position, 8, version, 8, recorded_at, len(who))
    return b"".join((numbers, who, _LENGTH.pack(len(what)), what, _LENGTH.pack(len(state)), state))


def decode(encoded: bytes) -> Entry:
    """What `encode` encoded."""
    _, position, _, version, _, recorded_at, _ = _NUMBERS.unpack_from(encoded)
    start = _NUMBERS.size - _LENGTH.size
    texts = []
    for _ in range(3):
        (length,) = _LENGTH.unpack_from(encoded, start)
        start += _LENGTH.size
        texts.append(encoded[start : start + length])
        start += length
    stream, name, state = texts
    return Entry(position, version, recorded_at, stream.decode(), name.decode(), state)


def hash_of(before: bytes, encoded: bytes) -> bytes:
    """The hash of an encoded event after one whose hash is `before`."""
    return sha256(LEAF + before + encoded).digest()


def hashes_of_new(
    before: bytes, position: int, recorded_at: datetime, events: Sequence[tuple[str, int, str, bytes]]
) -> Iterator[bytes]:
    """The hashes of new events (stream, version, name, state), of which the first gets this position and time.

    Each of the others gets the next position, and the next microsecond.
    """
    time = microseconds(recorded_at)
    for place, (stream, version, name, state) in enumerate(events):
        before = hash_of(before, encode(Entry(position + place, version, time + place, stream, name, state)))
        yield before


def microseconds(time: datetime) -> int:
    """Microseconds since the beginning of 2000, UTC."""
    return (time - _EPOCH) // _MICROSECOND


def moment(microseconds: int) -> datetime:
    """The time that is so many microseconds after the beginning of 2000, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND
