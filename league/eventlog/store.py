"""The event log: appends to several streams at once. Also `DatabaseClock`, the clock that dates the events.

`league.eventlog.reading` reads streams and the log in order; `league.eventlog.envelopes` turns events into rows and
back; `league.eventlog.recorder` inserts the rows.
"""

from __future__ import annotations

import hmac
import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Self, cast

import psycopg
from psycopg.rows import tuple_row

from league.eventlog import sealing
from league.eventlog.envelopes import Codec, Envelopes
from league.eventlog.reading import LogReader
from league.eventlog.recorder import AlreadyThere, Recorder, StoreUnavailable, Within
from league.eventlog.records import KEYED, Append, AppendRequest, IdempotencyKeyTaken, VersionConflict


class EventStore(LogReader):
    """The log in the database at `url`. Events are encoded by `codec`. Safe to share between threads."""

    def __init__(self, url: str, codec: Codec, table_secret: str | None = None) -> None:
        """`table_secret` seals the hands of live tables. Without it no hand can be shuffled, nor a running one read."""
        self.url = url
        self._recorder = Recorder(url)
        self._envelopes = Envelopes(self._recorder, codec, table_secret)
        self.seals_tables = table_secret is not None
        """Whether the secrets of live tables can be sealed."""

    def close(self) -> None:
        """Close the connections."""
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(
        self,
        appends: Sequence[Append],
        request: AppendRequest,
        within: Within | None = None,
        *,
        unchanged: Mapping[str, int] = MappingProxyType({}),
    ) -> int:
        """Store all events of all `appends` in one transaction, or nothing. Returns the position of the last event.

        A request whose key was used before with the same input hash stores nothing and returns the first position. If
        an event destroys the sealing key of its stream, the same transaction deletes the key and removes the name from
        the read tables; it first waits until the projector has committed the names that it has read. `within` is
        called in the same transaction, while no other writer can append; an exception from it rolls back everything.

        `unchanged`: the streams on which the decision depends, each with the version that it must still have.

        Raises VersionConflict, SealingKeyDestroyed, IdempotencyKeyTaken, StoreUnavailable, OutOfSpace; ValueError for
        an append without events, or a key without its hash.
        """
        if not appends or not all(append.events for append in appends):
            raise ValueError("an append needs at least one event")
        if request.key is not None and request.input_hash is None:
            raise ValueError("a key needs the hash of its input")
        # If the connection is lost after the commit, the library tries again and finds its own events. The record of
        # the request tells them from another writer's events, so a request without a key gets a unique one.
        key = request.key if request.key is not None else f"~{uuid.uuid4().hex}"
        input_hash = request.input_hash or key
        stored, erased = self._envelopes.rows_of(appends, request), self._envelopes.erased_by(appends)
        expected = {append.stream: append.version for append in reversed(appends)}
        # A unique index checks the versions of appends anyway.
        others = {stream: version for stream, version in unchanged.items() if version != expected.get(stream)}
        try:
            return self._recorder.insert(
                stored,
                actor=request.actor,
                key=key,
                input_hash=input_hash,
                within=within,
                erased=erased,
                unchanged=others,
            )
        except AlreadyThere as error:
            try:
                return self._after_conflict(error, expected | others, request.actor, key, input_hash)
            except StoreUnavailable as away:
                away.stored = "unknown"  # the conflict may be with this request's own events
                raise

    def lock(self, conn: psycopg.Connection[Any]) -> None:
        """Lock the log against other writers until the transaction of `conn` ends. Call it before `append_on`."""
        self._recorder.lock(conn)

    def append_on(self, conn: psycopg.Connection[Any], appends: Sequence[Append], request: AppendRequest) -> int:
        """Store all events in the transaction of `conn`, which has called `lock`. Returns the position of the last one.

        Use it for decisions that no other writer may overtake: streams that `load_on` has read under the lock do not
        change. If the connection is lost, nothing is retried: the caller repeats the request with the same key. Raises
        IdempotencyKeyTaken.
        """
        key = request.key if request.key is not None else f"~{uuid.uuid4().hex}"
        stored, input_hash = self._envelopes.rows_of(appends, request), request.input_hash or key
        try:
            return self._recorder.insert_on(conn, stored, actor=request.actor, key=key, input_hash=input_hash)
        except AlreadyThere as error:
            raise IdempotencyKeyTaken(request.actor, key) from error

    def reading_on(self, conn: psycopg.Connection[Any]) -> EventStore:
        """A store that reads the log as the transaction of a connection sees it."""
        return _StoreInTransaction(conn, self.url, self._envelopes, seals_tables=self.seals_tables)

    def keyed_hash(self, stream: str, data: bytes, *, make: bool = False) -> str:
        """A hash that reveals nothing without the sealing key of a stream.

        If the stream has no key, the hash is random, so it equals no other. `make`: create a key for a stream that has
        no event yet.
        """
        key = self._envelopes.keys({stream}, sealing.make_keys if make else sealing.keys_of).get(stream) or os.urandom(
            32
        )
        return KEYED + hmac.digest(key, data, "sha256").hex()

    def can_write(self) -> bool:
        """Whether the disk has room. If the last write found it full, tries again with a write that is rolled back.

        Raises StoreUnavailable.
        """
        return self._recorder.can_write()

    def reports_full_disk(self) -> AbstractContextManager[None]:
        """A context for a transaction on another connection. If that finds the disk full, `can_write` tests the disk.

        Raises OutOfSpace.
        """
        return self._recorder.reports_full_disk()

    def _after_conflict(
        self, error: AlreadyThere, expected: Mapping[str, int], actor: str, key: str, input_hash: str
    ) -> int:
        answer = self.answer_to(actor, key)
        if answer is not None:
            if not answer.is_to(input_hash):
                raise IdempotencyKeyTaken(actor, key) from error
            return answer.position
        if (changed := self.changed_since(expected)) is not None:
            raise VersionConflict(changed, expected[changed]) from error
        raise ValueError("two appends claim the same version of a stream") from error


class _TransactionReader:
    """Has the reading methods of a recorder, in the transaction of a connection."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn

    def select(self, query: str, parameters: list[Any]) -> list[Any]:
        """The rows of a query, as tuples."""
        with self._conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return cursor.execute(query.encode(), parameters).fetchall()

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection."""
        yield self._conn


class _StoreInTransaction(EventStore):
    """A store that reads in the transaction of a connection."""

    def __init__(self, conn: psycopg.Connection[Any], url: str, envelopes: Envelopes, *, seals_tables: bool) -> None:
        self.url, self.seals_tables = url, seals_tables
        self._recorder = cast(Recorder, _TransactionReader(conn))
        self._envelopes = envelopes.with_recorder(self._recorder)


# ---------------------------------------------------------------- the clock of the database


Clock = Callable[[], datetime]

ASK_AGAIN = timedelta(seconds=10)
"""Time after which the database is asked again."""


class DatabaseClock:
    """The database's clock, which dates the events. A process whose own clock is wrong decides as all others do.

    Between two queries it adds the time that has passed by the process's clock. Safe to share between threads.
    """

    def __init__(self, ask: Clock, own: Clock) -> None:
        """`ask` asks the database (`EventStore.now`); `own` is the clock of this process. Both in UTC."""
        self._ask, self._own = ask, own
        self._known: tuple[datetime, timedelta] | None = None
        """The process's time at which the database was asked, and how far the database's clock was ahead of it."""

    def __call__(self) -> datetime:
        """Now, in UTC. Raises StoreUnavailable if the database was never reached."""
        now, known = self._own(), self._known
        # If the process's clock was set, it has jumped out of this range.
        if known is None or not known[0] <= now < known[0] + ASK_AGAIN:
            try:
                known = self._known = self._compared()
            except StoreUnavailable:
                if known is None:
                    raise
        return self._own() + known[1]

    def _compared(self) -> tuple[datetime, timedelta]:
        before = self._own()
        says = self._ask().astimezone(UTC)
        after = self._own()
        return after, says - before - (after - before) / 2
