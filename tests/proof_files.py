"""Small logs that a key of the tests has signed, and proofs of their events, made without a database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from league.audit.merkle import MerkleTree, root_over
from league.audit.proofs import make_consistency, make_proof, write_log
from league.audit.signed_heads import LogHead, as_json, raw, sign
from league.eventlog.encoded_rows import FIRST, HashedRow, encode, hash_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = raw(KEY.public_key())
SIGNED_AT = datetime(2026, 3, 1, tzinfo=UTC)


class SignedLog:
    """Events in one stream, and heads and proofs under the key of the tests."""

    def __init__(self, states: Sequence[bytes], stream: str = "match:m1", name: str = "hand-recorded/1") -> None:
        self.events, before = list[tuple[HashedRow, bytes, bytes]](), FIRST
        for position, state in enumerate(states, 1):
            entry = HashedRow(position, position, position * 1_000_000 - 7, stream, name, state)
            hash_ = hash_of(before, encode(entry))
            self.events.append((entry, hash_, before))
            before = hash_

    def _root_of(self, start: int, end: int) -> bytes:
        return root_over(hash_ for _, hash_, _ in self.events[start:end])

    def head(self, position: int, signed_at: datetime = SIGNED_AT) -> LogHead:
        """The signed head of a position."""
        tree = MerkleTree()
        tree.extend([hash_ for _, hash_, _ in self.events[:position]])
        return sign(KEY, tree, self.events[position - 1][1], signed_at)

    def log(self) -> bytes:
        """The log as a file."""
        written = BytesIO()
        write_log(((encode(entry), hash_) for entry, hash_, _ in self.events), written)
        return written.getvalue()

    def proof(self, first: int, last: int, head: int | None = None, signed_at: datetime = SIGNED_AT) -> bytes:
        """The proof of the events from one position to another, under the head of a position, or else the last."""
        under = self.head(len(self.events) if head is None else head, signed_at)
        return msgspec.json.encode(make_proof(self.events[first - 1 : last], under, self._root_of))

    def growth(self, since: int, position: int, signed_at: datetime = SIGNED_AT) -> bytes:
        """The proof that the log grew from one position to another."""
        return msgspec.json.encode(make_consistency(since, self.head(position, signed_at), self._root_of))


def written(head: LogHead) -> bytes:
    """A head as a file."""
    return msgspec.json.encode(as_json(head))
