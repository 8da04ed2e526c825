"""One embedded server a run, migrated once; each test that asks for a database gets a copy of the migrated one.

A test marked `also_on_server` runs a second time on the server at LEAGUE_TEST_DATABASE_URL when that is set.
"""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from urls import url_of

from league.infra import database, embedded_postgres
from league.infra.settings import Settings

# Set by the process that runs the tests, or starts the workers that do; workers inherit it.
RUN_FOLDER = "LEAGUE_TEST_RUN_FOLDER"
SERVER = "LEAGUE_TEST_DATABASE_URL"
TEMPLATE_LOCK = 20_261_120

# Before the program is imported: its console keeps the width that it finds. Tests name the width that they want.
os.environ.pop("COLUMNS", None)


def pytest_configure(config: pytest.Config) -> None:
    importlib.import_module("league.cli.terminal")  # now, because a command imports it when a test has set a width
    config.addinivalue_line("markers", "also_on_server: runs on the server at LEAGUE_TEST_DATABASE_URL too")
    if not hasattr(config, "workerinput"):
        os.environ[RUN_FOLDER] = tempfile.mkdtemp(prefix="league-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = os.environ.get(RUN_FOLDER)
    if hasattr(config, "workerinput") or folder is None:
        return
    del os.environ[RUN_FOLDER]
    if os.environ.get(SERVER):
        drop(os.environ[SERVER], template_name(folder))
    delete_data(Path(folder))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database_url" in metafunc.fixturenames:
        servers = ["embedded"]
        if metafunc.definition.get_closest_marker("also_on_server") and os.environ.get(SERVER):
            servers.append("server")
        metafunc.parametrize("database_url", servers, indirect=True)


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[str]:
    """The URL of the run's embedded server, shared by all workers."""
    with database.open_database(Settings(data_dir=Path(os.environ[RUN_FOLDER]))) as opened:
        with psycopg.connect(opened.url, autocommit=True) as connection:
            # Nobody needs these databases after a loss of power.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
            connection.execute("SELECT pg_reload_conf()")
        yield opened.url


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a fresh, migrated database of this test's own."""
    on_server = request.param == "server"
    server = os.environ[SERVER] if on_server else request.getfixturevalue("embedded_server")
    template = template_name(os.environ[RUN_FOLDER])
    make_template(server, template)
    name = f"league_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        connection.execute(copy.format(sql.Identifier(name), sql.Identifier(template)))
    try:
        yield url_of(server, name)
    finally:
        drop(server, name)


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder of this test's own, for an embedded server of its own."""
    folder = Path(tempfile.mkdtemp(prefix="league-data-"))
    yield folder
    delete_data(folder)


def template_name(folder: str) -> str:
    return "league_test_template_" + Path(folder).name.removeprefix("league-tests-").lower()


def make_template(server: str, template: str) -> None:
    """Create and migrate the template unless another worker has done it."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
            return
        # Under its name only when it is migrated: another worker may look while this one is killed.
        unfinished = sql.Identifier(template + "_new")
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(unfinished))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(unfinished))
        database.migrate(url_of(server, template + "_new"))
        connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(unfinished, sql.Identifier(template)))


def drop(server: str, name: str) -> None:
    """Drop a database, also when a test has left a connection open."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def delete_data(folder: Path) -> None:
    """Delete a data folder and, where root ran the server, the folder its note names."""
    note = folder / embedded_postgres.NOTE
    if note.exists():
        shutil.rmtree(note.read_text().splitlines()[-1], ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
