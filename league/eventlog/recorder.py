"""Inserts events into the log: under its lock, with dense positions, times, the hash chain, and the request's record.

This is the only module that imports the library `eventsourcing`. The library pools connections and retries after a
lost connection. One function of the database, `append_events`, locks, inserts and notifies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import psycopg
from eventsourcing.persistence import IntegrityError, InterfaceError, OperationalError
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from eventsourcing.utils import retry
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import DiskFull, LockNotAvailable, QueryCanceled, UniqueViolation
from psycopg.rows import dict_row, tuple_row

from league.domain.sentences import say
from league.eventlog import sealing
from league.infra.database import ACT_AS_WRITER, READERS_LIMITS, SCHEMA, Reason, reason_of, with_network_limits

NewEvent = tuple[str, int, str, bytes]
"""Stream, version, name, state."""
NO_STREAMS: Mapping[str, int] = MappingProxyType({})
Within = Callable[[psycopg.Connection[Any], int, int], None]
"""A function of the connection, the position before the new events, and the position of the last new event."""
MOST_CONNECTIONS = 16
"""Limit on the connections of the pool."""
APPEND_LOCK_LIMIT = "10s"
"""Limit on the wait of an append for the log's lock. Another writer may store a whole season."""
INSERT_LIMITS = f"SET LOCAL lock_timeout = '{APPEND_LOCK_LIMIT}'; SET LOCAL statement_timeout = '120s'"
"""Time limits of an append of many events; a million events are one statement."""
MOST_AT_ONCE = 1_000
"""Limit on the events of an append that is a transaction of one statement, within the time of a reader's statement."""
ERASE_LIMIT = "SET LOCAL lock_timeout = '60s'"
"""Time limit of an erasure, which waits for the projector. The projector may be folding a long log."""
LONGEST_SILENCE = 60
"""Seconds after which the server ends an idle transaction, since others may wait for its locks."""

TABLE_STREAM = "table:"
EVENTS = "stored_events"
"""The channel on which every append is announced."""
EVENTS_STORED = f"SELECT pg_notify('{EVENTS}', '')"
"""Announces events that were stored without an append."""
TABLES = "league_tables"
"""The channel on which an append announces the id of each live table that it changes."""
RIGHTS = "league_rights"
"""The channel that announces possible changes of somebody's rights: of a session, a member or a merge."""
RIGHTS_CHANGED = f"SELECT pg_notify('{RIGHTS}', '')"
OF_RIGHTS = ("member:", "merges")
"""Prefixes of the streams whose events change rights."""

LOCK = "SELECT lock_event_log()"
VERSION = "SELECT coalesce(max(originator_version), 0) FROM stored_events WHERE originator_id = %s"

APPEND = """
    SELECT append_events(
        %s::text[], %s::bigint[], %s::text[], %b::bytea[], %s, %s, %s,
        %s::text[], %s::bigint[], %s::text[], %s::text[], %s
    )
"""

NOT_STORED = say(
    "the database did not store the events, so nothing was stored: a trigger, a rule or a constraint that is none of "
    "this program's drops or refuses them; `league verify` names it"
)


class AlreadyThere(Exception):
    """The log already has one of these versions of a stream, or the record of this request."""


class NotStored(Exception):
    """The database dropped or refused what an append inserts, so the append stored nothing."""

    def __init__(self) -> None:
        super().__init__(NOT_STORED)


WasStored = Literal["yes", "no", "unknown"]
"""`yes`: the events are stored, only the answer was lost. `unknown`: the connection was lost during the commit."""


class StoreUnavailable(Exception):
    """The database cannot be reached, or the connection was lost and could not be restored.

    `reason`: the kind of failure. `stored`: whether the events of an append are stored; None for a read.
    """

    def __init__(self, text: str, reason: Reason = "unreachable", *, stored: WasStored | None = None) -> None:
        super().__init__(text)
        self.reason: Reason = reason
        self.stored: WasStored | None = stored


class TooSlow(StoreUnavailable):
    """A statement reached its time limit, so its transaction was rolled back."""


def version_on(connection: psycopg.Connection[Any], stream: str) -> int:
    """The version of a stream, as the transaction of a connection sees it; 0 if it does not exist."""
    with connection.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(VERSION, [stream]).fetchone()
    assert row is not None, "max() gives a row"
    return int(row[0])


def insert_next(
    connection: psycopg.Connection[Any],
    events: Sequence[NewEvent],
    request: Sequence[str],
    *,
    unchanged: Mapping[str, int] = NO_STREAMS,
    channel: str | None = None,
    lock_limit: str | None = None,
) -> int:
    """Take the log's lock and insert events at its end, and the record of their request: actor, key, input hash.

    One statement does it all. `unchanged`: versions that other streams must have; `channel`: where the new events are
    announced; `lock_limit` replaces the session's limit on the wait for the lock. Returns the position of the last
    event. Raises psycopg's UniqueViolation if a stream or the request is no longer as expected; NotStored.
    """
    told = [] if channel is None else [(channel, "")]
    told += [(TABLES, stream.removeprefix(TABLE_STREAM)) for stream, *_ in events if stream.startswith(TABLE_STREAM)]
    if any(stream.startswith(OF_RIGHTS) for stream, *_ in events):
        told.append((RIGHTS, ""))
    columns = [list(column) for column in zip(*events, strict=True)]
    parameters = [
        *columns, *request, list(unchanged), list(unchanged.values()),
        [channel for channel, _ in told], [payload for _, payload in told], lock_limit,
    ]  # fmt: skip
    with connection.cursor(row_factory=tuple_row) as cursor:
        try:
            row = cursor.execute(APPEND, parameters, prepare=True).fetchone()
        except UniqueViolation:
            raise
        except psycopg.IntegrityError as error:
            raise NotStored from error
    assert row is not None, "a function gives a row"
    last: int = row[0]
    return last


class FullDisk(StoreUnavailable):
    """The disk of the database is full."""

    says = say("the disk of the database is full")

    def __init__(self, reason: str) -> None:
        super().__init__(f"{self.says} ({reason})", "full")


class OutOfSpace(FullDisk):
    """A write found the disk full, and stored nothing."""

    says = say("the disk of the database is full, so nothing was stored")

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.stored = "no"


class _RollBack(Exception):
    """Rolls back a write whose only purpose is to try the disk."""


class Recorder(PostgresApplicationRecorder):
    """The library's recorder with our insert statement, for the database at `url`. Safe to share between threads.

    Its methods raise StoreUnavailable.
    """

    def __init__(self, url: str) -> None:
        self._out_of_space = False
        with self._own_errors():
            super().__init__(_Datastore(url))

    def close(self) -> None:
        """Close the connections."""
        self.datastore.close()

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of the pool, as the writer."""
        with self._own_errors(), self.datastore.get_connection() as connection:
            yield connection

    def select(self, query: str, parameters: list[Any]) -> list[Any]:
        """The rows of a query, as tuples."""
        with self._own_errors():
            rows: list[Any] = self._select(query, parameters)
        return rows

    def insert(
        self,
        events: Sequence[NewEvent],
        *,
        actor: str,
        key: str,
        input_hash: str,
        within: Within | None,
        erased: Iterable[str],
        unchanged: Mapping[str, int],
    ) -> int:
        """Insert all events and the record of their request, or nothing. Returns the position of the last event.

        The same transaction destroys the sealing keys of the `erased` streams and calls `within`. Raises AlreadyThere,
        also if a stream of `unchanged` no longer has its version, and NotStored.
        """
        begun: list[bool] = []
        try:
            with self._own_errors():
                last: int = self._insert(events, [actor, key, input_hash], within, erased, unchanged, begun)
        except IntegrityError as error:
            if not isinstance(error.__cause__, UniqueViolation):
                raise NotStored from error
            raise AlreadyThere from error
        except StoreUnavailable as error:
            # An attempt before the last one may have been committed.
            error.stored = "unknown" if begun else "no"
            raise
        return last

    def lock(self, connection: psycopg.Connection[Any]) -> None:
        """Take the log's lock in the transaction of another connection. No other writer appends until it ends."""
        connection.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{LONGEST_SILENCE}s'")
        connection.execute(LOCK)

    def insert_on(
        self, connection: psycopg.Connection[Any], events: Sequence[NewEvent], *, actor: str, key: str, input_hash: str
    ) -> int:
        """Insert events and the record of their request in a transaction that has taken the log's lock.

        Returns the position of the last event. Raises AlreadyThere, NotStored, OutOfSpace.
        """
        with self.reports_full_disk():
            try:
                return insert_next(connection, events, [actor, key, input_hash], channel=self.channel_name)
            except UniqueViolation as error:
                raise AlreadyThere from error

    def can_write(self) -> bool:
        """Whether the disk has room. If the last write found it full, tries again with a write that is rolled back."""
        if self._out_of_space:
            # The event is too large for the free space of the last page, so the table must grow.
            event = ("write-probe", 1, "write-probe", os.urandom(64 * 1024))
            try:
                self.insert([event], actor="~", key="~", input_hash="~", within=_take_back, erased=(), unchanged={})
            except OutOfSpace:
                return False
            except _RollBack:
                self._out_of_space = False
        return True

    @contextmanager
    def reports_full_disk(self) -> Iterator[None]:
        """A context for a transaction on another connection. If that finds the disk full, `can_write` tests the disk.

        Raises OutOfSpace.
        """
        with self._own_errors(), _no_room_told():
            yield

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            yield
        except OutOfSpace:
            self._out_of_space = True
            raise
        except (InterfaceError, OperationalError) as error:
            if isinstance(error.__cause__, DiskFull):
                self._out_of_space = True
                raise FullDisk(str(error)) from error
            raise StoreUnavailable(str(error), reason_of(error.__cause__) or "unreachable") from error

    # Reads can be repeated, so they are retried after a lost connection, as the library does with its writes.
    @retry((InterfaceError, OperationalError), max_attempts=10, wait=0.2)
    def _select(self, query: str, parameters: list[Any]) -> list[Any]:
        with (
            self.datastore.get_connection() as connection,
            _limits_told(),
            connection.cursor(binary=True, row_factory=tuple_row) as cursor,
        ):
            return cursor.execute(query, parameters, prepare=True).fetchall()

    @retry((InterfaceError, OperationalError), max_attempts=10, wait=0.2)
    def _insert(
        self,
        events: Sequence[NewEvent],
        request: list[str],
        within: Within | None,
        erased: Iterable[str],
        unchanged: Mapping[str, int],
        begun: list[bool],
    ) -> int:
        """Insert in one transaction. `begun` has an item for each attempt that may have been committed."""
        # The library does this in a pipeline. There psycopg 3.3 waits for ever if the events are larger than the
        # buffer of the socket: it waits for an answer with half of the statement unsent.
        with self.datastore.get_connection() as connection, _no_room_told(), _limits_told(stored="no"):
            insert = partial(insert_next, connection, events, request, unchanged=unchanged, channel=self.channel_name)
            if within is None and not erased and len(events) <= MOST_AT_ONCE:
                begun.append(True)  # the statement is the transaction
                try:
                    return insert(lock_limit=APPEND_LOCK_LIMIT)
                except (psycopg.Error, NotStored):
                    if not connection.closed:  # the server has answered that it stored nothing
                        begun.pop()
                    raise
            with connection.transaction():
                connection.execute(INSERT_LIMITS)
                if erased:
                    connection.execute(ERASE_LIMIT)
                # Before the log's lock, because this waits for the projector, and every writer waits for the lock.
                for stream in erased:
                    sealing.erase(connection, stream)
                last = insert()
                if within is not None:
                    within(connection, last - len(events), last)
                if erased:
                    sealing.tell_of_erasure(connection)
                begun.append(True)  # if the connection is lost from here on, the transaction may be committed
                return last


class _Datastore(PostgresDatastore):
    """The library's connection pool, with our URL and in the role of the writer."""

    def __init__(self, url: str) -> None:
        # The parent takes the parts of a connection separately; the URL replaces all of them.
        super().__init__(
            "", "", "", "", "", schema=SCHEMA, originator_id_type="text",
            idle_in_transaction_session_timeout=LONGEST_SILENCE, pool_size=1, max_overflow=MOST_CONNECTIONS - 1,
        )  # fmt: skip
        self.pool.kwargs = {**conninfo_to_dict(with_network_limits(url)), "row_factory": dict_row}

    def after_connect_func(self) -> Callable[[psycopg.Connection[Any]], None]:
        """The function that the pool calls with each new connection."""
        library_does = super().after_connect_func()

        def after_connect(connection: psycopg.Connection[Any]) -> None:
            library_does(connection)
            connection.execute(f"{ACT_AS_WRITER}; {READERS_LIMITS}")

        return after_connect


@contextmanager
def _limits_told(*, stored: WasStored | None = None) -> Iterator[None]:
    """Turn a time limit that a statement reached into TooSlow, which the library does not retry."""
    try:
        yield
    except (LockNotAvailable, QueryCanceled) as error:
        raise TooSlow(str(error), reason_of(error) or "slow", stored=stored) from error


@contextmanager
def _no_room_told() -> Iterator[None]:
    """Turn a full disk into OutOfSpace, which the library does not retry."""
    try:
        yield
    except DiskFull as error:
        raise OutOfSpace(str(error)) from error


def _take_back(*_: object) -> None:
    raise _RollBack
