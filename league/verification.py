"""Whether a log is what was appended: positions, versions, times, the chain, and the heads that were signed.

Reads the log once, from any source, and stops at the first event that is wrong. Memory grows with the streams only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from struct import Struct
from typing import Literal

import msgspec

from league.chain import FIRST, LEAF, microseconds
from league.merkle import Tree
from league.signed_heads import Head, earliest_first, is_genuine

Rows = Iterable[tuple[bytes, bytes]]
"""Encoded events (`chain.encode`) in the order of the log, each with the hash that stands beside it."""

STEP = 10_000
"""Events from one word about the progress to the next."""

EARLIEST, LATEST = microseconds(datetime.min.replace(tzinfo=UTC)), microseconds(datetime.max.replace(tzinfo=UTC))
"""The calendar; PostgreSQL has times beyond it."""

_NUMBERS = Struct(">4xq4xq4xqI").unpack_from
_STREAM = 40
"""Where the stream begins in an encoded event."""


Kind = Literal[
    "missing", "order", "version", "time", "hash",  # of an event
    "rewritten", "beyond", "signature", "key",  # of a head
    "unreadable",  # of a file
    "run",  # of the official league
]  # fmt: skip


class Fault(msgspec.Struct, frozen=True):
    """What is wrong, and where."""

    kind: Kind
    says: str
    position: int | None = None
    """Of the first bad event, as it should be."""
    stream: str | None = None


class LogReport(msgspec.Struct):
    """What a log was found to be."""

    events: int
    """How many are as they were appended."""
    hash: bytes
    root: bytes
    agreed: list[Head]
    """Heads that the log has been found to go through."""
    faults: list[Fault]


class Unreadable(Exception):
    """A source of rows cannot be read any further."""


def verify_log(
    rows: Rows, heads: Sequence[Head] = (), trusted: Sequence[bytes] = (), progress: Callable[[int], None] | None = None
) -> LogReport:
    """Check a log from the first row that there is, and all heads that lie within it.

    `trusted`: public keys; heads by others are faults. Without any, whoever signed is believed. `progress` is told
    how many events are checked.
    """
    distrusted = [fault for head in heads if (fault := _distrust(head, trusted))]
    to_come = [head for head in earliest_first(heads)[::-1] if not _distrust(head, trusted)]
    tree, agreed, fault = Tree(), list[Head](), None
    versions, leaves, last, before, position = dict[bytes, int](), list[bytes](), EARLIEST, FIRST, 0
    pause = min(STEP, to_come[-1].position) if to_come else STEP
    try:
        # Most of the time goes here: what an event does not need is done between two of them, at a pause.
        for encoded, hash_ in rows:
            found, version, recorded_at, length = _NUMBERS(encoded)
            stream = encoded[_STREAM : _STREAM + length]
            if (
                found != position + 1
                or versions.get(stream, 0) + 1 != version
                or not last < recorded_at <= LATEST
                or sha256(LEAF + before + encoded).digest() != hash_
            ):
                fault = _bad_event(encoded, position + 1, versions.get(stream, 0), last)
                break
            versions[stream], last, before, position = version, recorded_at, hash_, found
            leaves.append(hash_)
            if position == pause:
                tree.extend(leaves)
                leaves.clear()
                while to_come and to_come[-1].position == position:
                    head = to_come.pop()
                    if (head.hash, head.root) != (hash_, tree.root()):
                        fault = _rewritten(head, tree, agreed)
                        break
                    agreed.append(head)
                if fault is not None:
                    break
                if progress is not None:
                    progress(position)
                pause = min(position + STEP, to_come[-1].position) if to_come else position + STEP
    except Unreadable as error:
        fault = Fault("unreadable", str(error), position + 1)
    tree.extend(leaves)
    if fault is None and to_come:
        fault = _beyond(to_come[0], position)
    return LogReport(position, before, tree.root(), agreed, [*distrusted, *([fault] if fault else [])])


def _bad_event(encoded: bytes, position: int, version: int, last: int) -> Fault:
    """Say which of the conditions an event breaks; the one that explains the others comes first."""
    found, its_version, recorded_at, length = _NUMBERS(encoded)
    stream = encoded[_STREAM : _STREAM + length].decode(errors="replace")
    if found > position:
        return Fault("missing", f"position {found} comes where {position} belongs: it is missing, or moved", position)
    if found < position:
        says = f"position {found} comes where {position} belongs: it is there twice, or moved"
        return Fault("order", says, position, stream)
    if its_version != version + 1:
        says = f"it is version {its_version} of its stream, which stands at {version}"
        return Fault("version", says, position, stream)
    if not last < recorded_at <= LATEST:
        says = "it was recorded before the event it follows, or with it, or beyond the calendar"
        return Fault("time", says, position, stream)
    return Fault("hash", "its bytes, or the event before it, are not what was hashed", position, stream)


def _distrust(head: Head, trusted: Sequence[bytes]) -> Fault | None:
    if not is_genuine(head):
        return Fault("signature", f"the head at {head.position} is not what its key signed", head.position)
    if trusted and head.key not in trusted:
        return Fault("key", f"the head at {head.position} is signed by {head.key.hex()}, which nobody trusts")
    return None


def _rewritten(head: Head, tree: Tree, agreed: Sequence[Head]) -> Fault:
    """The chain holds, but it is not the one that was signed: narrow down where they part."""
    sizes = [1 << bit for bit in reversed(range(tree.size.bit_length())) if tree.size >> bit & 1]
    first, end = 1, head.position
    for leaves, ours, theirs in zip(sizes, tree.peaks, head.peaks, strict=True):
        if ours != theirs:
            end = first + leaves - 1
            break
        first += leaves
    first = max([first, *(one.position + 1 for one in agreed)])
    when = f"the head signed at {head.signed_at:%Y-%m-%d %H:%M:%S} UTC for position {head.position}"
    says = f"written anew: {when} knows other events; the first of them lies between {first} and {end}"
    return Fault("rewritten", says, first)


def _beyond(head: Head, position: int) -> Fault:
    says = f"the log ends at {position}, but a head was signed at {head.position}: what came after is gone"
    return Fault("beyond", says, position + 1)
