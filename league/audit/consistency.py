"""Consistency proofs: a small file that shows, without the log, that the log extends the log of a kept head."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from league.audit.exact_json import read_digits, read_exactly
from league.audit.merkle import RootOf, consistency_path, is_consistent
from league.audit.proofs import BadProof, check_times
from league.audit.signed_heads import Head, WrittenHead, as_json, flaw_of
from league.domain.sentences import say

FORMAT = "league-consistency/1"


class Consistency(msgspec.Struct, frozen=True):
    """The file. It does not contain the older head, which the checker has kept."""

    format: str
    since: int
    """The position of the older head."""
    head: WrittenHead
    """The newer head, as `league heads --json` prints it."""
    path: tuple[str, ...]
    """The hashes from which the roots of both heads follow (RFC 9162, 2.1.4), hexadecimal."""


def make_consistency(since: int, head: Head, root_of: RootOf) -> Consistency:
    """Prove that the log of a head extends its first `since` events (at least one).

    `root_of` returns the root over the events after one position, up to and including another.
    """
    path = consistency_path(since, head.position, root_of)
    return Consistency(FORMAT, since, as_json(head), tuple(step.hex() for step in path))


def check_consistency(text: bytes, kept: Sequence[Head], trusted: Sequence[bytes], now: datetime) -> tuple[Head, Head]:
    """The kept head and the newer one whose log extends it, by trusted keys.

    `now`: the clock of whoever checks. Raises BadProof.
    """
    try:
        proof = read_exactly(text, Consistency)
        head, path = proof.head.head(), [read_digits(step) for step in proof.path]
    except ValueError as error:
        raise BadProof(say("it is no proof ({error})", error=error)) from error
    if proof.format != FORMAT:
        raise BadProof(say("its format is {found!r}, not {wanted!r}", found=proof.format, wanted=FORMAT))
    older = [one for one in kept if one.position == proof.since]
    if not older:
        raise BadProof(say("it begins at position {since}, and no head that was kept signs that", since=proof.since))
    for one in (*older, head):
        if one.key not in trusted:
            raise BadProof(
                say(
                    "the head at {position} is signed by {hex}, which is not one of the given keys",
                    position=one.position,
                    hex=one.key.hex(),
                )
            )
        if flaw := flaw_of(one):
            raise BadProof(say("the head at {position} {flaw}", position=one.position, flaw=flaw))
    for one in older:
        if not is_consistent(one.position, one.root, head.position, head.root, path):
            raise BadProof(
                say(
                    "it does not lead from the kept head at {position} to the one at {position_2}",
                    position=one.position,
                    position_2=head.position,
                )
            )
    check_times([*older, head], {}, now)
    return older[0], head
