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

# The hash before, position, version, recorded_at and three lengths; big-endian, without gaps.
_HEADER = Struct(">c32sQQQIII").pack
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Entry(NamedTuple):
    """An event as it stands in the log: the columns that its hash covers, and its hash."""

    position: int
    stream: str
    version: int
    name: str
    recorded_at: int
    """Microseconds since the beginning of 1970, UTC."""
    state: bytes
    hash: bytes


def hash_of(before: bytes, position: int, stream: str, version: int, name: str, recorded_at: int, state: bytes) -> bytes:
    """The hash of an event after one whose hash is `before`. Raises struct.error for a number that has no place."""
    who, what = stream.encode(), name.encode()
    header = _HEADER(LEAF, before, position, version, recorded_at, len(who), len(what), len(state))
    return sha256(b"".join((header, who, what, state))).digest()


def chained(
    before: bytes, position: int, recorded_at: int, events: Sequence[tuple[str, int, str, bytes]]
) -> Iterator[bytes]:
    """The hashes of new events (stream, version, name, state), of which the first gets this position and time.

    Each of the others gets the next position, and the next microsecond.
    """
    for place, (stream, version, name, state) in enumerate(events):
        before = hash_of(before, position + place, stream, version, name, recorded_at + place, state)
        yield before


def microseconds(time: datetime) -> int:
    """Microseconds since the beginning of 1970, UTC."""
    return (time - _EPOCH) // _MICROSECOND
