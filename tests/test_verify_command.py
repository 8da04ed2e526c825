"""The commands with which an auditor checks a log and a player a proof; and the page for those who do it themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from leagues import announced, catch_up, rebuild, send
from signed_leagues import SEED, signed_league, unsigned_league

from league import cli, verify_command
from league.bootstrap import League
from league.chain import FIRST, Entry, encode, hash_of, microseconds
from league.database import connect
from league.domain.player import ErasePlayer
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


BY_HAND = (
    ("UPDATE ratings SET rating = rating + 500 WHERE id = 'ana'", "run", "table ratings, row mode 1v1, subject player"),
    ("UPDATE players SET name = 'Mallory' WHERE player_id = 'bea'", "run", "name is Mallory, but the log says Bea"),
    ("UPDATE runs SET code = 'x'", "run", "another version of the program"),
    ("DELETE FROM official_run", "run", "no run is the official one"),
    ("DELETE FROM player_keys WHERE player_id = 'cira'", "key", "the key that opens the names is gone"),
)


@pytest.mark.parametrize(("statement", "kind", "says"), BY_HAND)
def test_what_the_program_may_change_is_found(
    league: League, capsys: pytest.CaptureFixture[str], statement: str, kind: str, says: str
) -> None:
    """Numbers, names, the run that is compared, and keys: the exit code is 1, and the log itself holds."""
    with signed_league(league.database.url) as other, pytest.MonkeyPatch.context() as patch:
        with connect(other.database.url) as conn:
            conn.execute(statement.encode())
        found = verify_command.verify_league(other, [], [], rebuild=True)
        assert (found.log.faults, found.faults[0].kind) == ([], kind)
        assert says in " ".join(fault.says for fault in found.faults)
        patch.setattr(sys, "argv", ["league", "verify"])
        patch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr().out
        assert (ended.value.code, "The log holds, but not all is well" in said) == (1, True)
        assert "what the log folds to" not in said or kind == "key"


def test_a_key_that_came_back_is_found(league: League) -> None:
    """With a backup from before an erasure; a rebuild destroys it again."""
    with unsigned_league(league.database.url) as other:
        with psycopg.connect(other.database.url) as owner:
            restored = owner.execute("SELECT * FROM player_keys WHERE player_id = 'ana'").fetchone()
            send(other, ErasePlayer("ana"))
            catch_up(other)
            owner.execute("INSERT INTO player_keys VALUES (%s, %s)", restored)
        (fault,) = verify_command.verify_league(other, [], [], rebuild=False).faults
        assert (fault.kind, fault.stream) == ("key", "player:ana")
        assert "is erased, but a key" in fault.says
        rebuild(other)
        assert verify_command.verify_league(other, [], [], rebuild=True).faults == []


WAITING = """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND datname = current_database()
"""


def test_what_is_appended_meanwhile_is_not_checked(league: League) -> None:
    """The log is checked as it stood when the command began; here somebody keeps it waiting."""
    with unsigned_league(league.database.url) as other, psycopg.connect(other.database.url) as holder:
        catch_up(other)
        head = other.store.head()
        holder.execute("LOCK TABLE signed_heads IN ACCESS EXCLUSIVE MODE")
        with ThreadPoolExecutor(1) as apart:
            found = apart.submit(verify_command.verify_league, other, [], [], rebuild=True)
            while holder.execute(WAITING).fetchone() != (1,):
                assert not found.done()
            send(other, announced("later", ("ana", "bea"), 9))
            holder.rollback()
            assert (found.result().log.events, found.result().faults) == (head, [])


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
