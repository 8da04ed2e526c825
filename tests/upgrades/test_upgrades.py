"""Leagues of earlier versions, as dumps of their databases: this version upgrades each, and shows what they showed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from commands import League, runner
from leagues import announced, league_at, send
from make_dump import FOLDER, SHOWN, environment

from league.domain.disputes import WithdrawDispute
from league.domain.league import CloseMonth
from league.infra.league_version import newest_migration
from league.projections import runs

DUMPS = sorted(dump.name.removesuffix(".sql.gz") for dump in FOLDER.glob("*.sql.gz"))

pytestmark = [pytest.mark.heavy, pytest.mark.also_on_server]


@pytest.fixture(params=DUMPS)
def dump(request: pytest.FixtureRequest, database_url: str) -> str:
    """A dump that is loaded into an empty database; its name is the migration that it was at."""
    with psycopg.connect(database_url, autocommit=True) as superuser:
        superuser.execute("DROP OWNED BY league_owner, league_writer, league_reader")
        superuser.execute(gzip.decompress((FOLDER / f"{request.param}.sql.gz").read_bytes()))
    name: str = request.param
    return name


@pytest.fixture
def league(
    dump: str,  # noqa: ARG001  # by its effect
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> League:
    """Commands of this version in the league of the dump."""
    for name, value in environment(database_url).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def test_it_shows_what_it_showed_and_goes_on(league: League, dump: str, database_url: str, tmp_path: Path) -> None:
    """After `league migrate`: verify finds nothing, digest and boards are the same. Before it, nothing changes it.

    Then matches are recorded, disputes settled, months closed, promotions taken back, heads signed, and backups made.
    """
    said = league("board", "1v1")
    if dump != newest_migration():
        assert (said.code, dump in said.err, "run `league migrate`" in " ".join(said.err.split())) == (1, True, True)
    assert league("migrate").code == 0
    assert league("board", "1v1").code == 0, "if the folds have changed, this folds the log again"
    checked = league("verify")
    assert (checked.code, "All is well" in checked.out) == (0, True), checked.out
    before = json.loads((FOLDER / f"{dump}.json").read_text(encoding="utf-8"))
    digest = league("digest").document
    assert digest["position"] == before["digest"]["position"]
    if before["digest"]["folds"] == runs.FOLDS:
        assert digest == before["digest"]
    assert list(before["answers"]) == [" ".join(command) for command in SHOWN]
    for command in SHOWN:
        was, now = (documents(text) for text in (before["answers"][" ".join(command)], league(*command).out))
        assert was, command
        assert still(was, now), (command, was, now)
    with league_at(database_url) as upgraded:
        send(
            upgraded, announced("new", ("ana", "dora"), 24 * 41), WithdrawDispute("m5", 1, None), CloseMonth("2026-04")
        )
        upgraded.project()
    for command in (
        ("explain", "new", "ana"),
        ("trail",),
        ("rollback", "--yes", "--reason", "as before"),
        ("heads", "sign"),
        ("backup", tmp_path / "league.backup"),
    ):
        said = league(*command)
        assert said.code == 0, (command, said.err)
    checked = league("verify")
    assert (checked.code, "All is well" in checked.out) == (0, True), checked.out
    assert "ALREADY_EXISTS" in league("init", "--name", "Another", "--time-zone", "UTC").err


def test_names_that_look_the_same_are_one_name(league: League, database_url: str) -> None:
    """Invisible characters in names that were stored before no longer tell two players apart."""
    with psycopg.connect(database_url, autocommit=True) as superuser:
        add = "INSERT INTO league.players (player_id, name, registered_at) VALUES (%s, %s, now())"
        for player, name in (("z1", "Zoila"), ("z2", "Zo\u200bila\u200e"), ("z3", "\u00ad Zoila")):
            superuser.execute(add, (player, name))
        assert league("migrate").code == 0
        names = superuser.execute("SELECT folded_name FROM league.players WHERE player_id LIKE 'z_'").fetchall()
    assert names == [("zoila",)] * 3


def documents(text: str) -> list[Any]:
    """One JSON document, or one a line."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def still(was: Any, now: Any) -> bool:
    """Whether a later version says the same; objects may have more fields."""
    if isinstance(was, dict) and isinstance(now, dict):
        return all(key in now and still(value, now[key]) for key, value in was.items())
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(still, was, now))
    return bool(was == now)
