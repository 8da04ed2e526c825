"""One embedded server a run; each test that asks for a database or a league gets a copy of a template.

A test marked `also_on_server` runs a second time on the server at LEAGUE_TEST_DATABASE_URL when that is set.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import browsers
import jinja2
import processes
import psycopg
import psycopg_pool.base
import pytest
import shared_tables
import sqlalchemy
import structlog
from chance import SEED, chance_of, choose_seed
from databases import (
    MIGRATED,
    RUN_FOLDER,
    copy_data,
    copy_of,
    disconnect,
    drop_templates,
    keep_in_memory,
    template_folder,
)
from hypothesis import settings
from leagues import SMALL_LEAGUE, league_at
from playwright.sync_api import Browser
from psycopg import sql
from structlog.testing import capture_logs
from structlog.typing import EventDict

from league.application import replay_folding
from league.application.bootstrap import League
from league.console import templates
from league.domain.dealing import SECRET_BYTES
from league.infra import database, embedded_postgres
from league.infra.settings import Settings
from league.tables.application import table_commands

# Pools make connections in threads of their own, while Hypothesis draws: it takes Python's own generator for a mistake.
psycopg_pool.base.random = Random().random  # type: ignore[attr-defined]

SERVER = "LEAGUE_TEST_DATABASE_URL"
TESTS = Path(__file__).parent
BROWSERS = {"browser", "playwright"}
"""Fixtures with which a test is heavy, unless it is the walk."""
LEFT_REQUESTS = "ignore:Exception ignored in. <coroutine:pytest.PytestUnraisableExceptionWarning"
"""A browser that leaves a page drops its requests: what the server has begun for them is never awaited."""

# The console of the command line keeps the width that it finds when it is imported.
os.environ.pop("COLUMNS", None)


# A failure is printed as a decorator that repeats it. Where CI is set, each run tries the same examples.
settings.register_profile("tests", max_examples=50, deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("tests")


def pytest_configure(config: pytest.Config) -> None:
    importlib.import_module("league.cli.terminal")  # now, because a command imports it when a test has set a width
    config.addinivalue_line("markers", "also_on_server: runs on the server at LEAGUE_TEST_DATABASE_URL too")
    config.addinivalue_line("markers", "slow: a file that takes long, and so starts first")
    config.addinivalue_line(
        "markers",
        "heavy: takes longer than half a second, or starts the real thing many times; only `make test-all` runs it",
    )
    config.addinivalue_line("markers", "walk: the one with a browser that `make test` runs")
    choose_seed()
    if not hasattr(config, "workerinput"):
        os.environ[RUN_FOLDER] = tempfile.mkdtemp(prefix="league-tests-")
        keep_in_memory(Path(os.environ[RUN_FOLDER]))
        # Else each worker and each process that a test starts would compile the whole program again.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    elif config.args == [TESTS.name]:
        files = sorted(map(str, TESTS.rglob("test_*.py")))
        worker = int(config.workerinput["workerid"].removeprefix("gw"))
        begins = len(files) * worker // config.workerinput["workercount"]
        # A worker that begins elsewhere finds compiled, later, what the others began with.
        config.args[:] = files[begins:] + files[:begins]
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # A shell starts background jobs so, and the commands that tests interrupt would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    # Tests also wait, for the database and for other processes: one worker a core leaves a third of it idle, and more
    # than half of it in the heavy tier, which starts many processes and browsers.
    cores = os.cpu_count() or 1
    return cores * 2 if config.option.markexpr == "heavy" else cores * 3 // 2


def pytest_report_header() -> str:
    return f"{SEED}={os.environ[SEED]}"


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # How long a run took says little without how busy the machine was.
    averages = ", ".join(f"{average:.2f}" for average in os.getloadavg())
    terminalreporter.write_line(f"Load average over 1, 5 and 15 minutes: {averages}, on {os.cpu_count()} cores.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        needs = set(getattr(item, "fixturenames", ()))
        if needs & BROWSERS:
            item.add_marker(pytest.mark.filterwarnings(LEFT_REQUESTS))
        is_walk = item.get_closest_marker("walk") is not None
        if (needs & BROWSERS and not is_walk) or "[server" in item.name:
            item.add_marker("heavy")
    items.sort(key=lambda item: (item.get_closest_marker("slow") is None, item.path))


def pytest_collection_finish() -> None:
    # The program and the tests stay to the end: looking through them for garbage took a tenth of the suite's CPU.
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def pytest_unconfigure(config: pytest.Config) -> None:
    disconnect()
    folder = os.environ.get(RUN_FOLDER)
    if hasattr(config, "workerinput") or folder is None:
        return
    if os.environ.get(SERVER):
        drop_templates(os.environ[SERVER])
    delete_data(template_folder())
    delete_data(Path(folder))
    del os.environ[RUN_FOLDER]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "postgres" in metafunc.fixturenames:
        servers = ["embedded"]
        if metafunc.definition.get_closest_marker("also_on_server") and os.environ.get(SERVER):
            servers.append("server")
        metafunc.parametrize("postgres", servers, indirect=True)


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    """What is logged, of every level: an earlier test may have served a league that logs errors only."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
    with capture_logs() as captured:
        yield captured
    structlog.configure(**before)


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[str]:
    """The URL of the run's embedded server, shared by all workers."""
    with database.open_database(Settings(data_dir=Path(os.environ[RUN_FOLDER]))) as opened:
        with psycopg.connect(opened.url, autocommit=True) as connection:
            # These databases may be lost in a power failure.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
            connection.execute("SELECT pg_reload_conf()")
        yield opened.url
        disconnect()  # before the server stops


@pytest.fixture(scope="session", autouse=True)
def forked_folds() -> Iterator[None]:
    """Replays that a test's own process carries out are folded in a forked process; a worker still starts new ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay_folding, "FoldProcess", processes.context.Process)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """The engines of all tests share the statements that they have compiled: a server has one engine for its life."""
    create_engine = sqlalchemy.create_engine
    compiled: dict[Any, Any] = {}
    dialect: Any = None  # what is compiled is kept for one dialect, and each engine has its own

    def sharing(url: str, **options: Any) -> sqlalchemy.Engine:
        nonlocal dialect
        engine = create_engine(url, **options)
        if "poolclass" in options:
            return engine  # of a migration, which asks the dialect for the server's version
        engine.update_execution_options(compiled_cache=compiled)
        if hasattr(dialect, "default_isolation_level"):  # the engine that it is from has connected
            engine.dialect = dialect
        else:
            dialect = engine.dialect
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlalchemy, "create_engine", sharing)
        yield


@pytest.fixture(scope="session", autouse=True)
def templates_compiled_once() -> Iterator[None]:
    """The sites of all tests share their compiled templates: a server has one environment for its life."""
    compiled = Path(os.environ[RUN_FOLDER]) / "templates"
    compiled.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        cache = jinja2.FileSystemBytecodeCache(str(compiled))
        patch.setattr(templates, "Environment", partial(jinja2.Environment, bytecode_cache=cache))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_shared_tables() -> Iterator[None]:
    """No subquery of the program shares a table with the statement around it by accident."""
    with shared_tables.refused():
        yield


@pytest.fixture
def postgres(request: pytest.FixtureRequest) -> str:
    """The URL of the server on which the test runs."""
    return os.environ[SERVER] if request.param == "server" else str(request.getfixturevalue("embedded_server"))


@pytest.fixture
def database_url(postgres: str) -> Iterator[str]:
    """The URL of a migrated database of this test's own, without a league."""
    with copy_of(postgres, MIGRATED) as url:
        yield url


@pytest.fixture
def league_url(postgres: str) -> Iterator[str]:
    """The URL of a database of this test's own with a league of six players in two regions (one has none)."""
    with copy_of(postgres, SMALL_LEAGUE) as url:
        yield url


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    """The league of `league_url`."""
    with league_at(league_url) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. For one file only: while it is driven, no other event loop can run in this thread."""
    with browsers.chromium() as opened:
        yield opened


@pytest.fixture
def tab(browser: Browser) -> Iterator[browsers.Tab]:
    with browsers.new_tab(browser) as opened:
        yield opened


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Random:
    """The chance of this test."""
    return chance_of(request.node.nodeid)


@pytest.fixture(autouse=True)
def dealt_by_the_seed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Live tables deal by the seed of the run, so that the deal with which a test failed comes again."""
    secrets = chance_of(f"secrets of {request.node.nodeid}")
    monkeypatch.setattr(table_commands, "new_secret", lambda: secrets.randbytes(SECRET_BYTES))


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A new data folder, for an embedded server of this test's own."""
    folder = Path(tempfile.mkdtemp(prefix="league-data-"))
    yield folder
    delete_data(folder)


second_data_dir = data_dir
"""Another one, for a test that moves a league."""


@pytest.fixture
def migrated_data_dir(embedded_server: str, data_dir: Path) -> Path:
    """A data folder with a migrated database, whose server has been stopped."""
    copy_data(embedded_server, data_dir)
    return data_dir


def delete_data(folder: Path) -> None:
    """Delete a data folder and, where root ran the server, the folder its note names."""
    note = folder / embedded_postgres.NOTE
    if note.exists():
        shutil.rmtree(note.read_text().splitlines()[-1], ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
