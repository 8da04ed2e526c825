"""Checks whether a log is as it was appended: positions, versions, times, the chain, and the signed heads.

Reads the log once, from any source, and goes on after a bad event. Memory grows with the number of streams only. A
check may start after a beginning that an earlier verification found valid; the beginning is not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from struct import Struct
from typing import Literal, NamedTuple

import msgspec

from league.audit.merkle import MerkleTree
from league.audit.signed_heads import LogHead, earliest_first, faults_of_time, flaw_of
from league.domain.sentences import say
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import FIRST, LEAF, Conn, encode, hash_of, microseconds

# ---------------------------------------------------------------- a known beginning


EARLIEST = microseconds(datetime.min.replace(tzinfo=UTC))
"""PostgreSQL has times beyond the calendar."""

# Only streams with later events are read, so the cost depends on what came after the beginning.
VERSIONS = """
    SELECT originator_id, max(originator_version) FROM stored_events
    WHERE position <= %(position)s
        AND originator_id IN (SELECT originator_id FROM stored_events WHERE position > %(position)s)
    GROUP BY originator_id
"""


class KnownBeginning(msgspec.Struct, frozen=True):
    """The state of a check after the last event of a beginning that is known to be valid."""

    position: int = 0
    hash: bytes = FIRST
    peaks: tuple[bytes, ...] = ()
    """The peaks of the tree."""
    recorded_at: int = EARLIEST
    versions: dict[bytes, int] = {}
    """The last version of each stream."""


EMPTY = KnownBeginning()


def beginning_at(conn: Conn, head: LogHead) -> KnownBeginning | None:
    """The beginning that a genuine head signs; None if the event at its position is not the one that it signs.

    `conn` reads one state of the log. The versions come from the database: the head does not sign them separately.
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
    return KnownBeginning(head.position, head.hash, head.peaks, entry.recorded_at, versions)


# ---------------------------------------------------------------- verifying


Rows = Iterable[tuple[bytes, bytes]]
"""Encoded events (`encoded_rows.encode`) in the order of the log, each with its stored hash."""

STEP = 10_000
"""The number of events between two calls of `progress`."""

MOST_LISTED = 100
"""How many bad events are listed; the others are counted."""

LATEST = microseconds(datetime.max.replace(tzinfo=UTC))
"""The end of the calendar; PostgreSQL has times beyond it."""

_NUMBERS = Struct(">4xq4xq4xqI").unpack_from
_STREAM = 40
"""The offset of the stream in an encoded event."""


FaultKind = Literal[
    "empty", "unreadable", "missing", "order", "version", "time", "hash",  # the log by itself
    "rewritten", "beyond",  # the log beside what was signed
    "signature", "clock", "signer", "deleted",  # the heads
    "key",  # the keys that open names
    "request",  # the records of requests
    "run",  # the tables that people read
    "schema",  # the objects of the database
]  # fmt: skip


JudgedPart = Literal["log", "heads", "keys", "requests", "tables", "schema"]
"""The parts of a league on which `league verify` gives separate results."""

_PART_OF: dict[FaultKind, JudgedPart] = {
    "signature": "heads", "clock": "heads", "signer": "heads", "deleted": "heads",
    "key": "keys", "request": "requests", "run": "tables", "schema": "schema",
}  # fmt: skip


class VerificationFault(msgspec.Struct, frozen=True):
    """What is wrong, and where."""

    kind: FaultKind
    says: str
    position: int | None = None
    """The position that the bad event should have."""
    stream: str | None = None
    until: int | None = None
    """The last position at which the bad event may be, if it is not known exactly; `position` is then the first."""

    @property
    def part(self) -> JudgedPart:
        """The part that has the fault."""
        return _PART_OF.get(self.kind, "log")


class LogReport(msgspec.Struct):
    """The result of checking a log."""

    events: int
    """How many events, from the first on, follow one another in order, each hashed with the one before it."""
    hash: bytes
    """The hash of the last of these events."""
    root: bytes
    """The root of the tree over these events."""
    agreed: list[LogHead]
    """Heads that the log agrees with: the event there has the head's hash, and the hashes up to it have its root."""
    faults: list[VerificationFault]
    strangers: list[LogHead] = []
    """Heads by untrusted keys, which are ignored."""
    after: int = 0
    """The events up to this position were not read."""
    unlisted: int = 0
    """How many bad events there are besides those in `faults`."""


class UnreadableLog(Exception):
    """A source of rows cannot be read further."""


def verify_log(
    rows: Rows,
    heads: Sequence[LogHead] = (),
    trusted: Sequence[bytes] = (),
    progress: Callable[[int], None] | None = None,
    beginning: KnownBeginning = EMPTY,
    now: datetime | None = None,
) -> LogReport:
    """Check a log and all heads within it; with a `beginning`, only the rows and heads after it.

    `trusted`: public keys; heads by others are ignored. Without any, every signer is trusted. `progress` is called with
    the position reached. `now`: the clock of whoever checks; None: heads dated in the future are not reported.
    """
    strangers = [head for head in heads if trusted and head.key not in trusted]
    counting = earliest_first([head for head in heads if not trusted or head.key in trusted])
    flaws = [(head, flaw_of(head)) for head in counting]
    bad_heads = [
        VerificationFault(
            "signature", say("the head at {position} {flaw}", position=head.position, flaw=flaw), head.position
        )
        for head, flaw in flaws
        if flaw
    ]
    genuine = [head for head, flaw in reversed(flaws) if not flaw and head.position >= beginning.position]
    to_come, tree, agreed, bad = (
        list(genuine),
        MerkleTree(beginning.position, beginning.peaks),
        list[LogHead](),
        _BadEvents(),
    )
    versions, leaves, last = dict(beginning.versions), list[bytes](), beginning.recorded_at
    before, position = beginning.hash, beginning.position
    recorded = {position: last}
    bad.list(_disagreeing(to_come, before, tree, agreed))
    pause = min(position + STEP, to_come[-1].position) if to_come else position + STEP
    in_order: tuple[int, bytes, bytes] | None = None
    try:
        # Most of the time is spent here: work that not every event needs is done in between, at a pause.
        for encoded, hash_ in rows:
            found, version, recorded_at, length = _NUMBERS(encoded)
            stream = encoded[_STREAM : _STREAM + length]
            if (
                found != position + 1
                or versions.get(stream, 0) + 1 != version
                or not last < recorded_at <= LATEST
                or sha256(LEAF + before + encoded).digest() != hash_
            ):
                in_order = in_order or (position, before, _grown(tree, leaves).root())
                step = bad.step_over(encoded, hash_, position, versions.get(stream, 0), last, before)
                if step.moved:
                    to_come.clear()  # the hashes are not at their positions any more
                if step.sound:
                    versions[stream], last = version, recorded_at
                if step.belongs:
                    before, position = hash_, found
                    leaves.append(hash_)
                pause = min(pause, position + STEP)
            else:
                versions[stream], last, before, position = version, recorded_at, hash_, found
                leaves.append(hash_)
            if position >= pause:
                recorded[position] = last
                bad.list(_disagreeing(to_come, before, _grown(tree, leaves), agreed))
                if progress is not None:
                    progress(position)
                pause = min(position + STEP, to_come[-1].position) if to_come else position + STEP
    except UnreadableLog as error:
        bad.list(VerificationFault("unreadable", str(error), position + 1))
    too_short = (
        None if bad.ends_the_log else _too_short(position, [head for head in genuine if head.position > position])
    )
    events, hash_, root = in_order or (position, before, _grown(tree, leaves).root())
    recorded = {head.position: recorded[head.position] for head in agreed}
    bad_times = [
        VerificationFault("clock", says, head.position) for head, says in faults_of_time(genuine[::-1], recorded, now)
    ]
    faults = [*bad_heads, *bad_times, *bad.faults, *([too_short] if too_short else [])]
    return LogReport(events, hash_, root, agreed, faults, strangers, beginning.position, bad.unlisted)


class _Step(NamedTuple):
    """How to go on after a row that is not simply the next event."""

    belongs: bool
    """It has a place in the log: the next event follows it."""
    sound: bool
    """Its stream, version and time are believed."""
    moved: bool = False
    """The positions of later events no longer match the number of rows before them."""


class _BadEvents:
    """Collects the bad events, and tells them from good ones that only follow them."""

    def __init__(self) -> None:
        self.faults: list[VerificationFault] = []
        self.unlisted = 0
        self._lost = 0
        """Events that are missing, or whose stream is not believed: each explains a gap in the versions of a stream."""
        self._lost_before = 0
        self._instead: int | None = None
        """The position that comes next if only the position of the last row was wrong."""
        self._other_before: list[bytes] = []
        """Other hashes that the next event may have been hashed with."""

    @property
    def ends_the_log(self) -> bool:
        """Whether the log was not read to its end, so that its length is not known."""
        return bool(self.faults) and self.faults[-1].kind == "unreadable"

    def list(self, fault: VerificationFault | None) -> None:
        """Add a fault, if there is one; beyond `MOST_LISTED` faults, only count it."""
        if fault is None:
            return
        if len(self.faults) < MOST_LISTED:
            self.faults.append(fault)
        else:
            self.unlisted += 1

    def step_over(self, encoded: bytes, hash_: bytes, position: int, version: int, last: int, before: bytes) -> _Step:
        """Judge a row that does not simply follow the event at `position`, and list what is wrong with it."""
        found, its_version, recorded_at, _ = _NUMBERS(encoded)
        hashes = [before, *self._other_before]
        in_place = found == position + 1
        if not in_place and found == self._instead:
            in_place, self._lost = True, self._lost_before + 1
        self._other_before, self._instead = [], None
        ahead = its_version - version - 1
        explained = 0 <= ahead <= self._lost
        if not in_place:
            self.list(_bad_event(encoded, position + 1, version, last))
            self._instead, self._lost_before = position + 2, self._lost
            if found < position + 1:
                # An event too many: what follows may be hashed with it, or without it.
                self._other_before = [hash_]
                return _Step(belongs=False, sound=False, moved=True)
            self._lost += found - position - 1
            sound = 0 <= ahead <= self._lost and last < recorded_at <= LATEST
            return _Step(belongs=True, sound=sound, moved=True)
        in_time = last < recorded_at <= LATEST
        if explained and in_time and any(hash_of(one, encoded) == hash_ for one in hashes):
            self._lost -= ahead
            return _Step(belongs=True, sound=True)
        believed = its_version - 1 if explained else version
        self.list(_bad_event(encoded, found, believed, last))
        self._lost += 1
        self._other_before = [hash_of(one, encoded) for one in hashes]
        return _Step(belongs=True, sound=False)


def _bad_event(encoded: bytes, position: int, version: int, last: int) -> VerificationFault:
    """The condition that an event violates; the one that explains the others comes first."""
    found, its_version, recorded_at, length = _NUMBERS(encoded)
    stream = encoded[_STREAM : _STREAM + length].decode(errors="replace")
    of = {"found": found, "position": position, "its_version": its_version, "version": version}
    if found > position:
        says = say("position {found} comes where {position} belongs: it is missing, or moved", **of)
        return VerificationFault("missing", says, position)
    if found < position:
        says = say("position {found} comes where {position} belongs: it is there twice, or moved", **of)
        return VerificationFault("order", says, position, stream)
    if its_version != version + 1:
        says = say("it is version {its_version} of its stream, which is at version {version}", **of)
        return VerificationFault("version", says, position, stream)
    if not last < recorded_at <= LATEST:
        says = say("it was recorded before the event it follows, or with it, or beyond the calendar")
        return VerificationFault("time", says, position, stream)
    return VerificationFault(
        "hash", say("its bytes, or the event before it, are not what was hashed"), position, stream
    )


def _grown(tree: MerkleTree, leaves: list[bytes]) -> MerkleTree:
    """Move the leaves into the tree, and return it."""
    tree.extend(leaves)
    leaves.clear()
    return tree


def _disagreeing(
    to_come: list[LogHead], hash_: bytes, tree: MerkleTree, agreed: list[LogHead]
) -> VerificationFault | None:
    """Compare the heads at the last event of a tree. Returns the fault of the first head that differs.

    Heads that agree move from `to_come` to `agreed`. After a head that differs all later heads would differ too, so
    `to_come` is emptied.
    """
    while to_come and to_come[-1].position == tree.size:
        head = to_come.pop()
        if (head.hash, head.root) != (hash_, tree.root()):
            to_come.clear()
            return _rewritten(head, tree, agreed)
        agreed.append(head)
    return None


def _rewritten(head: LogHead, tree: MerkleTree, agreed: Sequence[LogHead]) -> VerificationFault:
    """The chain is valid but not the signed one: narrow down where they differ."""
    sizes = [1 << bit for bit in reversed(range(tree.size.bit_length())) if tree.size >> bit & 1]
    first, end = 1, head.position
    for leaves, ours, theirs in zip(sizes, tree.peaks, head.peaks, strict=True):
        if ours != theirs:
            end = first + leaves - 1
            break
        first += leaves
    first = max([first, *(one.position + 1 for one in agreed)])
    when = f"{head.signed_at:%Y-%m-%d %H:%M:%S} UTC"
    says = say(
        "the head of {when}, for position {position}, signs other events than this log has: rewritten",
        when=when,
        position=head.position,
    )
    return VerificationFault("rewritten", says, first, until=end)


def _too_short(position: int, to_come: Sequence[LogHead]) -> VerificationFault | None:
    """The fault of a log that is empty, or that ends before the heads `to_come`, which are given latest first."""
    if to_come:
        log = say("the log ends at {position}", position=position) if position else say("the log is empty")
        says = say(
            "{log}, but a head was signed at {position}: what came after is gone", log=log, position=to_come[0].position
        )
        return VerificationFault("beyond", says, position + 1)
    if position == 0:
        return VerificationFault("empty", say("the log has no event: nothing was ever appended, or everything is gone"))
    return None
