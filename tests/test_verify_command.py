"""The commands with which an auditor checks a log and a player a proof; and the page for those who do it themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from signed_leagues import SEED, signed_league, unsigned_league

from league import cli
from league.bootstrap import League
from league.chain import FIRST, Entry, encode, hash_of, microseconds
from league.merkle import root_over
from league.signed_heads import public_pem, read_public_key

PAGE = Path(__file__).parent.parent / "docs" / "verify.md"


@pytest.fixture(scope="module")
def league(embedded_server: str) -> Iterator[League]:
    """Tests leave it as it is."""
    with signed_league(embedded_server) as opened:
        yield opened


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(league: League, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run a command in this process; its exit code, and what it printed."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", league.database.url)
    monkeypatch.setenv("LEAGUE_SIGNING_KEY", SEED)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def run_it(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["league", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    def save(name: str, *arguments: object) -> None:
        code, out = run_it(*arguments)
        assert code == 0, out
        (tmp_path / name).write_text(out, encoding="utf-8")

    save("log.jsonl", "export", "log")
    assert run_it("heads", "sign")[0] == 0  # that somebody exported it stands in the log, too
    save("heads.json", "heads", "--json")
    save("key.pem", "heads", "public-key")
    assert run_it("prove", "m1", "--out", "proof.json")[0] == 0
    return run_it


PINNED = ("--heads", "heads.json", "--public-key", "key.pem")


def test_all_is_well(run: Run, league: League) -> None:
    """With heads and key there is nothing to note; without them it is said what they would show."""
    code, out = run("verify", *PINNED)
    assert code == 0, out
    assert "All is well" in out
    assert "note" not in out
    assert "what the log folds to" in out
    code, out = run("verify", "--no-rebuild", "--json")
    said = json.loads(out)
    assert (code, said["ok"], said["events"], said["run"]) == (0, True, league.store.head(), None)
    assert [note.split(" ")[1] for note in said["notes"]] == ["head", "public"]


def test_a_log_is_checked_without_a_database(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exported log holds; with its last events gone, or an event changed, it does not, and the place is named."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    assert run("verify", "--log", "log.jsonl", *PINNED)[0] == 0
    log = Path("log.jsonl")
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join(lines[:-2]), encoding="utf-8")
    code, out = run("verify", "--log", "log.jsonl", *PINNED)
    assert code == 1
    assert f"beyond at position {len(lines) - 1}" in out
    log.write_text("".join([*lines[:4], lines[4].replace("player-", "Player-"), *lines[5:]]), encoding="utf-8")
    code, out = run("verify", "--log", "log.jsonl")
    assert code == 1
    assert "hash at position 5 in player:" in out


def test_what_cannot_be_read_is_refused(run: Run) -> None:
    """A file that is missing, or no head, or no key, is named."""
    for arguments in (("--log", "no.jsonl"), ("--heads", "key.pem"), ("--public-key", "heads.json")):
        code, out = run("verify", *arguments)
        assert code == 2
        assert arguments[1] in out


def test_a_player_takes_a_proof_home(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is checked without a database; one by another key, of another event, or cut short proves nothing."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    code, out = run("check-proof", "proof.json", "--public-key", "key.pem")
    assert code == 0, out
    assert "match:m1 match-opened/1" in out
    Path("other.pem").write_text(public_pem(Ed25519PrivateKey.generate()), encoding="utf-8")
    assert run("check-proof", "proof.json", "--public-key", "other.pem")[0] == 1
    proof = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    for spoil in (
        lambda event: event["event"].update(name="match-voided/1"),
        lambda event: event["event"].update(hash="00" * 32),
        lambda event: event.update(before="00" * 32),
        lambda event: event["path"].pop(),
        lambda event: event["path"].reverse(),
        lambda event: event["event"].update(position=-1),
        lambda event: event["event"].update(version=2**70),
    ):
        spoilt = json.loads(json.dumps(proof))
        spoil(spoilt["events"][0])
        Path("spoilt.json").write_text(json.dumps(spoilt), encoding="utf-8")
        code, out = run("check-proof", "spoilt.json", "--public-key", "key.pem")
        assert (code, "proves nothing" in out) == (1, True)


def test_a_proof_needs_a_head(run: Run, league: League) -> None:
    """A match that is not there, and one that no head signs yet, are refused."""
    assert run("prove", "nobody", "--out", "x.json")[0] == 2
    assert run("prove", "3", "--out", "x.json")[0] == 0
    with unsigned_league(league.database.url) as other, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        code, out = run("prove", "1", "--out", "y.json")
        assert code == 2
        assert "league heads sign" in out
        assert run("heads", "sign")[0] == 0
        assert run("prove", "1", "--out", "y.json")[0] == 0


# ---------------------------------------------------------------- the page of documentation


@pytest.mark.usefixtures("run")
def test_the_checker_of_the_page_agrees() -> None:
    """The checker in the documentation, which knows nothing of the program, accepts what holds and nothing else."""
    page = PAGE.read_text(encoding="utf-8")
    Path("checker.py").write_text(page.split("```python\n")[1].split("```")[0], encoding="utf-8")
    key = read_public_key(Path("key.pem").read_text(encoding="utf-8")).hex()

    def check(*files: str) -> bool:
        command = [sys.executable, "checker.py", key, *files]
        environment = {"PATH": os.environ["PATH"]}
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60, env=environment)
        return done.returncode == 0 and done.stdout == "all is well\n"

    assert check("log.jsonl", "heads.json")
    assert check("proof.json")
    log, proof = Path("log.jsonl").read_text(encoding="utf-8"), Path("proof.json").read_text(encoding="utf-8")
    Path("spoilt.json").write_text(proof.replace("match-opened/1", "match-voided/1"), encoding="utf-8")
    Path("short.jsonl").write_text(log[: log.rstrip().rindex("\n") + 1], encoding="utf-8")
    assert not check("spoilt.json")
    assert not check("short.jsonl", "heads.json")


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
