"""The hash chain: each event has a SHA-256 over its stored bytes, its envelope and the hash before it.

The hashed bytes are an entry of a Merkle tree as RFC 6962 defines it, so an event's hash is also a leaf of that tree.
`docs/verify.md` specifies the format for independent checkers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from struct import Struct
from typing import NamedTuple

FIRST = bytes(32)
"""The hash before the first event."""
LEAF = b"\x00"
"""The prefix of an event's hash input; the tree's nodes have another prefix."""

# Each field is preceded by its length, as in PostgreSQL's binary row format, so rows are checked as they arrive.
_NUMBERS, _LENGTH = Struct(">IqIqIqI"), Struct(">I")
_EPOCH, _MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Entry(NamedTuple):
    """An event of the log: everything its hash covers, except the hash before it."""

    position: int
    version: int
    recorded_at: int
    """Microseconds since the beginning of 2000, UTC; negative before it."""
    stream: str
    name: str
    state: bytes


def encode(entry: Entry) -> bytes:
    """The unambiguous encoding of an event. Raises struct.error for a number out of range."""
    position, version, recorded_at, stream, name, state = entry
    who, what = stream.encode(), name.encode()
    numbers = _NUMBERS.pack(8, position, 8, version, 8, recorded_at, len(who))
    return b"".join((numbers, who, _LENGTH.pack(len(what)), what, _LENGTH.pack(len(state)), state))


def decode(encoded: bytes) -> Entry:
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
    return Entry(position, version, recorded_at, stream.decode(), name.decode(), state)


def hash_of(before: bytes, encoded: bytes) -> bytes:
    """The hash of an encoded event that follows an event with the hash `before`."""
    return sha256(LEAF + before + encoded).digest()


def hashes_of_new(
    before: bytes, position: int, recorded_at: datetime, events: Sequence[tuple[str, int, str, bytes]]
) -> Iterator[bytes]:
    """The hashes of new events (stream, version, name, state); the first one has this position and time.

    Each following event has the next position, and the next microsecond.
    """
    time = microseconds(recorded_at)
    for place, (stream, version, name, state) in enumerate(events):
        before = hash_of(before, encode(Entry(position + place, version, time + place, stream, name, state)))
        yield before


def microseconds(time: datetime) -> int:
    """Microseconds since the beginning of 2000, UTC."""
    return (time - _EPOCH) // _MICROSECOND


def moment(microseconds: int) -> datetime:
    """The time this many microseconds after the beginning of 2000, in UTC."""
    return _EPOCH + microseconds * _MICROSECOND
