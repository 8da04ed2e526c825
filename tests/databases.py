"""Databases of tests: copies of templates, each of which is made once a run and shared by all its workers."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import quote, urlsplit

import psycopg
import sqlalchemy
from psycopg import sql
from psycopg.pq import TransactionStatus

from league.infra import embedded_postgres
from league.infra.database import SEARCH_PATH, connect, engine, migrate, open_database
from league.infra.settings import Settings

RUN_FOLDER = "LEAGUE_TEST_RUN_FOLDER"
"""The variable that names the folder of the run: set by the process that starts the workers, inherited by them."""
LOCK = 20_261_120
CONNECTIONS: dict[str, psycopg.Connection] = {}
"""Open connections of this process, by the URL of the server."""
ENDED: list[tuple[str, str]] = []
"""Copies that are no longer used, each with its server. They are dropped later, see `copy_of`."""
MOST_ENDED = 4
IDLE: dict[str, list[psycopg.Connection[Any]]] = {}
"""Connections that were given back, by the URL of the database."""
ENGINES: dict[str, sqlalchemy.Engine] = {}
"""The engine of each database of which `pool_of` was asked."""

MEMORY = Path("/dev/shm")  # noqa: S108  # where Linux keeps files in memory
ROOM = 4 * 2**30
"""Bytes that have to be free there for the databases of a run."""


class Template(NamedTuple):
    """A database to copy: its name, what fills it, given its URL, and the template that it begins as a copy of."""

    name: str
    fill: Callable[[str], None]
    begins_as: Self | None = None


MIGRATED = Template("migrated", migrate)
"""No league yet."""


@contextmanager
def copy_of(server: str, template: Template) -> Iterator[str]:
    """A copy of a template on a server, dropped a few copies later. Yields its URL.

    A drop waits a tenth of a second for sessions that are just ending, so it is put off until they have ended.
    """
    # Advisory locks are those of one database: workers that name different ones would not keep each other out.
    _make(url_of(server, "postgres"), template)
    name = f"league_test_{uuid.uuid4().hex[:12]}"
    _create(_connected(server), name, template)
    try:
        yield with_search_path(url_of(server, name))
    finally:
        _hang_up(name)
        ENDED.append((server, name))
        _drop_ended(but=MOST_ENDED)


@contextmanager
def lent(url: str, *, autocommit: bool = False) -> Iterator[psycopg.Connection[Any]]:
    """A connection as `connect` makes it, in a session that others of this process used before and will use again.

    A new session reads the catalogue anew, which took PostgreSQL longer than most of what tests ask in one.
    """
    connection = borrowed(url)
    connection.autocommit = autocommit
    try:
        yield connection
        connection.commit()
    except BaseException:
        connection.close()
        raise
    give_back(url, connection)


def borrowed(url: str) -> psycopg.Connection[Any]:
    """A connection to give back."""
    while idle := IDLE.get(url):
        connection = idle.pop()
        if not select.select([connection], [], [], 0)[0]:
            return connection
        connection.close()  # the server has said something since, such as that it ended the session
    return connect(url)


def give_back(url: str, connection: psycopg.Connection[Any]) -> None:
    """Let others use a connection that was borrowed, unless a transaction is left open."""
    if connection.info.transaction_status == TransactionStatus.IDLE:
        IDLE.setdefault(url, []).append(connection)
    else:
        connection.close()


def pool_of(url: str) -> sqlalchemy.Engine:
    """One engine for all that ask it in this process."""
    if url not in ENGINES:
        ENGINES[url] = engine(url, pool_size=1)
    return ENGINES[url]


def keep_in_memory(folder: Path) -> None:
    """Let the embedded server of a data folder keep its files in memory, if there is room."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        return
    home = Path(tempfile.mkdtemp(prefix="league-tests-", dir=MEMORY))
    (home / embedded_postgres.NOTE_BACK).write_text(f"{folder}\n", encoding="utf-8")
    (folder / embedded_postgres.NOTE).write_text(f"{home}\n", encoding="utf-8")


def url_of(server: str, name: str) -> str:
    """The URL of another database on the same server."""
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def with_search_path(url: str) -> str:
    """The URL with the schemas of the league in the search path, for statements of tests that are not the program's."""
    parts = urlsplit(url)
    options = "options=" + quote(f"-csearch_path={SEARCH_PATH.replace(' ', '')},public")
    return parts._replace(query=f"{parts.query}&{options}" if parts.query else options).geturl()


def drop_templates(server: str) -> None:
    """Drop the templates of this run."""
    with psycopg.connect(server, autocommit=True) as connection:
        names = connection.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [_prefix()])
        for (name,) in names.fetchall():
            _drop(connection, name)


def disconnect() -> None:
    """Drop the copies that are left, and close the connections on which this process has made and dropped copies."""
    _drop_ended(but=0)
    while CONNECTIONS:
        CONNECTIONS.popitem()[1].close()


@cache
def _make(server: str, template: Template) -> None:
    """Make a template unless another worker has made it."""
    if template.begins_as:
        _make(server, template.begins_as)
    name = _name(template)
    with psycopg.connect(server, autocommit=True) as connection:
        _lock(connection, name)
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).rowcount:
            return
        # It gets its name when it is complete: this worker may be killed before.
        unfinished = name + "_new"
        _drop(connection, unfinished)
        _create(connection, unfinished, template.begins_as)
        template.fill(url_of(server, unfinished))
        _hang_up(unfinished)
        rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
        connection.execute(rename.format(sql.Identifier(unfinished), sql.Identifier(name)))


def copy_data(server: str, data_dir: Path) -> None:
    """Copy the data of a migrated embedded server, stopped, into a new data folder; `server` keeps workers apart."""
    template = template_folder()
    with psycopg.connect(server, autocommit=True) as connection:
        _lock(connection, "data folder")
        complete = template / "complete"
        if not complete.exists():
            with open_database(Settings(data_dir=template)) as opened:
                migrate(opened.url)
            complete.touch()
    copied = [f"{embedded_postgres._home(template)}/.", str(embedded_postgres._home(data_dir))]
    subprocess.run(["cp", "--archive", *copied], check=True)  # the files belong to the user who runs the server


def template_folder() -> Path:
    """Where the data of the migrated embedded server are."""
    return Path(os.environ[RUN_FOLDER]) / "template"


def _lock(connection: psycopg.Connection, what: str) -> None:
    """Keep the other workers out until the connection ends."""
    connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [LOCK, what])


def _connected(server: str) -> psycopg.Connection:
    """This process's connection to a server: another one for each copy and each drop took a third of their CPU."""
    if server not in CONNECTIONS or CONNECTIONS[server].closed:
        CONNECTIONS[server] = psycopg.connect(server, autocommit=True)
    return CONNECTIONS[server]


def _create(connection: psycopg.Connection, name: str, template: Template | None) -> None:
    # Without fsync, copied files take a quarter of the time of logged pages; with it, they wait for two checkpoints.
    row = connection.execute("SELECT current_setting('fsync')::boolean").fetchone()
    strategy = sql.SQL("WAL_LOG" if row == (True,) else "FILE_COPY")
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY {}")
    source = _name(template) if template else "template1"
    connection.execute(create.format(sql.Identifier(name), sql.Identifier(source), strategy))


def _drop_ended(*, but: int) -> None:
    """Drop the copies that are no longer used, but the latest ones."""
    while len(ENDED) > but:
        server, name = ENDED.pop(0)
        try:
            _drop(_connected(server), name)
        except psycopg.OperationalError:  # a test has ended its server, and the copy went with it
            CONNECTIONS.pop(server, None)


def _hang_up(name: str) -> None:
    """Close the connections of this process that were given back to a database."""
    for url in [url for url in IDLE if _is_of(url, name)]:
        for connection in IDLE.pop(url):
            connection.close()
    for url in [url for url in ENGINES if _is_of(url, name)]:
        ENGINES.pop(url).dispose()


def _is_of(url: str, name: str) -> bool:
    return urlsplit(url).path == f"/{name}"


def _drop(connection: psycopg.Connection, name: str) -> None:
    """Drop a database, also when a test has left a connection open."""
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _name(template: Template) -> str:
    return _prefix() + template.name


def _prefix() -> str:
    run = Path(os.environ[RUN_FOLDER]).name.removeprefix("league-tests-")
    return f"league_test_template_{run.lower()}_"
