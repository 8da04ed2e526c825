"""Inclusion proofs: a small file that shows, without the log, that a signed head's log contains certain events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from struct import error as OutOfRange  # noqa: N812  # its own name says nothing

import msgspec

from league.audit.exact_json import read_digits, read_exactly
from league.audit.head_times import faults_of_time
from league.audit.log_file import Line, entry_of, line_of
from league.audit.merkle import RootOf, audit_path, root_by_path
from league.audit.signed_heads import Head, WrittenHead, as_json, flaw_of
from league.domain.sentences import say
from league.eventlog.hash_chain import Entry, encode, hash_of

FORMAT = "league-proof/1"


class Proven(msgspec.Struct, frozen=True):
    """An event, and the hashes that lead from it to the root of the head."""

    event: Line
    before: str
    """The hash of the event before it, hexadecimal."""
    path: tuple[str, ...]
    """The audit path, from the leaf up, hexadecimal. The event at position p is leaf p - 1."""


class Proof(msgspec.Struct, frozen=True):
    """The file."""

    format: str
    head: WrittenHead
    """As `league heads --json` prints it."""
    events: tuple[Proven, ...]


class BadProof(Exception):
    """A file that proves nothing; the message says what is wrong."""


class BadTime(BadProof):
    """A proof whose head is dated at a time that cannot be true."""


def make_proof(events: Sequence[tuple[Entry, bytes, bytes]], head: Head, root_of: RootOf) -> Proof:
    """A proof for events, each with its hash and the one before; none of them may be later than the head.

    `root_of` returns the root over the events after one position, up to and including another.
    """
    known: dict[tuple[int, int], bytes] = {}

    def kept(start: int, end: int) -> bytes:
        # Neighbours share all but the lowest of their subtrees.
        if (start, end) not in known:
            known[start, end] = root_of(start, end)
        return known[start, end]

    proven = []
    for entry, hash_, before in events:
        path = audit_path(entry.position - 1, head.position, kept)
        proven.append(Proven(line_of(entry, hash_), before.hex(), tuple(step.hex() for step in path)))
    return Proof(FORMAT, as_json(head), tuple(proven))


def check_proof(text: bytes, trusted: Sequence[bytes], now: datetime) -> tuple[Head, list[Entry]]:
    """The head and the events that a proof file proves, if a trusted key signed it.

    `now`: the clock of whoever checks. Raises BadProof.
    """
    try:
        proof = read_exactly(text, Proof)
        head = proof.head.head()
    except ValueError as error:
        raise BadProof(say("it is no proof ({error})", error=error)) from error
    if proof.format != FORMAT:
        raise BadProof(say("its format is {found!r}, not {wanted!r}", found=proof.format, wanted=FORMAT))
    if not proof.events:
        raise BadProof(say("it holds no event"))
    if head.key not in trusted:
        raise BadProof(say("its head is signed by {hex}, which is not one of the given keys", hex=head.key.hex()))
    if flaw := flaw_of(head):
        raise BadProof(say("its head {flaw}", flaw=flaw))
    entries = [_check(one, head) for one in proof.events]
    if any(one.position >= following.position for one, following in pairwise(entries)):
        raise BadProof(say("its events are not in the order of the log, or one of them is there twice"))
    # The head's event was recorded then, or later.
    check_times([head], {head.position: max(entry.recorded_at for entry in entries)}, now)
    return head, entries


def check_times(heads: Sequence[Head], recorded: Mapping[int, int], now: datetime) -> None:
    """Raise BadTime for a head whose time cannot be true, as `faults_of_time` has it."""
    for _, says in faults_of_time(heads, recorded, now):
        raise BadTime(says)


def _check(one: Proven, head: Head) -> Entry:
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
