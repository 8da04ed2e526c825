"""The page on which an auditor reads what to check, and the one-file checker beside it."""

from __future__ import annotations

import re
import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from league.chain import FIRST, Entry, encode, hash_of, microseconds
from league.merkle import root_over
from league.sealing import unseal
from league.signed_heads import raw
from league.verification import Kind

PAGE = Path(__file__).parent.parent / "docs" / "verify.md"

checker = runpy.run_path(str(PAGE.with_name("check_log.py")))
is_signed, order = checker["is_signed"], checker["ORDER"]


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=90), st.integers(0, 95), st.integers(1, 255))
def test_the_checker_knows_signatures(seed: bytes, message: bytes, place: int, change: int) -> None:
    """It accepts what was signed; with a byte of the key or of the signature changed it says what the program says."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key, signature = raw(private.public_key()), private.sign(message)
    assert is_signed(key, message, signature)
    assert not is_signed(key, message + b"!", signature)
    assert not is_signed(key, message, signature[:-1])
    # The same number modulo the order of the curve: it would be a second signature of the same message.
    high = int.from_bytes(signature[32:], "little") + order
    assert not is_signed(key, message, signature[:32] + high.to_bytes(32, "little"))
    changed = bytearray(key + signature)
    changed[place] ^= change
    assert is_signed(bytes(changed[:32]), message, bytes(changed[32:])) is False


def test_the_examples_of_the_page() -> None:
    """The bytes, hashes and the root that the page shows are those that the program computes."""
    page = PAGE.read_text(encoding="utf-8")
    recorded, state = datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=UTC), b'{"actor":"kim"}'
    first = encode(Entry(1, 1, microseconds(recorded), "player:ana", "player-registered/1", state))
    later = microseconds(recorded + timedelta(microseconds=1))
    second = encode(Entry(2, 1, later, "match:m1", "match-opened/1", state))
    hashes = [hash_of(FIRST, first)]
    hashes.append(hash_of(hashes[0], second))
    shown = page.split("…}\n")[1].split("hash ")[0]
    bytes_shown = "".join("".join(line.split()[:2]) for line in shown.splitlines() if line.strip())
    assert bytes_shown == first.hex()
    for value in (*hashes, root_over(hashes)):
        assert f" {value.hex()}\n" in page


def test_the_sealed_name_of_the_page_opens() -> None:
    """With the key that stands there, in the stream that stands there, and in no other."""
    key, name = re.findall(r"^    ([0-9a-f]{64}|[A-Za-z0-9+/=]{40,})$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    body = msgspec.json.encode({"name": name})
    keys = {"ana": bytes.fromhex(key), "bea": bytes.fromhex(key)}
    assert unseal(body, ["name"], "player:ana", keys) == b'{"name":"Ana"}'
    assert unseal(body, ["name"], "player:bea", keys) == b'{"name":null}'


@pytest.mark.parametrize("kind", get_args(Kind))
def test_the_page_says_what_each_fault_means(kind: str) -> None:
    """In the first column of its table."""
    rows = [line.split("|")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert any(f"`{kind}`" in row for row in rows)


def test_the_checker_is_used_as_the_page_says() -> None:
    """The same three lines stand in the file."""
    shown = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("    python check_log.py")
    ]
    assert shown == [line for line in checker["__doc__"].splitlines() if line.startswith("    python")]
    assert len(shown) == 3
