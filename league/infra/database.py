"""The database: embedded or external, migrated by Alembic, and used in the role of the program.

Short queries can run on an event loop: they use connections whose waits for the server can be awaited.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import msgspec
import psycopg
import sqlalchemy
import sqlalchemy.exc
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg.rows import TupleRow
from psycopg.waiting import wait_async
from psycopg_pool import PoolTimeout
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.util.concurrency import await_, greenlet_spawn, in_greenlet

from league.domain.refusals import NoLeague
from league.domain.sentences import Sentence, say
from league.infra.embedded_postgres import embedded_postgres, holds_a_database
from league.infra.league_version import LeagueOfAnotherVersion, newest_migration, shipped, version_in
from league.infra.settings import BadSetting, Settings

# ---------------------------------------------------------------- reasons why a database does not answer


Reason = Literal["unreachable", "missing", "no_connections", "locked", "slow", "full"]

REASON_SENTENCES: dict[Reason, Sentence] = {
    "unreachable": say("The database cannot be reached at the moment"),
    "missing": say("The server has no such database"),
    "no_connections": say("The database has no connection left"),
    "locked": say("The database waits for a lock that another session holds"),
    "slow": say("The database did not answer in time"),
    "full": say("The disk of the database is full"),
}

_STATES: tuple[tuple[str, Reason], ...] = (
    ("08", "unreachable"),
    ("57P", "unreachable"),  # the server is stopping or starting
    ("3D000", "missing"),
    ("53300", "no_connections"),
    ("53100", "full"),
    ("55P03", "locked"),
    ("57014", "slow"),
)
"""The reason for each beginning of a SQLSTATE."""

# A failed connection has no SQLSTATE, only the server's text, which may be in another language than English.
_TEXTS: tuple[tuple[str, Reason], ...] = (
    ("too many clients", "no_connections"),
    ("too many connections", "no_connections"),
    ("remaining connection slots", "no_connections"),
    ("does not exist", "missing"),
)


def reason_of(error: BaseException | None) -> Reason | None:
    """The reason why the database did not answer; None for any other error, such as a deadlock."""
    if isinstance(error, sqlalchemy.exc.TimeoutError | PoolTimeout):
        return "no_connections"  # all connections of the process's pool are in use
    if isinstance(error, sqlalchemy.exc.OperationalError):
        error = error.orig
    if not isinstance(error, psycopg.OperationalError):
        return None
    if error.sqlstate is None:
        return next((reason for text, reason in _TEXTS if text in str(error)), "unreachable")
    return next((reason for state, reason in _STATES if error.sqlstate.startswith(state)), None)


T = TypeVar("T")

# ---------------------------------------------------------------- connections that an event loop can await


INTERVAL = 0.1
"""Seconds after which a wait checks for an interruption of the program; psycopg's own default."""


class AwaitableConnection(psycopg.Connection[TupleRow]):
    """A connection that blocks while it waits for the server, except within `on_event_loop`: other tasks run then."""

    def wait(self, gen: PQGen[T], interval: float = INTERVAL, timeout: float | None = None) -> T:
        """Wait for the result of a command."""
        if in_greenlet():
            return await_(wait_async(gen, self.pgconn.socket, interval, timeout))
        return super().wait(gen, interval, timeout)


def on_event_loop(work: Callable[[], T]) -> asyncio.Task[T]:
    """Run `work` on the event loop. It may wait only through an AwaitableConnection; opening a connection blocks."""
    return asyncio.get_running_loop().create_task(greenlet_spawn(work))


# ---------------------------------------------------------------- roles, limits and connections


# `league_owner` owns everything. `league_writer` appends to the log and changes rows of the read tables; it creates
# only temporary tables (docs/decisions/the-writer-owns-nothing.md). `league_reader` reads the data of answers that may
# be cached (docs/decisions/cached-answers.md).
OWNER = "league_owner"
WRITER = "league_writer"
READER = "league_reader"
SCHEMA = "league"
# The schema of the runs' partitions.
SCHEMA_OF_RUNS = "runs"
SEARCH_PATH = f"{SCHEMA}, {SCHEMA_OF_RUNS}"
# Timestamps arrive in UTC, whatever time zone the server is set to. PostgreSQL compiles expensive statements anew each
# time. Compiling took more than half of the time of a board at an earlier moment.
ACT_AS_WRITER = f"SET ROLE {WRITER}; SET search_path = {SEARCH_PATH}; SET TIME ZONE 'UTC'; SET jit = off"

# `transaction_timeout` exists since PostgreSQL 17.
WITHOUT_TIME_LIMITS = """
    SELECT set_config(name, '0', false) FROM pg_settings
    WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')
"""

MAY_NOT_WRITE = say("its user may not act as {writer}: run `GRANT {writer} TO` this user", writer=WRITER)
MAY_NOT_MIGRATE = say(
    "the database is not at this program's version, and its user may not migrate it: run `league "
    "migrate` with the URL of a user who may"
)

# These limits are for readers. Folds, rebuilds, migrations, verification and backups have connections without limits.
LOCK_LIMIT = 3
"""Limit in seconds on a reader's wait for a lock."""
STATEMENT_LIMIT = 15
"""Limit in seconds on a statement of a reader."""
NETWORK_LIMITS: dict[str, str | int] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
}
"""Limits in seconds, the last one in milliseconds. Without them a silent failure of the network goes unnoticed."""
READERS_LIMITS = f"SET lock_timeout = '{LOCK_LIMIT}s'; SET statement_timeout = '{STATEMENT_LIMIT}s'"

# Alembic has its context in globals of the process. Between processes the migrations take a lock of the database.
ALEMBIC = threading.Lock()


class UntrustedSchema(Exception):
    """Roles other than the owner may have created objects in a schema of the league, so migrations refuse to use it."""

    def __init__(self, schema: str, roles: str) -> None:
        of = {"owner": OWNER, "schema": schema, "roles": roles}
        super().__init__(
            say("only {owner} may own the schema {schema} and create objects in it, but {roles} can too", **of)
        )
        self.schema = schema
        self.roles = roles


class Database(msgspec.Struct, frozen=True):
    """The libpq URL of a database, and whether this program runs its server."""

    url: str
    embedded: bool


@contextmanager
def open_database(settings: Settings, *, create: bool = True) -> Iterator[Database]:
    """The database at `settings.database_url`, or the embedded one, which stops with the last process that uses it.

    `create`: create the embedded database if there is none; otherwise this raises NoLeague. Raises BadSetting,
    EmbeddedDatabaseMissing or EmbeddedDatabaseFailed. Does not connect to an external server.
    """
    if settings.database_url is None:
        if not create and not holds_a_database(settings.data_dir):
            raise NoLeague(place_of(settings))
        with embedded_postgres(settings.data_dir) as url:
            yield Database(url, embedded=True)
        return
    try:
        conninfo_to_dict(settings.database_url)
    except psycopg.ProgrammingError as error:
        raise BadSetting("LEAGUE_DATABASE_URL", say("is not a PostgreSQL URL")) from error
    yield Database(settings.database_url, embedded=False)


def place_of(settings: Settings) -> Sentence:
    """The place of these settings' league, in words and without the password of a database."""
    if settings.database_url is None:
        return say("the folder {folder}", folder=settings.data_dir.absolute())
    url = urlsplit(settings.database_url)
    return say("the database {name} of {host}", name=repr(url.path.lstrip("/")), host=url.hostname or "this machine")


def connect(url: str, *, autocommit: bool = False) -> psycopg.Connection[TupleRow]:
    """A psycopg connection as `league_writer`, in UTC. The database must have been migrated."""
    connection = AwaitableConnection.connect(with_network_limits(url), autocommit=True)
    try:
        connection.execute(ACT_AS_WRITER)
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


def heard(conn: psycopg.Connection[Any], seconds: float) -> set[str]:
    """Wait for a notification. Returns the channels of those that came; the connection must listen to them."""
    return {one.channel for one in conn.notifies(timeout=seconds, stop_after=1)}  # all that came: the next call waits


def is_told(conn: psycopg.Connection[Any], seconds: float) -> bool:
    """Wait for a notification on a channel that the connection listens to. Returns whether one came in this time."""
    return bool(heard(conn, seconds))


def database_time(connection: psycopg.Connection[Any]) -> datetime:
    """The time by the clock of the database, in UTC. Times in the log come from it, not from a process's clock."""
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None, "a SELECT without a condition has a row"
    time: datetime = row[0]
    return time.astimezone(UTC)


def without_time_limits(connection: psycopg.Connection[TupleRow]) -> None:
    """Remove the time limits from the transactions of a connection, even limits that the server sets."""
    connection.execute(WITHOUT_TIME_LIMITS)
    connection.commit()


def engine(url: str, *, pool_size: int = 5, limits: str | None = None) -> sqlalchemy.Engine:
    """A SQLAlchemy engine whose connections have the role `league_writer`, the time zone UTC and a reader's limits.

    `limits`: statements that set other limits, such as WITHOUT_TIME_LIMITS for a fold or a whole difference.
    """
    disposals = 0
    opened: WeakKeyDictionary[object, int] = WeakKeyDictionary()  # how often the pool had been disposed of by then

    def limited() -> psycopg.Connection[TupleRow]:
        before = disposals
        connection = connect(url)
        try:
            connection.execute(READERS_LIMITS if limits is None else limits)
            connection.commit()
        except BaseException:
            connection.close()
            raise
        opened[connection] = before
        return connection

    # SQLAlchemy leaves connections open that are returned after their pool was disposed of.
    def returned(connection: DBAPIConnection | None, _: object) -> None:
        if connection is not None and opened.get(connection) != disposals:
            connection.close()

    def disposed(_: object) -> None:
        nonlocal disposals
        disposals += 1

    made = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=limited, pool_size=pool_size, pool_pre_ping=True, pool_timeout=LOCK_LIMIT
    )
    event.listen(made, "checkin", returned)
    event.listen(made, "engine_disposed", disposed)
    return made


def has_tables(url: str) -> bool:
    """Whether the database holds the tables of a league, at the newest migration. Changes nothing.

    Raises LeagueOfAnotherVersion for any other league, and BadSetting if the user of `url` may not act as the writer.
    """
    try:
        version = version_of(url)
    except InsufficientPrivilege as error:
        raise BadSetting("LEAGUE_DATABASE_URL", f"{MAY_NOT_WRITE} ({error})") from error
    if version not in (None, newest_migration()):
        raise LeagueOfAnotherVersion("not migrated", SCHEMA, version)
    return version is not None


def version_of(url: str) -> str | None:
    """The newest migration of the league in the database; None if it holds no tables of a league. Changes nothing.

    Raises LeagueOfAnotherVersion for a league that `migrate` cannot upgrade, and InsufficientPrivilege.
    """
    with psycopg.connect(with_network_limits(url), autocommit=True) as conn:
        conn.execute(READERS_LIMITS)
        return version_in(conn, SCHEMA, WRITER)


def migrate(url: str) -> None:
    """Upgrade the database to the newest migration. Several processes may call this at once; one of them migrates.

    For an up-to-date database the user only needs the right to act as the writer. Raises FileMissing,
    LeagueOfAnotherVersion for a league that this program's migrations cannot upgrade, and BadSetting if the user of
    `url` lacks a right.
    """
    with suppress(InsufficientPrivilege):  # a user who may migrate can grant themselves the role of the writer
        if version_of(url) == newest_migration():
            return
    # Imported here: only start-up and tests migrate, and Alembic takes longer to import than to run.
    from alembic import command  # noqa: PLC0415  # only who migrates needs it
    from alembic.config import Config  # noqa: PLC0415  # only who migrates needs it

    config = Config()
    config.set_main_option("script_location", str(shipped("migrations")).replace("%", "%%"))
    as_given = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=sqlalchemy.NullPool
    )
    with ALEMBIC, as_given.connect() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except sqlalchemy.exc.ProgrammingError as error:
            if isinstance(error.orig, InsufficientPrivilege):
                raise BadSetting("LEAGUE_DATABASE_URL", f"{MAY_NOT_MIGRATE} ({error.orig})") from error
            raise


def with_network_limits(url: str) -> str:
    """The URL with limits for opening a connection and for a silent network, unless it sets its own limits."""
    return make_conninfo("", **{**NETWORK_LIMITS, **conninfo_to_dict(url)})


def wait_until_reachable(url: str, patience: float = 0, away: Callable[[Exception], object] = lambda _: None) -> None:
    """Return once the server accepts connections. Calls `away` once if it does not at first.

    `patience`: seconds to wait for a server that cannot be reached or has no connection left. Does not wait for a
    missing database or after a refused password. Raises psycopg.OperationalError.
    """
    deadline, told = time.monotonic() + patience, False
    while True:
        try:
            psycopg.connect(with_network_limits(url)).close()
            return
        except psycopg.OperationalError as error:
            may_pass = reason_of(error) != "missing" and "authentication failed" not in str(error)
            if not may_pass or time.monotonic() > deadline:
                raise
            if not told:
                away(error)
                told = True
            time.sleep(0.25)
