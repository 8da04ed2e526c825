"""The Merkle tree: the roots of RFC 6962 whatever way it grows, paths that lead to them, and from one to the next."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.audit.merkle import EMPTY, MerkleTree, audit_path, consistency_path, is_consistent, root_by_path, root_over

ENTRIES = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
"""Roots from the tests of Certificate Transparency, by the size of the tree."""


def leaves(count: int) -> list[bytes]:
    return [sha256(number.to_bytes(4, "big")).digest() for number in range(count)]


def defined(entries: list[bytes]) -> bytes:
    """The definition, word by word (RFC 6962, 2.1), over hashes of leaves."""
    if len(entries) == 1:
        return entries[0]
    split = 1
    while split * 2 < len(entries):
        split *= 2
    return sha256(b"\x01" + defined(entries[:split]) + defined(entries[split:])).digest()


@pytest.mark.parametrize(
    ("size", "root"),
    [
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ],
)
def test_the_roots_of_certificate_transparency(size: int, root: str) -> None:
    """The published trees of other programs have the same roots here."""
    hashes = [sha256(b"\x00" + bytes.fromhex(entry)).digest() for entry in ENTRIES[:size]]
    assert root_over(hashes).hex() == root


@settings(max_examples=60)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_a_tree_grows_in_any_pieces(pieces: list[int]) -> None:
    """However many leaves come at once, also when it is taken up again from its peaks, the root is the defined one."""
    every, tree = leaves(sum(pieces)), MerkleTree()
    for piece in pieces:
        tree = MerkleTree(tree.size, tree.peaks)
        tree.extend(every[tree.size : tree.size + piece])
    assert tree.root() == (defined(every) if every else EMPTY)
    assert len(tree.peaks) == len(every).bit_count()


@settings(max_examples=100)
@given(st.integers(1, 200), st.data())
def test_a_path_leads_to_the_root_and_no_other_does(size: int, data: st.DataObject) -> None:
    """Each leaf has a path; a changed hash, leaf number or length of path leads elsewhere."""
    every = leaves(size)
    leaf = data.draw(st.integers(0, size - 1))
    path = audit_path(leaf, size, lambda start, end: root_over(every[start:end]))
    root = root_over(every)
    assert root_by_path(every[leaf], leaf, size, path) == root
    assert root_by_path(bytes(32), leaf, size, path) != root
    assert root_by_path(every[leaf], size, size, path) is None
    assert root_by_path(every[leaf], leaf, size, [*path, bytes(32)]) != root
    if path:
        other = data.draw(st.integers(0, size - 1).filter(lambda number: number != leaf))
        assert root_by_path(every[leaf], other, size, path) != root
        assert root_by_path(every[leaf], leaf, size, path[:-1]) != root
        step = data.draw(st.integers(0, len(path) - 1))
        assert root_by_path(every[leaf], leaf, size, [*path[:step], bytes(32), *path[step + 1 :]]) != root


def consistency(every: list[bytes], first: int) -> list[bytes]:
    return consistency_path(first, len(every), lambda start, end: root_over(every[start:end]))


def subproof(first: int, entries: list[bytes], known: bool) -> list[bytes]:
    """The definition, word by word (RFC 9162, 2.1.4.1); `known`: the root of the first tree is."""
    if first == len(entries):
        return [] if known else [defined(entries)]
    split = 1
    while split * 2 < len(entries):
        split *= 2
    if first <= split:
        return [*subproof(first, entries[:split], known), defined(entries[split:])]
    return [*subproof(first - split, entries[split:], False), defined(entries[:split])]


@settings(max_examples=80)
@given(st.integers(1, 200), st.data())
def test_a_tree_shows_what_it_began_as(size: int, data: st.DataObject) -> None:
    """For any two sizes the path is the defined one and leads to both roots; no other path, size or root fits."""
    every = leaves(size)
    first = data.draw(st.integers(1, size))
    path, root, first_root = consistency(every, first), root_over(every), root_over(every[:first])
    assert path == subproof(first, every, True)
    assert is_consistent(first, first_root, size, root, path)
    assert not is_consistent(first, bytes(32), size, root, path)
    assert not is_consistent(first, first_root, size, bytes(32), path)
    assert not is_consistent(first, first_root, size, root, [*path, bytes(32)])
    assert not is_consistent(0, EMPTY, size, root, path)
    assert not is_consistent(size + 1, first_root, size, root, path)
    if path:
        assert not is_consistent(first, first_root, size, root, path[:-1])
        step = data.draw(st.integers(0, len(path) - 1))
        assert not is_consistent(first, first_root, size, root, [*path[:step], bytes(32), *path[step + 1 :]])


@settings(max_examples=100)
@given(st.integers(2, 200), st.data())
def test_a_tree_that_began_otherwise_shows_nothing(size: int, data: st.DataObject) -> None:
    """If one leaf of the first tree was changed, no path of the new tree leads to the old root."""
    every = leaves(size)
    first = data.draw(st.integers(1, size))
    first_root = root_over(every[:first])
    every[data.draw(st.integers(0, first - 1))] = bytes(32)
    assert not is_consistent(first, first_root, size, root_over(every), consistency(every, first))


def test_the_consistency_of_certificate_transparency() -> None:
    """The published example: a tree of eight leaves that began as one of six."""
    hashes = [sha256(b"\x00" + bytes.fromhex(entry)).digest() for entry in ENTRIES]
    assert [step.hex() for step in consistency(hashes, 6)] == [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
