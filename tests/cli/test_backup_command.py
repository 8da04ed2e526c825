"""`league backup` and `league restore`, as an operator runs them."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from commands import MATCHES, League, head
from leagues import UNGUARDED, league_at, own_database, part_of_season, send
from waiting import LIMIT

from league.audit.signed_heads import new_seed
from league.domain.members import AddMember

pytestmark = pytest.mark.heavy

KEPT = ("--heads", "heads.json", "--public-key", "key.pem")


@pytest.fixture
def fresh(embedded_server: str) -> Iterator[str]:
    """A migrated database without a league."""
    with own_database(embedded_server) as url:
        yield url


@pytest.fixture
def signed(league: League, season: Path, monkeypatch: pytest.MonkeyPatch) -> League:
    """A league with a season, whose signed head is stored in a file."""
    monkeypatch.setenv("LEAGUE_SIGNING_KEY", new_seed())
    league("import", season)
    league("heads", "sign")
    Path("heads.json").write_text(league("heads", "--json").out, encoding="utf-8")
    Path("key.pem").write_text(league("heads", "public-key").out, encoding="utf-8")
    return league


def test_a_restored_league_is_verified_and_goes_on(
    signed: League, fresh: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A head kept outside and the digest agree with the restored league. The next import goes on where it was."""
    digest = signed("digest").document
    said = signed("backup", "my.backup", "--actor", "kim")
    assert (said.code, said.out) == (0, ""), said.err
    assert stat.S_IMODE(Path("my.backup").stat().st_mode) == 0o600
    [entry] = signed("trail", "--kind", "rows-exported", "--json").document["entries"]
    assert (entry["actor"], entry["body"]["what"]) == ("kim", "backup")
    monkeypatch.setenv("LEAGUE_DATABASE_URL", fresh)
    said = signed("restore", "my.backup")
    assert (said.code, said.document) == (0, digest), said.err
    assert "note" not in said.err
    verified = signed("verify", *KEPT, "--json").document
    assert (verified["ok"], verified["heads"]["outside"]) == (True, 1)
    more = part_of_season(tmp_path / "more", 2 * MATCHES)
    assert signed("import", more, "--json").document["matches_added"] == MATCHES
    assert signed("verify", *KEPT).code == 0


def test_a_pipe_moves_a_league(league: League, season: Path, fresh: str) -> None:
    """`league backup - | league restore -` works, in two processes."""
    league("import", season)
    digest = league("digest").document
    program = [sys.executable, "-m", "league"]
    with subprocess.Popen([*program, "backup", "-"], stdout=subprocess.PIPE) as writing:
        environment = {**os.environ, "LEAGUE_DATABASE_URL": fresh}
        said = subprocess.run(
            [*program, "restore", "-"], stdin=writing.stdout, capture_output=True, env=environment, check=True,
            timeout=LIMIT,
        )  # fmt: skip
    assert writing.returncode == 0
    assert json.loads(said.stdout) == digest


def test_names_are_erased_on_the_way(
    signed: League, fresh: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of all listed players and members are erased. An id unknown to the backup is refused."""
    with league_at(database_url) as made:
        send(made, AddMember("m1", "kim", ("admin",), None), AddMember("m2", "lee", ("admin",), None))
        send(made, AddMember("m3", "ana", ("admin",), "p001"))
    signed("backup", "my.backup")
    monkeypatch.setenv("LEAGUE_DATABASE_URL", fresh)
    said = signed("restore", "my.backup", "--erase", "p001,p002", "--erase", "nobody")
    assert (said.code, "'nobody'" in said.err, head(fresh)) == (2, True, 0)
    said = signed("restore", "my.backup", "--erase", "p001,p002", "--erase", "p003,member:m1")
    assert said.code == 0, said.err
    with psycopg.connect(fresh) as conn:
        assert conn.execute("SELECT member_id, subject FROM members").fetchall() == [("m2", "lee")]
        query = "SELECT array_agg(player_id ORDER BY player_id) FROM players WHERE name IS NULL"
        assert conn.execute(query).fetchone() == (["p001", "p002", "p003"],)
    assert signed("verify", *KEPT).code == 0


def test_a_damaged_backup_is_refused(signed: League, fresh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names section and line. Other files, and a database with a league, are refused as well."""
    signed("backup", "my.backup")
    assert signed("restore", "my.backup").code == 2
    lines = gzip.decompress(Path("my.backup").read_bytes()).splitlines(keepends=True)
    Path("damaged.backup").write_bytes(gzip.compress(b"".join([*lines[:9], *lines[10:]])))
    monkeypatch.setenv("LEAGUE_DATABASE_URL", fresh)
    said = signed("restore", "damaged.backup")
    assert (said.code, "line 10 of the section stored_events" in said.err) == (1, True), said.err
    Path("other.backup").write_text("a letter", encoding="utf-8")
    assert signed("restore", "other.backup").code == 1
    assert signed("restore", "missing.backup").code == 2
    assert head(fresh) == 0


def test_a_backup_that_fails_leaves_the_older_one(signed: League, database_url: str) -> None:
    """The backup fails because the log was altered: exit code 1, and no partial file."""
    signed("backup", "my.backup")
    before = Path("my.backup").read_bytes()
    with psycopg.connect(database_url) as superuser:
        superuser.execute(UNGUARDED)
        superuser.execute("UPDATE stored_events SET state = '{}' WHERE position = 9")
    said = signed("backup", "my.backup")
    assert (said.code, "verify" in said.err) == (1, True)
    assert Path("my.backup").read_bytes() == before
    assert [path.name for path in Path().glob("my.backup*")] == ["my.backup"]
    assert signed("backup", "no-folder/my.backup").code == 2


def test_secrets_move_in_a_file_of_their_own(signed: League, fresh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has the form of settings. With a server the operator sets them; without the key the command says how."""
    monkeypatch.setenv("LEAGUE_SECRET", "a secret with spaces, of enough characters")
    assert signed("backup", "my.backup", "--secrets", "my.backup").code == 2
    assert signed("backup", "my.backup", "--secrets", "secrets.env").code == 0
    assert stat.S_IMODE(Path("secrets.env").stat().st_mode) == 0o600
    sourced = 'set -a; . ./secrets.env; printf "%s %s" "$LEAGUE_SECRET" "$LEAGUE_SIGNING_KEY"'
    said = subprocess.run(["sh", "-c", sourced], capture_output=True, text=True, check=True)
    assert said.stdout == f"{os.environ['LEAGUE_SECRET']} {os.environ['LEAGUE_SIGNING_KEY']}"
    monkeypatch.setenv("LEAGUE_DATABASE_URL", fresh)
    monkeypatch.setenv("LEAGUE_SIGNING_KEY", new_seed())
    said = signed("restore", "my.backup")
    assert "league heads sign --new-key" in " ".join(said.err.split())
    assert signed("heads", "sign").code == 1
    assert signed("heads", "sign", "--new-key").code == 0


def test_an_embedded_database_gets_the_secrets(
    signed: League, migrated_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The secrets are stored beside the database. If others are there, the restore is refused and stores nothing."""
    monkeypatch.setenv("LEAGUE_SECRET", "a secret with spaces, of enough characters")
    monkeypatch.setenv("LEAGUE_TABLE_SECRET", "another one with spaces, of enough characters")
    kept = {name: os.environ[name] for name in ("LEAGUE_SECRET", "LEAGUE_TABLE_SECRET", "LEAGUE_SIGNING_KEY")}
    assert signed("backup", "my.backup", "--secrets", "secrets.env").code == 0
    for name in (*kept, "LEAGUE_DATABASE_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("LEAGUE_DATA_DIR", str(migrated_data_dir))
    other = migrated_data_dir / "secret"
    other.write_text("x" * 40, encoding="utf-8")
    refused = signed("restore", "my.backup", "--secrets", "secrets.env")
    assert (refused.code, "another value" in refused.err) == (2, True), refused.err
    other.unlink()
    restored = signed("restore", "my.backup", "--secrets", "secrets.env")
    assert (restored.code, "note" in restored.err) == (0, False), restored.err
    assert other.read_text(encoding="utf-8") == kept["LEAGUE_SECRET"]
    assert (migrated_data_dir / "table-secret").read_text(encoding="utf-8") == kept["LEAGUE_TABLE_SECRET"]
    assert (migrated_data_dir / "signing-key").read_text(encoding="utf-8") == kept["LEAGUE_SIGNING_KEY"]
    assert signed("verify", *KEPT).code == 0


def test_a_folder_is_no_backup(league: League, fresh: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The refusal names the file."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", fresh)
    said = league("restore", tmp_path)
    assert said.code == 2
    assert "Is a directory" in said.err


def test_a_backup_whose_secrets_are_refused_is_not_written(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """A league on a server that has been given no secrets has none to write."""
    monkeypatch.delenv("LEAGUE_SECRET", raising=False)
    monkeypatch.delenv("LEAGUE_SIGNING_KEY", raising=False)
    league("init", "--name", "Liga", "--time-zone", "UTC")
    before = head(os.environ["LEAGUE_DATABASE_URL"])
    said = league("backup", "my.backup", "--secrets", "my.env")
    assert (said.code, "without secrets" in " ".join(said.err.split())) == (2, True)
    assert not Path("my.backup").exists()
    assert head(os.environ["LEAGUE_DATABASE_URL"]) == before
