"""The page on which an auditor reads what to check, and the one-file checker beside it."""

from __future__ import annotations

import re
import runpy
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import get_args

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from proof_files import PUBLIC, SignedLog, written

from league.audit.merkle import root_over
from league.audit.proofs import BadProof, check_proof, read_log
from league.audit.signed_heads import BadHead, is_genuine, raw, read_heads
from league.audit.verification import FaultKind, verify_log
from league.eventlog.encoded_rows import FIRST, HashedRow, encode, hash_of, microseconds
from league.eventlog.sealing import unseal

PAGE = Path(__file__).parents[2] / "docs" / "verify.md"

checker = runpy.run_path(str(PAGE.with_name("check_log.py")))
is_signed, order = checker["is_signed"], checker["ORDER"]


def some_files() -> dict[str, bytes]:
    """A log of five events, a head over it, and a proof of two of them; each proves what it should."""
    signed = SignedLog([b'{"hand":%d}' % position for position in range(1, 6)])
    return {"log": signed.log(), "head": written(signed.head(5)), "proof": signed.proof(3, 4)}


def accepted(kind: str, file: bytes) -> bool:
    """Whether the program accepts a file."""
    try:
        if kind == "log":
            return not verify_log(read_log(BytesIO(file))).faults
        if kind == "head":
            return all(is_genuine(head) and head.key == PUBLIC for head in read_heads(file))
        return bool(check_proof(file, [PUBLIC], datetime.now(UTC)))
    except (BadProof, BadHead):
        return False


def accepted_by_checker(kind: str, file: bytes) -> bool:
    """Whether the one-file checker accepts a file."""
    keys = [PUBLIC.hex()]
    try:
        if kind == "head":
            checker["check_head"](checker["read"](file.decode()), keys)
        else:
            with NamedTemporaryFile(suffix=".jsonl" if kind == "log" else ".json") as given_file:
                given_file.write(file)
                given_file.flush()
                checker["main"](keys, Path(given_file.name), [])
        return True
    except (SystemExit, *checker["UNREADABLE"]):
        return False


FILES = some_files()


@pytest.mark.heavy
@settings(max_examples=200)
@given(st.sampled_from(sorted(FILES)), st.integers(0, 5_000), st.integers(0, 1), st.binary(max_size=1))
@example("log", 0, 0, b"\r")
def test_the_checker_and_the_program_agree(kind: str, place: int, taken: int, put: bytes) -> None:
    """Whatever byte of a file is changed, taken out or put in, both accept it, or neither."""
    file = FILES[kind]
    place %= len(file)
    changed = file[:place] + put + file[place + taken :]
    assume(kind != "proof" or b'"league-proof/1"' in changed)  # which kind of proof it is, is looked at before
    assert accepted_by_checker(kind, file)
    assert accepted_by_checker(kind, changed) == accepted(kind, changed)


@pytest.mark.heavy
@settings(max_examples=30)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=90), st.integers(0, 95), st.integers(1, 255))
def test_the_checker_knows_signatures(seed: bytes, message: bytes, place: int, change: int) -> None:
    """It accepts what was signed; with a byte of the key or of the signature changed it says what the program says."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key, signature = raw(private.public_key()), private.sign(message)
    assert is_signed(key, message, signature)
    assert not is_signed(key, message + b"!", signature)
    assert not is_signed(key, message, signature[:-1])
    # An equal number modulo the order of the curve would be a second signature of the same message.
    high = int.from_bytes(signature[32:], "little") + order
    assert not is_signed(key, message, signature[:32] + high.to_bytes(32, "little"))
    changed = bytearray(key + signature)
    changed[place] ^= change
    assert is_signed(bytes(changed[:32]), message, bytes(changed[32:])) is False


def test_the_examples_of_the_page() -> None:
    """The bytes, hashes and the root that the page shows are those that the program computes."""
    page = PAGE.read_text(encoding="utf-8")
    recorded, state = datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=UTC), b'{"actor":"kim"}'
    first = encode(HashedRow(1, 1, microseconds(recorded), "player:ana", "player-registered/1", state))
    later = microseconds(recorded + timedelta(microseconds=1))
    second = encode(HashedRow(2, 1, later, "match:m1", "match-opened/1", state))
    hashes = [hash_of(FIRST, first)]
    hashes.append(hash_of(hashes[0], second))
    shown = page.split("…}\n")[1].split("hash ")[0]
    bytes_shown = "".join("".join(line.split()[:2]) for line in shown.splitlines() if line.strip())
    assert bytes_shown == first.hex()
    for value in (*hashes, root_over(hashes)):
        assert f" {value.hex()}\n" in page


def test_the_sealed_name_of_the_page_opens() -> None:
    """The example opens with its own key in its own stream, and with no other."""
    key, name = re.findall(r"^    ([0-9a-f]{64}|[A-Za-z0-9+/=]{40,})$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    body = msgspec.json.encode({"name": name})
    keys = {"player:ana": bytes.fromhex(key), "player:bea": bytes.fromhex(key)}
    assert unseal(body, ["name"], "player:ana", keys) == b'{"name":"Ana"}'
    assert unseal(body, ["name"], "player:bea", keys) == b'{"name":null}'


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_the_page_says_what_each_fault_means(kind: str) -> None:
    """The first column of the page's table has every kind of fault."""
    rows = [line.split("|")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert any(f"`{kind}`" in row for row in rows)


def test_the_checker_is_used_as_the_page_says() -> None:
    """The page shows the same three lines as the file."""
    shown = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("    python check_log.py")
    ]
    assert shown == [line for line in checker["__doc__"].splitlines() if line.startswith("    python")]
    assert len(shown) == 3
