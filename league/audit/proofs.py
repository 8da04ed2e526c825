"""Files that can be checked without a database: the log itself, inclusion proofs and consistency proofs.

The log has one JSON object per line, with every column of an event. An inclusion proof shows that a signed head's log
contains certain events, a consistency proof that it extends the log of a kept head.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from struct import error as OutOfRange  # noqa: N812  # its own name says nothing
from typing import BinaryIO

import msgspec

from league.audit.merkle import RootOf, audit_path, consistency_path, is_consistent, root_by_path
from league.audit.signed_heads import LogHead, WrittenHead, as_json, faults_of_time, flaw_of, read_digits, read_exactly
from league.audit.verification import Rows, UnreadableLog
from league.domain.refusals import WrongState
from league.domain.sentences import say
from league.eventlog.encoded_rows import HashedRow, decode, encode, hash_of, microseconds, moment

# ---------------------------------------------------------------- the log as a file


class LogLine(msgspec.Struct, frozen=True):
    """An event as written in files."""

    position: int
    version: int
    recorded_at: datetime
    """In UTC, to the microsecond."""
    stream: str
    name: str
    state: str
    """The stored bytes, in base64."""
    hash: str
    """Hexadecimal."""


def line_of(entry: HashedRow, hash_: bytes) -> LogLine:
    """The line for an event."""
    state = b64encode(entry.state).decode()
    return LogLine(
        entry.position, entry.version, moment(entry.recorded_at), entry.stream, entry.name, state, hash_.hex()
    )


def entry_of(line: LogLine) -> tuple[HashedRow, bytes]:
    """The event of a line, and its hash. Raises ValueError."""
    if line.recorded_at.tzinfo != UTC:
        raise ValueError("`recorded_at` is not in UTC")
    time, state = microseconds(line.recorded_at), b64decode(line.state, validate=True)
    entry, hash_ = (
        HashedRow(line.position, line.version, time, line.stream, line.name, state),
        bytes.fromhex(line.hash),
    )
    if b64encode(state).decode() != line.state or hash_.hex() != line.hash:
        raise ValueError("base64 or hexadecimal digits can be written in one way only")
    return entry, hash_


def write_log(rows: Rows, out: BinaryIO) -> int:
    """Write encoded events; returns their number. Raises WrongState for a time that a file cannot represent."""
    count, encoder = 0, msgspec.json.Encoder()
    for count, (encoded, hash_) in enumerate(rows, 1):
        entry = decode(encoded)
        try:
            line = line_of(entry, hash_)
        except OverflowError as error:
            reason = say("its time lies beyond the calendar; see `league verify`")
            raise WrongState(say("the event at {count}", count=count), say("not as it was appended"), reason) from error
        out.write(encoder.encode(line) + b"\n")
    return count


def read_log(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """The rows of a written file. Raises UnreadableLog for an invalid line."""
    for number, text in enumerate(file, 1):
        try:
            entry, hash_ = entry_of(read_exactly(text, LogLine))
            yield encode(entry), hash_
        except (ValueError, OutOfRange) as error:
            raise UnreadableLog(say("line {number} holds no event ({error})", number=number, error=error)) from error


# ---------------------------------------------------------------- inclusion proofs


PROOF_FORMAT = "league-proof/1"


class ProvenEvent(msgspec.Struct, frozen=True):
    """An event, and the hashes that lead from it to the root of the head."""

    event: LogLine
    before: str
    """The hash of the event before it, hexadecimal."""
    path: tuple[str, ...]
    """The audit path, from the leaf up, hexadecimal. The event at position p is leaf p - 1."""


class InclusionProof(msgspec.Struct, frozen=True):
    """An inclusion proof as written in a file."""

    format: str
    head: WrittenHead
    """As `league heads --json` prints it."""
    events: tuple[ProvenEvent, ...]


class BadProof(Exception):
    """A file that proves nothing; the message says what is wrong."""


class BadHeadTime(BadProof):
    """A proof whose head is dated at a time that cannot be true."""


def make_proof(events: Sequence[tuple[HashedRow, bytes, bytes]], head: LogHead, root_of: RootOf) -> InclusionProof:
    """A proof for events, each with its hash and the one before; none of them may be later than the head.

    `root_of` returns the root over the events after one position, up to and including another.
    """
    known: dict[tuple[int, int], bytes] = {}

    def cached_root(start: int, end: int) -> bytes:
        # Neighbours share all but the lowest of their subtrees.
        if (start, end) not in known:
            known[start, end] = root_of(start, end)
        return known[start, end]

    proven = []
    for entry, hash_, before in events:
        path = audit_path(entry.position - 1, head.position, cached_root)
        proven.append(ProvenEvent(line_of(entry, hash_), before.hex(), tuple(step.hex() for step in path)))
    return InclusionProof(PROOF_FORMAT, as_json(head), tuple(proven))


def check_proof(text: bytes, trusted: Sequence[bytes], now: datetime) -> tuple[LogHead, list[HashedRow]]:
    """The head and the events that a proof file proves, if a trusted key signed it.

    `now`: the clock of whoever checks. Raises BadProof.
    """
    try:
        proof = read_exactly(text, InclusionProof)
        head = proof.head.head()
    except ValueError as error:
        raise BadProof(say("it is no proof ({error})", error=error)) from error
    if proof.format != PROOF_FORMAT:
        raise BadProof(say("its format is {found!r}, not {wanted!r}", found=proof.format, wanted=PROOF_FORMAT))
    if not proof.events:
        raise BadProof(say("it holds no event"))
    if head.key not in trusted:
        raise BadProof(say("its head is signed by {hex}, which is not one of the given keys", hex=head.key.hex()))
    if flaw := flaw_of(head):
        raise BadProof(say("its head {flaw}", flaw=flaw))
    entries = [_check(one, head) for one in proof.events]
    if any(one.position >= following.position for one, following in pairwise(entries)):
        raise BadProof(say("its events are not in the order of the log, or one of them is there twice"))
    # The head's event was recorded at the time of the latest proven event, or later.
    check_times([head], {head.position: max(entry.recorded_at for entry in entries)}, now)
    return head, entries


def check_times(heads: Sequence[LogHead], recorded: Mapping[int, int], now: datetime) -> None:
    """Raise BadHeadTime for a head whose time cannot be true according to `faults_of_time`."""
    for _, says in faults_of_time(heads, recorded, now):
        raise BadHeadTime(says)


def _check(one: ProvenEvent, head: LogHead) -> HashedRow:
    try:
        entry, hash_ = entry_of(one.event)
        found = hash_of(read_digits(one.before), encode(entry))
        root = root_by_path(found, entry.position - 1, head.position, map(read_digits, one.path))
    except (ValueError, OutOfRange) as error:
        raise BadProof(say("an event cannot be read ({error})", error=error)) from error
    if found != hash_:
        raise BadProof(say("the event at {position} does not have the hash given with it", position=entry.position))
    if root != head.root:
        raise BadProof(
            say("the path of the event at {position} does not lead to the root of the head", position=entry.position)
        )
    return entry


# ---------------------------------------------------------------- consistency proofs


CONSISTENCY_FORMAT = "league-consistency/1"


class ConsistencyProof(msgspec.Struct, frozen=True):
    """A consistency proof as written in a file, without the older head, which the checker has."""

    format: str
    since: int
    """The position of the older head."""
    head: WrittenHead
    """The newer head, as `league heads --json` prints it."""
    path: tuple[str, ...]
    """The hashes from which the roots of both heads follow (RFC 9162, 2.1.4), hexadecimal."""


def make_consistency(since: int, head: LogHead, root_of: RootOf) -> ConsistencyProof:
    """Prove that the log of a head extends its first `since` events (at least one).

    `root_of` returns the root over the events after one position, up to and including another.
    """
    path = consistency_path(since, head.position, root_of)
    return ConsistencyProof(CONSISTENCY_FORMAT, since, as_json(head), tuple(step.hex() for step in path))


def check_consistency(
    text: bytes, kept: Sequence[LogHead], trusted: Sequence[bytes], now: datetime
) -> tuple[LogHead, LogHead]:
    """The older head from `kept`, and the newer head whose log is proven to extend it. Trusted keys signed both.

    `now`: the clock of whoever checks. Raises BadProof.
    """
    try:
        proof = read_exactly(text, ConsistencyProof)
        head, path = proof.head.head(), [read_digits(step) for step in proof.path]
    except ValueError as error:
        raise BadProof(say("it is no proof ({error})", error=error)) from error
    if proof.format != CONSISTENCY_FORMAT:
        raise BadProof(say("its format is {found!r}, not {wanted!r}", found=proof.format, wanted=CONSISTENCY_FORMAT))
    older = [one for one in kept if one.position == proof.since]
    if not older:
        raise BadProof(say("it begins at position {since}, and no head that was kept signs that", since=proof.since))
    for one in (*older, head):
        of = {"position": one.position, "hex": one.key.hex(), "flaw": flaw_of(one)}
        if one.key not in trusted:
            raise BadProof(say("the head at {position} is signed by {hex}, which is not one of the given keys", **of))
        if of["flaw"]:
            raise BadProof(say("the head at {position} {flaw}", **of))
    for one in older:
        if not is_consistent(one.position, one.root, head.position, head.root, path):
            of = {"position": one.position, "position_2": head.position}
            raise BadProof(say("it does not lead from the kept head at {position} to the one at {position_2}", **of))
    check_times([*older, head], {}, now)
    return older[0], head
