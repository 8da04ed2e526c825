"""Consistency proofs: a small file that shows, without the log, that the log extends the log of a kept head."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from league.audit.exact_json import read_digits, read_exactly
from league.audit.merkle import RootOf, consistency_path, is_consistent
from league.audit.proofs import BadProof
from league.audit.signed_heads import Head, WrittenHead, as_json, flaw_of

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


def check_consistency(text: bytes, kept: Sequence[Head], trusted: Sequence[bytes]) -> tuple[Head, Head]:
    """The kept head and the newer one whose log extends it, by trusted keys. Raises BadProof."""
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
            raise BadProof(
                f"the head at {one.position} is signed by {one.key.hex()}, which is not one of the given keys"
            )
        if flaw := flaw_of(one):
            raise BadProof(f"the head at {one.position} {flaw}")
    for one in older:
        if not is_consistent(one.position, one.root, head.position, head.root, path):
            raise BadProof(f"it does not lead from the kept head at {one.position} to the one at {head.position}")
    return older[0], head
