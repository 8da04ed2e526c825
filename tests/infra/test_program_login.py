"""The login that docker-compose gives the program: it can do all that a league does, and cannot become the owner."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from api_server import SECRET, served, token
from databases import url_of
from leagues import part_of_season
from typer.testing import CliRunner
from waiting import LIMIT

from league import cli
from league.application.bootstrap import open_league
from league.application.replay_folding import fold_replay
from league.audit.signed_heads import new_seed
from league.infra.database import migrate, open_database
from league.infra.embedded_postgres import _binaries
from league.infra.league_version import LeagueOfAnotherVersion
from league.infra.settings import BadSetting, Settings

pytestmark = pytest.mark.heavy

LOGIN = Path(__file__).parents[2] / "docker-compose.login.sql"


@pytest.fixture
def owner(data_dir: Path) -> Iterator[str]:
    """The URL of a superuser, on a server of this test's own: logins belong to a server. Nothing is migrated yet."""
    with open_database(Settings(data_dir=data_dir)) as database:
        with psycopg.connect(database.url, autocommit=True) as superuser:
            superuser.execute("CREATE DATABASE league")
        url = url_of(database.url, "league")
        psql = [_binaries() / "psql", "--set=ON_ERROR_STOP=1", "--no-psqlrc", f"--file={LOGIN}", url]
        subprocess.run(psql, check=True, env=os.environ | {"PROGRAM_PASSWORD": "it's"}, timeout=LIMIT)
        yield url


@pytest.fixture
def program(owner: str) -> str:
    """The URL of the program's login."""
    return owner.replace("postgres@", "league_program@", 1)


def run(url: str, *arguments: object) -> str:
    """The output of a command."""
    environment = {"LEAGUE_DATABASE_URL": url, "LEAGUE_SIGNING_KEY": new_seed(), "LEAGUE_SECRET": SECRET}
    said = CliRunner().invoke(cli.app, list(map(str, arguments)), env=environment)
    assert said.exception is None, (arguments, said.exception, said.output)
    return said.output


def test_it_runs_the_whole_league(owner: str, program: str, tmp_path: Path) -> None:
    """After the owner has migrated, it runs commands, the API, the projector, a replay and verify."""
    run(owner, "migrate")
    run(program, "init", "--name", "Liga", "--time-zone", "UTC")
    run(program, "import", part_of_season(tmp_path, 12))
    run(program, "project", "--rebuild")
    run(program, "token", "kim", "--role", "admin")
    run(program, "heads", "sign")
    run(program, "erase", "p001", "--yes")
    with served(program) as server:
        kim = token("admin")
        assert server.http.get("/readyz").json()["migrated"]
        assert server.do("registerPlayer", kim, playerId="new", name="New")["__typename"].endswith("Success")
        start = """mutation ($rules: String) { it: startReplay(input: {document: $rules}) {
            ... on ReplaySuccess { replay { number } } } }"""
        number = server.ask(start, kim, rules="rating.k.provisional = 32")["it"]["replay"]["number"]
        fold_replay(program, number)
        assert server.ask(f"{{ replay(number: {number}) {{ state }} }}", kim) == {"replay": {"state": "DONE"}}
    assert "All is well" in run(program, "verify")


def test_it_cannot_become_the_owner(owner: str, program: str) -> None:
    """It cannot change stored events either, whatever it sets."""
    migrate(owner)
    with psycopg.connect(program, autocommit=True) as conn:
        for statement in (
            "SET ROLE league_owner",
            "SET ROLE postgres",
            "SET session_replication_role = replica",
            "ALTER TABLE league.stored_events DISABLE TRIGGER only_appended",
            "DELETE FROM league.stored_events",
            "UPDATE league.signed_heads SET position = 1",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement.encode())


def test_it_cannot_migrate_and_says_who_can(owner: str, program: str) -> None:
    """Before the first migration, and when a later one is missing, the message says what to do."""
    with pytest.raises(BadSetting, match="run `league migrate`"):
        migrate(program)
    migrate(owner)
    with psycopg.connect(owner, autocommit=True) as conn:
        (newest,) = conn.execute("SELECT version_num FROM league.alembic_version").fetchone() or ("",)
        conn.execute("UPDATE league.alembic_version SET version_num = '20261124_chain'")
        with (
            pytest.raises(LeagueOfAnotherVersion, match="run `league migrate`"),
            open_league(Settings(database_url=program)),
        ):
            pass
        with pytest.raises(BadSetting, match="run `league migrate` with the URL of a user who may"):
            migrate(program)
        conn.execute("UPDATE league.alembic_version SET version_num = %s", (newest,))
    with open_league(Settings(database_url=program)) as league:
        assert not league.exists()
