"""The database: embedded or external, migrated by Alembic, and used under the role of the program.

Short questions are asked on an event loop, through connections whose waits for the server can be awaited.
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
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.util.concurrency import await_, greenlet_spawn, in_greenlet

from league.domain.refusals import NoLeague
from league.domain.sentences import Sentence, say
from league.infra.embedded_postgres import embedded_postgres, holds_a_database
from league.infra.league_version import LeagueOfAnotherVersion, newest_migration, shipped, version_in
from league.infra.settings import BadSetting, Settings

# ---------------------------------------------------------------- why a database does not answer


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
    ("57P", "unreachable"),  # it stops, or starts
    ("3D000", "missing"),
    ("53300", "no_connections"),
    ("53100", "full"),
    ("55P03", "locked"),
    ("57014", "slow"),
)
"""By how a SQLSTATE begins."""

# A connection that fails has no SQLSTATE, only the text of the server, which may speak another language than English.
_TEXTS: tuple[tuple[str, Reason], ...] = (
    ("too many clients", "no_connections"),
    ("too many connections", "no_connections"),
    ("remaining connection slots", "no_connections"),
    ("does not exist", "missing"),
)


def reason_of(error: BaseException | None) -> Reason | None:
    """Why the database did not answer; None for any other error, such as a deadlock."""
    if isinstance(error, sqlalchemy.exc.TimeoutError | PoolTimeout):
        return "no_connections"  # all of the process are in use
    if isinstance(error, sqlalchemy.exc.OperationalError):
        error = error.orig
    if not isinstance(error, psycopg.OperationalError):
        return None
    if error.sqlstate is None:
        return next((reason for text, reason in _TEXTS if text in str(error)), "unreachable")
    return next((reason for state, reason in _STATES if error.sqlstate.startswith(state)), None)


T = TypeVar("T")

# ---------------------------------------------------------------- waits that can be awaited


INTERVAL = 0.1
"""Seconds after which a wait looks whether the program is interrupted; psycopg's own default."""


class AwaitableConnection(psycopg.Connection[TupleRow]):
    """Waits for the server as any connection does; within `on_event_loop` other tasks go on meanwhile."""

    def wait(self, gen: PQGen[T], interval: float = INTERVAL, timeout: float | None = None) -> T:
        """Wait until a command has its result."""
        if in_greenlet():
            return await_(wait_async(gen, self.pgconn.socket, interval, timeout))
        return super().wait(gen, interval, timeout)


def on_event_loop(work: Callable[[], T]) -> asyncio.Task[T]:
    """Do work that blocks only where an AwaitableConnection waits for its server. To connect blocks."""
    return asyncio.get_running_loop().create_task(greenlet_spawn(work))


# ---------------------------------------------------------------- roles, limits and connections


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

MAY_NOT_WRITE = say("its user may not act as {writer}: run `GRANT {writer} TO` this user", writer=WRITER)
MAY_NOT_MIGRATE = say(
    "the database is not at this program's version, and its user may not migrate it: run `league "
    "migrate` with the URL of a user who may"
)

# Of readers. Folds, rebuilds, migrations, verification and backups have connections of their own, without limits.
LOCK_LIMIT = 3
"""Seconds that a statement of a reader waits for a lock."""
STATEMENT_LIMIT = 15
"""Seconds that a statement of a reader may take."""
NETWORK_LIMITS: dict[str, str | int] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
}
"""In seconds, but the last in milliseconds. A server behind a network that has failed silently never says so."""
READERS_LIMITS = f"SET lock_timeout = '{LOCK_LIMIT}s'; SET statement_timeout = '{STATEMENT_LIMIT}s'"

# Alembic keeps its context in globals of the process; across processes the migrations take a database lock.
ALEMBIC = threading.Lock()


class UntrustedSchema(Exception):
    """Other roles than the owner could have created objects in a schema of the league, so migrations do not use it."""

    def __init__(self, schema: str, roles: str) -> None:
        of = {"owner": OWNER, "schema": schema, "roles": roles}
        super().__init__(
            say("only {owner} may own the schema {schema} and create objects in it, but {roles} can too", **of)
        )
        self.schema = schema
        self.roles = roles


class Database(msgspec.Struct, frozen=True):
    """Where the database is (a libpq URL), and whether this program runs its server."""

    url: str
    embedded: bool


@contextmanager
def open_database(settings: Settings, *, create: bool = True) -> Iterator[Database]:
    """The server at `settings.database_url`, or the embedded one, which stops with the last process that uses it.

    `create`: make the embedded database where there is none; without it that raises NoLeague. Raises BadSetting,
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
    """Where the league of these settings is kept; without the password of a database."""
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


def database_time(connection: psycopg.Connection[Any]) -> datetime:
    """What the clock of the database says now, in UTC. What the log promises goes by it, not by a process's clock."""
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None, "a SELECT without a condition has a row"
    time: datetime = row[0]
    return time.astimezone(UTC)


def without_time_limits(connection: psycopg.Connection[TupleRow]) -> None:
    """Let the transactions of a connection take their time, whatever limits the server sets for others."""
    connection.execute(WITHOUT_TIME_LIMITS)
    connection.commit()


def engine(url: str, *, pool_size: int = 5, limits: str | None = None) -> sqlalchemy.Engine:
    """A SQLAlchemy engine: its connections are `league_writer`, in UTC, and have the limits of a reader.

    `limits`: statements that set other ones, such as WITHOUT_TIME_LIMITS for a fold or a whole difference.
    """

    def limited() -> psycopg.Connection[TupleRow]:
        connection = connect(url)
        try:
            connection.execute(READERS_LIMITS if limits is None else limits)
            connection.commit()
        except BaseException:
            connection.close()
            raise
        return connection

    made = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=limited, pool_size=pool_size, pool_pre_ping=True, pool_timeout=LOCK_LIMIT
    )
    _close_late_ones(made)
    return made


def _close_late_ones(pool: sqlalchemy.Engine) -> None:
    """Close connections that come back after the pool was disposed of, which SQLAlchemy keeps open."""
    disposals = 0

    def connected(_: object, record: ConnectionPoolEntry) -> None:
        record.info["disposals"] = disposals

    def returned(connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        if connection is not None and record.info.get("disposals") != disposals:
            connection.close()

    def disposed(_: object) -> None:
        nonlocal disposals
        disposals += 1

    event.listen(pool, "connect", connected)
    event.listen(pool, "checkin", returned)
    event.listen(pool, "engine_disposed", disposed)


def has_tables(url: str) -> bool:
    """Whether the database holds the tables of a league, at the newest migration. Changes nothing.

    Raises LeagueOfAnotherVersion for any other league, and BadSetting when the user of `url` may not act as the writer.
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

    An up-to-date database needs only a user who may act as the writer. Raises FileMissing, LeagueOfAnotherVersion for
    a league that no migration of this program leads on from, and BadSetting when the user of `url` lacks a right.
    """
    with suppress(InsufficientPrivilege):  # the user who migrates may let themselves act as the writer
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
    """The URL with limits for opening a connection and for a network that has gone silent, unless it has its own."""
    return make_conninfo("", **{**NETWORK_LIMITS, **conninfo_to_dict(url)})


def wait_until_reachable(url: str, patience: float = 0, away: Callable[[Exception], object] = lambda _: None) -> None:
    """Return when the server accepts connections; `away` is called once if it does not yet.

    `patience`: seconds to wait for a server that cannot be reached or has no connection left. A missing database or a
    refused password is no matter of waiting. Raises psycopg.OperationalError.
    """
    deadline, told = time.monotonic() + patience, False
    while True:
        try:
            psycopg.connect(with_network_limits(url)).close()
            return
        except psycopg.OperationalError as error:
            passes = reason_of(error) != "missing" and "authentication failed" not in str(error)
            if not passes or time.monotonic() > deadline:
                raise
            if not told:
                away(error)
                told = True
            time.sleep(0.25)
