"""The database: embedded or external, migrated by Alembic, and used under the role of the program."""

from __future__ import annotations

import functools
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import psycopg
import sqlalchemy
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue, UndefinedTable
from psycopg.rows import TupleRow

from league.domain.sentences import say
from league.infra.awaitable_connection import AwaitableConnection
from league.infra.embedded_postgres import embedded_postgres
from league.infra.settings import BadSetting, Settings
from league.infra.shipped_files import shipped

# `league_owner` owns everything. `league_writer` appends to the log and changes rows of the read tables; it creates
# nothing but temporary tables (docs/decisions/the-writer-owns-nothing.md). `league_reader` reads what answers are
# made of that may be kept (docs/decisions/kept-answers.md).
OWNER = "league_owner"
WRITER = "league_writer"
READER = "league_reader"
SCHEMA = "league"
# The partitions of the runs.
SCHEMA_OF_RUNS = "runs"
SEARCH_PATH = f"{SCHEMA}, {SCHEMA_OF_RUNS}"
# Timestamps arrive in UTC whatever the server's setting is.
ACT_AS_WRITER = f"SET ROLE {WRITER}; SET search_path = {SEARCH_PATH}; SET TIME ZONE 'UTC'"

# `transaction_timeout` exists since PostgreSQL 17.
WITHOUT_TIME_LIMITS = """
    SELECT set_config(name, '0', false) FROM pg_settings
    WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')
"""

MAY_NOT_MIGRATE = say(
    "the database is not at this program's version, and its user may not migrate it: run `league "
    "migrate` with the URL of a user who may"
)

NEWER = say("a newer version of this program has migrated the database; use that version, or a backup from before")

# Alembic keeps its context in globals of the process; across processes the migrations take a database lock.
ALEMBIC = threading.Lock()


class UntrustedSchema(Exception):
    """Other roles than the owner could have created objects in a schema of the league, so migrations do not use it."""

    def __init__(self, schema: str, roles: str) -> None:
        super().__init__(
            say(
                "only {owner} may own the schema {schema} and create objects in it, but {roles} can too",
                owner=OWNER,
                schema=schema,
                roles=roles,
            )
        )
        self.schema = schema
        self.roles = roles


class Database(msgspec.Struct, frozen=True):
    """Where the database is (a libpq URL), and whether this program runs its server."""

    url: str
    embedded: bool


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The server at `settings.database_url`, or the embedded one, which stops with the last process that uses it.

    Raises BadSetting, EmbeddedDatabaseMissing or EmbeddedDatabaseFailed. Does not connect to an external server.
    """
    if settings.database_url is None:
        with embedded_postgres(settings.data_dir) as url:
            yield Database(url, embedded=True)
        return
    try:
        conninfo_to_dict(settings.database_url)
    except psycopg.ProgrammingError as error:
        raise BadSetting("LEAGUE_DATABASE_URL", say("is not a PostgreSQL URL")) from error
    yield Database(settings.database_url, embedded=False)


def connect(url: str, *, autocommit: bool = False) -> psycopg.Connection[TupleRow]:
    """A psycopg connection as `league_writer`, in UTC. The database must have been migrated."""
    connection = AwaitableConnection.connect(url, autocommit=True)
    try:
        connection.execute(ACT_AS_WRITER)
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


def without_time_limits(connection: psycopg.Connection[TupleRow]) -> None:
    """Let the transactions of a connection take their time, whatever limits the server sets for others."""
    connection.execute(WITHOUT_TIME_LIMITS)
    connection.commit()


def engine(url: str, *, pool_size: int = 5) -> sqlalchemy.Engine:
    """A SQLAlchemy engine whose connections are `league_writer`, in UTC."""
    return sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: connect(url), pool_size=pool_size, pool_pre_ping=True
    )


def migrate(url: str) -> None:
    """Upgrade the database to the newest migration. Several processes may call this at once; one of them migrates.

    An up-to-date database needs only a user who may act as the writer. Raises FileMissing, and BadSetting when the
    database needs an upgrade and the user of `url` lacks a right, or when a newer program has upgraded it.
    """
    if _is_migrated(url):
        return
    # Imported here: only start-up and tests migrate, and Alembic takes longer to import than to run.
    from alembic import command  # noqa: PLC0415  # only who migrates needs it
    from alembic.config import Config  # noqa: PLC0415  # only who migrates needs it
    from alembic.util import CommandError  # noqa: PLC0415  # only who migrates needs it

    config = Config()
    config.set_main_option("script_location", str(shipped("migrations")).replace("%", "%%"))
    as_given = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=sqlalchemy.NullPool
    )
    with ALEMBIC, as_given.connect() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            # The newest migration of the database is none of this program's.
            raise BadSetting("LEAGUE_DATABASE_URL", NEWER) from error
        except sqlalchemy.exc.ProgrammingError as error:
            if isinstance(error.orig, InsufficientPrivilege):
                raise BadSetting("LEAGUE_DATABASE_URL", f"{MAY_NOT_MIGRATE} ({error.orig})") from error
            raise


def _is_migrated(url: str) -> bool:
    """Whether the database is at the newest migration, as far as the writer can see."""
    try:
        with connect(url) as conn:
            version = conn.execute("SELECT version_num FROM alembic_version").fetchone()
    except (InvalidParameterValue, InsufficientPrivilege, UndefinedTable):
        return False  # there is no writer yet, the user may not act as the writer, or nothing is migrated yet
    return version == (newest_migration(),)


@functools.cache
def newest_migration() -> str:
    """The revision that `migrate` upgrades a database to. Raises FileMissing."""
    # Without Alembic: each command asks this, and Alembic takes longer to import than most commands run.
    files = sorted((shipped("migrations") / "versions").glob("*.py"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    revisions = re.findall('^revision = "(\\w+)"', text, re.MULTILINE)
    followed = re.findall('^down_revision = "(\\w+)"', text, re.MULTILINE)
    (newest,) = set(revisions) - set(followed)
    return str(newest)


def wait_until_reachable(url: str, timeout: float) -> None:
    """Wait up to `timeout` seconds for the server to accept connections. Raises psycopg.OperationalError after that."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.25)
