"""`league verify-deal`: a good proof, a wrong one, and files that are none."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from commands import runner

DEALS = json.loads((Path(__file__).parents[2] / "docs" / "deals.json").read_text(encoding="utf-8"))
GOOD, *_ = [entry["proof"] for entry in DEALS if not entry["wrong"]]
WRONG = next(entry["proof"] for entry in DEALS if "commitment" in entry["wrong"])


def test_a_good_proof_shows_what_to_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commitment and each seat's contribution; without a database."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql:///no-such-database")
    file = tmp_path / "hand.json"
    file.write_text(json.dumps(GOOD | {"ruleset": "[red]mine[/]"}), encoding="utf-8")
    said = runner(monkeypatch, capsys)("verify-deal", str(file))
    assert said.code == 0
    assert "hand 2 of table friday, [red]mine[/]" in said.out
    assert all(text in said.out for text in (GOOD["commitment"], *GOOD["contributions"]))


def test_a_proof_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`-` as the file stands for standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(GOOD).encode())))
    said = runner(monkeypatch, capsys)("verify-deal", "-")
    assert (said.code, "The deal holds" in said.out) == (0, True)


def test_a_wrong_proof_names_its_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command names the field, and ends with exit code 1."""
    file = tmp_path / "hand.json"
    file.write_text(json.dumps(WRONG), encoding="utf-8")
    said = runner(monkeypatch, capsys)("verify-deal", str(file))
    assert said.code == 1
    assert "wrong commitment: is not the SHA-256 of the secret" in said.out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "is not there"),
        (b"", "is no proof of a deal"),
        (b"\xff\xfe", "is no proof of a deal"),
        (b"[" * 100_000, "is no proof of a deal"),
        (b'{"format": "league-proof/1"}', "$.format"),
        (json.dumps(GOOD | {"extra": 1}).encode(), "unknown field `extra`"),
        (json.dumps(GOOD | {"secret": "00"}).encode(), "$.secret"),
        (json.dumps(GOOD | {"set": "double-twelve"}).encode(), "$.set"),
        (json.dumps({key: value for key, value in GOOD.items() if key != "deals"}).encode(), "`deals`"),
        (json.dumps(GOOD | {"turns": [[0, [1], None]]}).encode(), "$.turns[0]"),
    ],
)
def test_a_file_that_is_no_proof_is_refused(
    content: bytes | None,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command gives the reason, and ends with exit code 2."""
    file = tmp_path / "hand.json"
    if content is not None:
        file.write_bytes(content)
    said = runner(monkeypatch, capsys)("verify-deal", str(file))
    assert said.code == 2
    assert says in " ".join(said.err.split())
