"""The core of the page that checks proofs judges every file as the program does. Run by node, without a browser."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from proof_files import KEY, PUBLIC, SIGNED_AT, SignedLog, written

from league.audit.proofs import BadProof, check_consistency, check_proof
from league.audit.signed_heads import LogHead, public_pem, raw
from league.console.checker_page import PAGE
from league.eventlog.encoded_rows import moment

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[2]
VARIANTS = 4_000

LOG = SignedLog([b'{"actor":"kim","body":{"hand":%d}}' % hand for hand in range(1, 12)])
OTHER_LOG = SignedLog([b'{"actor":"kim","body":{"hand":%d}}' % hand for hand in range(2, 13)])
PROOF, GROWTH = LOG.proof(3, 5), LOG.growth(4, 11)
STRANGER = raw(Ed25519PrivateKey.generate().public_key())


def case(proof: bytes | None, *kept: bytes, key: str = PUBLIC.hex()) -> dict[str, Any]:
    """A proof, the key that is trusted and files of heads that are kept. None: the heads themselves are checked."""
    given = None if proof is None else b64encode(proof).decode()
    return {"proof": given, "keys": [key], "kept": [b64encode(one).decode() for one in kept]}


def said(*cases: dict[str, Any]) -> list[dict[str, Any]]:
    """The core's verdict on each case, after its words. Skips the test if node is not installed."""
    if shutil.which("node") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is not installed")
        pytest.skip("needs node")
    done = subprocess.run(
        ["node", ROOT / "tests" / "node" / "check_proofs.js", PAGE],
        input="\n".join(map(json.dumps, cases)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def holds(proof: bytes) -> bool:
    """Whether the program accepts it."""
    try:
        check_proof(proof, [PUBLIC], datetime.now(UTC))
    except BadProof:
        return False
    return True


def grew(proof: bytes, kept: LogHead | None = None) -> bool:
    """Whether the program accepts it for a head of position 4."""
    try:
        check_consistency(proof, [kept or LOG.head(4)], [PUBLIC], datetime.now(UTC))
    except BadProof:
        return False
    return True


TOKENS = re.compile(rb'"[^"]*"|[0-9]+|[\[\]{},:]')
NUMBERS = [*b"0 -0 1.0 1e0 05 -1 9223372036854775807 9223372036854775808 18446744073709551616".split(), b"9" * 400]
TIMES = b"""
    2026-02-30T00:00:00Z 2026-03-01T24:00:00Z 2026-03-01T00:00:00.000000Z 0000-01-01T00:00:00Z 0001-01-01T00:00:00Z
    2026-03-01T00:00:00+00:00 2026-03-01t00:00:00z 2026-03-01T00:00:00.1Z 9999-12-31T23:59:59.999999Z
""".split()
PIECES = [*rb'null true [] {} "" " \ \u0061 \ud800 \n \u000a = A ,'.split(), b"[" * 10000]
SPACES = [*map(str.encode, ["\n", "\t", "\r\n", "\x0b", "\x0c", "\x00", "\x7f", "\xa0", "\u2028", "\ufeff"]), b" "]
NO_UTF8 = [b"\xff", b"\xed\xa0\x80", b"\xc0\xaf"]
PUT = NUMBERS + TIMES + PIECES + SPACES + NO_UTF8
OTHER_DIGIT = bytes.maketrans(b"0123456789abcdef", b"1234567890bcdefa")


def changed(file: bytes, rng: Random) -> bytes:
    """A file with one change: of a byte, of a piece, or of the order of its pieces."""
    place, kind = rng.randrange(len(file)), rng.randrange(6)
    if kind == 0:
        return file[:place] + bytes([rng.randrange(256)]) + file[place + 1 :]
    if kind == 1:  # another digit, where there is one
        return file[:place] + file[place : place + 1].translate(OTHER_DIGIT) + file[place + 1 :]
    if kind == 2:
        return file[:place] + rng.choice(PUT) + file[place + rng.randrange(2) :]
    tokens = list(TOKENS.finditer(file))
    one, other = sorted(rng.sample(tokens, 2), key=re.Match[bytes].start)
    if kind == 3:
        return file[: one.start()] + rng.choice(PUT) + file[one.end() :]
    if kind == 4:  # something comes twice
        return file[: one.start()] + one[0] + file[one.start() :]
    between = file[one.end() : other.start()]
    return file[: one.start()] + other[0] + between + one[0] + file[other.end() :]


@pytest.mark.parametrize(("file", "of_program", "kept"), [(PROOF, holds, []), (GROWTH, grew, [written(LOG.head(4))])])
def test_the_core_and_the_program_agree(rng: Random, file: bytes, of_program: Any, kept: list[bytes]) -> None:
    """For any change to a file, both accept it, or neither does."""
    kind = b'"league-consistency/' if kept else b'"league-proof/'
    variants = [one for one in (changed(file, rng) for _ in range(VARIANTS)) if kind in one]
    spaced = file.replace(b",", b" ,\n\t").replace(b":{", b" : \r\n{") + b" \n"
    duplicate = file.replace(b'{"position":', b'{"position":1,"position":', 1)
    variants += [file, spaced, duplicate, file[:-1], file[: len(file) // 2], b"", b"{", b"[" * 200_000]
    _, *answers = said(*(case(one, *kept) for one in variants))
    wrong = [one for one, answer in zip(variants, answers, strict=True) if answer["holds"] != of_program(one)]
    assert not wrong
    assert answers[len(variants) - 8]["holds"]
    assert answers[len(variants) - 7]["holds"], "white space does not matter"
    assert sum(answer["holds"] for answer in answers) < len(answers) / 5


def test_each_step_says_why_it_fails() -> None:
    """Each step of the check refuses the change that it is made for."""
    zeros, head = bytes(32).hex().encode(), written(LOG.head(11))
    peak = LOG.head(11).peaks[0].hex().encode()
    (step, *_) = re.findall(rb'"path":\["([0-9a-f]{64})', PROOF)
    first, second = (re.search(rb'"events":\[(.*)\]\}$', LOG.proof(at, at))[1] for at in (3, 4))  # type: ignore[index]  # it is there
    twisted = LOG.proof(3, 3).replace(first, second + b"," + first)
    assert not holds(twisted)
    table: list[tuple[dict[str, Any], str | None]] = [
        (case(PROOF), None),
        (case(PROOF, key=public_pem(KEY)), None),
        (case(PROOF, key=f"{STRANGER.hex()}\n{PUBLIC.hex()}"), None),
        (case(PROOF, key=STRANGER.hex()), "other_key"),
        (case(PROOF, key="03a1"), "no_key"),
        (case(b"\xff"), "not_utf8"),
        (case(PROOF.replace(b"league-proof/1", b"league-proof/2")), "other_format"),
        (case(PROOF.replace(b'"head":', b'"head":null,"head":', 1)), "unexpected"),
        (case(PROOF[:-1]), "unexpected_end"),
        (case(LOG.proof(1, 0)), "no_event"),
        (case(PROOF.replace(b'"position":11', b'"position":12', 1)), "flaw_signature"),
        (case(PROOF.replace(peak, zeros, 1)), "flaw_peaks"),
        (case(PROOF.replace(b'{"position":3,', b'{"position":2,', 1)), "other_hash"),
        (case(PROOF.replace(step, zeros, 1)), "other_root"),
        (case(re.sub(rb'"path":\[[^]]*\]', b'"path":[]', PROOF)), "no_path"),
        (case(twisted), "not_later"),
        (case(PROOF, head), None),
        (case(PROOF, written(OTHER_LOG.head(11))), "two_histories"),
        (case(PROOF, head.replace(b'"position":11', b'"position":10')), "kept_not_signed"),
        (case(PROOF, written(replace(LOG.head(11), key=STRANGER))), "none_counts"),
        (case(GROWTH), "not_kept"),
        (case(GROWTH, written(LOG.head(4))), None),
        (case(GROWTH, written(OTHER_LOG.head(4))), "did_not_grow"),
        (case(LOG.proof(3, 5, 11, datetime(1999, 12, 31, tzinfo=UTC))), "clock_before"),
        (case(LOG.proof(3, 5, 11, datetime.now(UTC) + timedelta(days=1))), "clock_future"),
        (case(PROOF, written(LOG.head(4, SIGNED_AT + timedelta(days=1)))), "clock_order"),
        (case(GROWTH, written(LOG.head(4, SIGNED_AT + timedelta(days=1)))), "clock_order"),
        (case(None, written(LOG.head(4, SIGNED_AT + timedelta(days=1))), head), "clock_order"),
        (case(None, written(LOG.head(4)), head), None),
    ]
    _, *answers = said(*(one for one, _ in table))
    assert [answer.get("why") for answer in answers] == [why for _, why in table]
    assert [answer["holds"] for answer in answers] == [why is None for _, why in table]


def test_the_core_and_the_program_agree_on_times(rng: Random) -> None:
    """Heads are tried with times around those of their events, and around now."""
    files, expected = list[dict[str, Any]](), list[bool]()
    now, minute = datetime.now(UTC), timedelta(minutes=1)
    for _ in range(200):
        last, older = (
            (now if rng.random() < 0.5 else moment(LOG.events[10][0].recorded_at))
            + rng.choice([-6, -4, 0, 4, 6]) * minute
            for _ in range(2)
        )
        proof, growth, kept = LOG.proof(9, 11, 11, last), LOG.growth(4, 11, last), LOG.head(4, older)
        files += [case(proof), case(growth, written(kept))]
        expected += [holds(proof), grew(growth, kept)]
    _, *answers = said(*files)
    assert [answer["holds"] for answer in answers] == expected
    assert 50 < sum(expected) < 350


def test_heads_that_say_nothing_against_a_proof_are_notes() -> None:
    """Such heads sign another position, or are by another key."""
    stranger: LogHead = replace(LOG.head(7), key=STRANGER)
    _, answer = said(case(PROOF, b"[" + written(LOG.head(7)) + b"," + written(stranger) + b"]"))
    assert answer == {"holds": True, "notes": ["kept_by_other_key", "other_head"]}


def test_growth_of_every_length_agrees() -> None:
    """Growth is checked from every position to every later one, and with the path of another pair."""
    pairs = [(since, position) for position in range(1, 12) for since in range(1, position + 1)]
    right = [case(LOG.growth(*pair), written(LOG.head(pair[0]))) for pair in pairs]
    wrong = [case(LOG.growth(*pair), written(OTHER_LOG.head(pair[0]))) for pair in pairs]
    _, *answers = said(*right, *wrong)
    assert [answer["holds"] for answer in answers] == [True] * len(right) + [False] * len(wrong)


def test_both_ways_to_check_signatures_agree(rng: Random) -> None:
    """The browser and the library agree on changed bytes, on a second encoding, and on the cofactor."""
    checker = runpy.run_path(str(ROOT / "docs" / "check_log.py"))
    triples = list[tuple[bytes, bytes, bytes]]()
    for _ in range(60):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(rng.randrange(90))
        public, signature = raw(key.public_key()), key.sign(message)
        triples.append((public, message, signature))
        place, flipped = rng.randrange(96), bytearray(public + signature)
        flipped[place] ^= rng.randrange(1, 256)
        triples.append((bytes(flipped[:32]), message, bytes(flipped[32:])))
        high = int.from_bytes(signature[32:], "little") + checker["ORDER"]
        triples.append((public, message, signature[:32] + high.to_bytes(32, "little")))
        triples.append((public, message, signature[:-1]))
    triples.append(with_cofactor(checker))
    _, *answers = said(*({"signature": [b64encode(part).decode() for part in triple]} for triple in triples))
    expected = [checker["is_signed"](*triple) for triple in triples]
    assert [answer["library"] for answer in answers] == expected
    assert [answer["browser"] for answer in answers] == expected
    assert sum(expected) == 60


def with_cofactor(checker: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    """A signature that holds only for those who multiply by the cofactor: its point is off by one of small order."""
    secret, nonce, message, order = 12345, 67890, b"a head", checker["ORDER"]
    y = 2
    while (point := checker["point_of"](y.to_bytes(32, "little"))) is None or checker["encoded"](
        checker["multiply"](4 * order, point)
    ) == (1).to_bytes(32, "little"):
        y += 1
    small = checker["multiply"](order, point)
    public = checker["encoded"](checker["multiply"](secret, checker["BASE"]))
    first = checker["encoded"](checker["add"](checker["multiply"](nonce, checker["BASE"]), small))
    digest = checker["sha512"](first + public + message).digest()
    s = (nonce + int.from_bytes(digest, "little") * secret) % order
    return public, message, first + s.to_bytes(32, "little")


def test_every_text_is_there_in_both_languages() -> None:
    """Both have the same values, and no text is empty."""
    [answer] = said()
    words = answer["words"]
    assert words.keys() == {"en", "es"}
    assert words["en"].keys() == words["es"].keys()
    for key, english in words["en"].items():
        spanish = words["es"][key]
        assert spanish
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", spanish)), key
