"""Proofs of consistency: a small file that shows, without the log, that it began as a kept head says."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from league.audit.exact_json import read_digits, read_exactly
from league.audit.merkle import RootOf, consistency_path, is_consistent
from league.audit.proofs import BadProof
from league.audit.signed_heads import Head, WrittenHead, as_json, flaw_of

FORMAT = "league-consistency/1"


class Consistency(msgspec.Struct, frozen=True):
    """The file. The older head is not in it: the checker has kept it."""

    format: str
    since: int
    """The position of the older head."""
    head: WrittenHead
    """The newer one, as `league heads --json` has it."""
    path: tuple[str, ...]
    """The hashes from which the roots of both follow (RFC 9162, 2.1.4), hexadecimal."""


def make_consistency(since: int, head: Head, root_of: RootOf) -> Consistency:
    """What shows that the log of a head began as one of `since` events, of which there is one at least.

    `root_of` gives the root over the events after one position, up to and with another.
    """
    path = consistency_path(since, head.position, root_of)
    return Consistency(FORMAT, since, as_json(head), tuple(step.hex() for step in path))


def check_consistency(text: bytes, kept: Sequence[Head], trusted: Sequence[bytes]) -> tuple[Head, Head]:
    """The kept head and the newer one whose log began as it says, for who trusts these keys. Raises BadProof."""
    try:
        proof = read_exactly(text, Consistency)
        head, path = proof.head.head(), [read_digits(step) for step in proof.path]
    except ValueError as error:
        raise BadProof(f"it is no proof ({error})") from error
    if proof.format != FORMAT:
        raise BadProof(f"its format is {proof.format!r}, not {FORMAT!r}")
    older = [one for one in kept if one.position == proof.since]
    if not older:
        raise BadProof(f"it begins at position {proof.since}, and no head that was kept signs that")
    for one in (*older, head):
        if one.key not in trusted:
            raise BadProof(f"the head at {one.position} is signed by {one.key.hex()}, which is no key that was given")
        if flaw := flaw_of(one):
            raise BadProof(f"the head at {one.position} {flaw}")
    for one in older:
        if not is_consistent(one.position, one.root, head.position, head.root, path):
            raise BadProof(f"it does not lead from the kept head at {one.position} to the one at {head.position}")
    return older[0], head
