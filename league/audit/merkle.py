"""The Merkle tree of RFC 6962 over the hashes of a log; growing it needs only a few hashes of memory.

It can prove that it contains a leaf (inclusion), and that it extends another tree (consistency).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice

NODE = b"\x01"
"""The prefix of a node's hash input, so that a node cannot be mistaken for an event."""
AT_ONCE = 4_096
"""How many leaves are added in one batch."""
EMPTY = sha256(b"").digest()
"""The root of a tree without leaves."""

RootOf = Callable[[int, int], bytes]
"""The root over the leaves from the first number (inclusive) to the second (exclusive)."""


class MerkleTree:
    """A tree that grows leaf by leaf. It stores its peaks: the roots of full trees of 2^n leaves, largest first."""

    def __init__(self, size: int = 0, peaks: Iterable[bytes] = ()) -> None:
        self.size, self.peaks = size, list(peaks)

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Append leaves on the right: binary addition in which every carry is a hash."""
        level, size, peaks = list(leaves), self.size, []
        while level or size:
            if size & 1:
                level.insert(0, self.peaks.pop())
            if len(level) & 1:
                peaks.append(level.pop())
            level = [sha256(NODE + left + right).digest() for left, right in zip(level[::2], level[1::2], strict=True)]
            size >>= 1
        self.peaks = peaks[::-1]
        self.size += len(leaves)

    def root(self) -> bytes:
        """The root over all leaves so far."""
        if not self.peaks:
            return EMPTY
        root = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            root = node(peak, root)
        return root


def root_over(leaves: Iterable[bytes]) -> bytes:
    """The root of a tree with these leaves; holds only a few of them at a time."""
    tree, left = MerkleTree(), iter(leaves)
    while some := list(islice(left, AT_ONCE)):
        tree.extend(some)
    return tree.root()


def middle(start: int, end: int) -> int:
    """The size of a tree's left subtree, which is full: the largest power of two below the size of the tree."""
    return start + (1 << (end - start - 1).bit_length() - 1)


def node(left: bytes, right: bytes) -> bytes:
    """The root of a tree with these left and right subtrees."""
    return sha256(NODE + left + right).digest()


def audit_path(leaf: int, size: int, root_of: RootOf) -> list[bytes]:
    """The hashes that lead from a leaf (counted from 0) to the root of its tree, from the leaf up."""
    return [root_of(start, end) for start, end in _siblings(leaf, 0, size)][::-1]


def _siblings(leaf: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sibling subtrees along the path from the root down to a leaf."""
    while end - start > 1:
        half = middle(start, end)
        if leaf < half:
            yield half, end
            end = half
        else:
            yield start, half
            start = half


def root_by_path(hash_: bytes, leaf: int, size: int, path: Iterable[bytes]) -> bytes | None:
    """The root that a leaf's hash and its audit path lead to (RFC 9162, 2.1.3.2); None for an impossible path."""
    if not 0 <= leaf < size:
        return None
    last, root = size - 1, hash_
    for sibling in path:
        if last == 0:
            return None
        if leaf & 1 or leaf == last:
            root = node(sibling, root)
            while not leaf & 1 and leaf:
                leaf, last = leaf >> 1, last >> 1
        else:
            root = node(root, sibling)
        leaf, last = leaf >> 1, last >> 1
    return root if last == 0 else None


def consistency_path(first: int, size: int, root_of: RootOf) -> list[bytes]:
    """The proof that a tree of this size extends its first `first` leaves, at least one (RFC 9162, 2.1.4.1).

    The roots of both follow from it. It is empty if both are the same tree.
    """
    beside, start, end = list[tuple[int, int]](), 0, size
    while end != first:
        half = middle(start, end)
        if first <= half:
            beside.append((half, end))
            end = half
        else:
            beside.append((start, half))
            start = half
    # The rest belongs to both trees. It is the first tree itself, whose root is known, or a part of it.
    common = [(start, end)] if start else []
    return [root_of(*span) for span in common + beside[::-1]]


def is_consistent(first: int, first_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """Whether a path proves that the tree with this root extends the first tree (RFC 9162, 2.1.4.2)."""
    if not 0 < first <= size:
        return False
    if first == size:
        return first_root == root and not path
    if first.bit_count() == 1:
        # The first tree is full: both have its root in common.
        path = [first_root, *path]
    if not path:
        return False
    leaf, last = first - 1, size - 1
    while leaf & 1:
        leaf, last = leaf >> 1, last >> 1
    its_root = whole = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if leaf & 1 or leaf == last:
            its_root, whole = node(sibling, its_root), node(sibling, whole)
            while not leaf & 1 and leaf:
                leaf, last = leaf >> 1, last >> 1
        else:
            whole = node(whole, sibling)
        leaf, last = leaf >> 1, last >> 1
    return last == 0 and (its_root, whole) == (first_root, root)
