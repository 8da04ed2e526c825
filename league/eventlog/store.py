"""The event log: append to several streams at once, load a stream, read all events after a position.

`league.eventlog.envelopes` turns events into rows and back; `league.eventlog.recorder` inserts them.
"""

from __future__ import annotations

import hmac
import os
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from types import MappingProxyType
from typing import Any, Self, cast

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from league.eventlog import sealing
from league.eventlog.codec import PRIVATE
from league.eventlog.conflicts import KeyTaken, VersionConflict
from league.eventlog.envelopes import Codec, Envelopes, Row
from league.eventlog.recorder import CHANGED, VERSION, AlreadyThere, Recorder, StoreUnavailable, Within, version_on
from league.eventlog.records import KEYED, Answer, Append, Request, Stored

ANSWER = """
    SELECT input_hash, position, EXISTS (
        SELECT FROM stored_events AS event
        WHERE event.position = requests.position AND event.topic = ANY(%s)
        AND NOT EXISTS (SELECT FROM sealing_keys WHERE stream = event.originator_id))
    FROM requests WHERE actor = %s AND key = %s
"""
SELECT = "SELECT position, originator_id, originator_version, topic, recorded_at, state FROM stored_events"
SELECT_FOLLOWED = SELECT.replace("stored_events", "followed_events")
"""Without the events of live tables."""
FOLLOWED_HEAD = "SELECT coalesce(max(position), 0) FROM followed_events"

END_OF_LOG = 2**63 - 1
"""A position after all others."""

NAMED = 'originator_version = 1 AND originator_id COLLATE "C" >= %s AND originator_id COLLATE "C" < %s'
"""The first events of the streams with a name in a span: the condition of an index."""

# One look into the index for each part, however many streams have it: the next part begins after its `:`.
PARTS = """
    WITH RECURSIVE found (name) AS (
        (SELECT originator_id FROM stored_events
         WHERE originator_version = 1 AND originator_id COLLATE "C" >= %s AND originator_id COLLATE "C" < %s
         ORDER BY originator_id COLLATE "C" LIMIT 1)
        UNION ALL
        SELECT (SELECT originator_id FROM stored_events
                WHERE originator_version = 1 AND originator_id COLLATE "C" < %s
                AND originator_id COLLATE "C" >= %s || split_part(substr(name, length(%s) + 1), ':', 1) || ';'
                ORDER BY originator_id COLLATE "C" LIMIT 1)
        FROM found WHERE name IS NOT NULL
    )
    SELECT split_part(substr(name, length(%s) + 1), ':', 1) FROM found WHERE name IS NOT NULL
"""

LAST = (
    "SELECT originator_version FROM stored_events WHERE originator_id = %s AND originator_version <= %s AND topic = %s"
    " ORDER BY originator_version DESC LIMIT 1"
)


class EventStore:
    """The log in the database at `url`, whose events `codec` reads and writes. Safe to share between threads."""

    def __init__(self, url: str, codec: Codec, table_secret: str | None = None) -> None:
        """`table_secret`: seals the hands of live tables; without it they cannot be shuffled, nor running ones read."""
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
        request: Request,
        within: Within | None = None,
        *,
        unchanged: Mapping[str, int] = MappingProxyType({}),
    ) -> int:
        """Store all events of all `appends` in one transaction, or nothing; returns the position of the last one.

        A request whose key was used before with the same input hash stores nothing and returns the first position. An
        event that destroys the key of its stream does so in the same transaction, which also removes the name from the
        read tables; it waits until the projector has committed what it has read. `within` is called in the same
        transaction, while no other writer can append; an exception from it rolls back everything.

        `unchanged`: the streams that the decision rests on, each with the version that it must still have.

        Raises VersionConflict, KeyDestroyed, KeyTaken, StoreUnavailable, OutOfSpace; ValueError for an append without
        events, or a key without its hash.
        """
        if not appends or not all(append.events for append in appends):
            raise ValueError("an append needs at least one event")
        if request.key is not None and request.input_hash is None:
            raise ValueError("a key needs the hash of its input")
        # When the connection is lost after the commit, the library tries again and meets its own events. The record
        # of the request tells them from another writer's, so a request without a key gets one that is never reused.
        key = request.key if request.key is not None else f"~{uuid.uuid4().hex}"
        input_hash = request.input_hash or key
        stored, erased = self._envelopes.rows_of(appends, request), self._envelopes.erased_by(appends)
        expected = {append.stream: append.version for append in reversed(appends)}
        # The versions of appends are checked anyway, since they are unique.
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
                away.stored = "unknown"  # what is there may be this request's own events
                raise

    def lock(self, conn: psycopg.Connection[Any]) -> None:
        """Make all other writers wait until the transaction of `conn` ends; then `append_on` appends in it."""
        self._recorder.lock(conn)

    def append_on(self, conn: psycopg.Connection[Any], appends: Sequence[Append], request: Request) -> int:
        """Store all events in the transaction of `conn`, which has called `lock`. Returns the position of the last one.

        For a decision that no other writer may overtake: what `load_on` has read under the lock still holds. When the
        connection is lost, nothing is tried again: the caller repeats the request with the same key. Raises KeyTaken.
        """
        key = request.key if request.key is not None else f"~{uuid.uuid4().hex}"
        stored, input_hash = self._envelopes.rows_of(appends, request), request.input_hash or key
        try:
            return self._recorder.insert_on(conn, stored, actor=request.actor, key=key, input_hash=input_hash)
        except AlreadyThere as error:
            raise KeyTaken(request.actor, key) from error

    def load_on(self, conn: psycopg.Connection[Any], stream: str) -> list[Stored]:
        """All events of a stream in order, as the transaction of `conn` sees them."""
        query = f"{SELECT} WHERE originator_id = %s ORDER BY originator_version"
        with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return self._envelopes.events_of(cursor.execute(query, [stream]).fetchall())

    def version_on(self, conn: psycopg.Connection[Any], stream: str) -> int:
        """The version of a stream, as the transaction of `conn` sees it; 0 if it does not exist."""
        return version_on(conn, stream)

    def seen_by(self, conn: psycopg.Connection[Any]) -> EventStore:
        """A store that reads in the transaction of a connection: what it sees, and nothing else."""
        return _SeenBy(conn, self.url, self._envelopes, seals_tables=self.seals_tables)

    def answer_to(self, actor: str, key: str) -> Answer | None:
        """What this actor's request with this key stored; None if there was none."""
        rows = self._recorder.select(ANSWER, [list(PRIVATE), actor, key])
        return Answer(*rows[0]) if rows else None

    def position_before(self, actor: str, position: int) -> int:
        """The position of the last event of an actor's request before the one that ends at a position; 0 for none."""
        query = "SELECT coalesce(max(position), 0) FROM requests WHERE actor = %s AND position < %s"
        before: int = self._recorder.select(query, [actor, position])[0][0]
        return before

    def stream_at(self, position: int) -> str:
        """The stream of the event at a position of the log."""
        stream: str = self._recorder.select(f"{SELECT} WHERE position = %s", [position])[0][1]
        return stream

    def keyed_hash(self, stream: str, data: bytes, *, make: bool = False) -> str:
        """A hash that reveals nothing without the key of a stream. Without a key it is random, so it equals no other.

        `make`: create a key for a stream that has no event yet.
        """
        key = self._envelopes.keys({stream}, sealing.make_keys if make else sealing.keys_of).get(stream) or os.urandom(
            32
        )
        return KEYED + hmac.digest(key, data, "sha256").hex()

    def load(self, stream: str) -> list[Stored]:
        """All events of a stream in order, none for a stream that does not exist."""
        return self.load_many([stream])[stream]

    def load_after(self, stream: str, version: int) -> list[Stored]:
        """The events of a stream after one of its versions, in order."""
        query = f"{SELECT} WHERE originator_id = %s AND originator_version > %s ORDER BY originator_version"
        return self._envelopes.events_of(self._recorder.select(query, [stream, version]))

    def load_after_each(self, versions: Mapping[str, int]) -> dict[str, list[Stored]]:
        """The events of several streams, of each after one of its versions, at one moment."""
        query = (
            "SELECT newer.* FROM unnest(%s::text[], %s::bigint[]) AS known (stream, version), LATERAL ("  # noqa: S608  # a constant
            f"{SELECT} WHERE originator_id = known.stream AND originator_version > known.version) AS newer"
            " ORDER BY originator_id, originator_version"
        )
        found: dict[str, list[Stored]] = {stream: [] for stream in versions}
        for stored in self._envelopes.events_of(
            self._recorder.select(query, [list(versions), list(versions.values())])
        ):
            found[stored.stream].append(stored)
        return found

    def newest_position(self, stream: str) -> int:
        """The position of the last event of a stream, 0 if it does not exist."""
        query = "SELECT position FROM stored_events WHERE originator_id = %s ORDER BY originator_version DESC LIMIT 1"
        rows = self._recorder.select(query, [stream])
        return rows[0][0] if rows else 0

    def load_many(self, streams: Sequence[str]) -> dict[str, list[Stored]]:
        """The events of several streams at one moment."""
        query = f"{SELECT} WHERE originator_id = ANY(%s) ORDER BY originator_id, originator_version"
        found: dict[str, list[Stored]] = {stream: [] for stream in streams}
        for stored in self._envelopes.events_of(self._recorder.select(query, [list(found)])):
            found[stored.stream].append(stored)
        return found

    def read_after(self, position: int, limit: int) -> list[Stored]:
        """The first `limit` events after `position` in log order."""
        return self._envelopes.events_of(self.rows_after(position, limit))

    def rows_after(self, position: int, limit: int) -> list[Row]:
        """The same as raw rows: position, stream, version, name, recorded_at, state."""
        return self._recorder.select(f"{SELECT} WHERE position > %s ORDER BY position LIMIT %s", [position, limit])

    def events_apart_from(
        self, prefix: str, until: int, skip: Sequence[str] = (), page: int = 1_000
    ) -> Iterator[Stored]:
        """All events up to a position, in log order, except those of streams with this prefix and those in `skip`."""
        query = (
            f"{SELECT_FOLLOWED} WHERE position > %s AND position <= %s AND NOT starts_with(originator_id, %s)"
            " AND topic <> ALL(%s) ORDER BY position LIMIT %s"
        )
        after = 0
        while found := self._recorder.select(query, [after, until, prefix, list(skip), page]):
            yield from self._envelopes.events_of(found)
            after = found[-1][0]

    def followed_after(self, position: int, until: int, limit: int, skip: Sequence[str] = ()) -> list[Stored]:
        """The first `limit` events after a position, up to and including `until`, in log order.

        Except those of live tables, and those named in `skip`.
        """
        query = (
            f"{SELECT_FOLLOWED} WHERE position > %s AND position <= %s AND topic <> ALL(%s) ORDER BY position LIMIT %s"
        )
        return self._envelopes.events_of(self._recorder.select(query, [position, until, list(skip), limit]))

    def named_after(self, position: int, until: int, names: Sequence[str], limit: int) -> list[Stored]:
        """The first `limit` events after a position, up to another one, that are stored under these names."""
        return self._envelopes.events_of(self._recorder.select(_named(names).as_string(), [position, until, limit]))

    def all_named(self, names: Sequence[str], page: int = 1_000) -> Iterator[Stored]:
        """All events that are stored under these names, in log order."""
        position = 0
        while found := self.named_after(position, END_OF_LOG, names, page):
            yield from found
            position = found[-1].position

    def named_on(self, conn: psycopg.Connection[Any], position: int, until: int, names: Sequence[str]) -> list[Stored]:
        """All events of `named_after`, as the transaction of `conn` sees them."""
        with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return self._envelopes.events_of(cursor.execute(_named(names), [position, until, None]).fetchall())

    def load_since_last(self, name: str, stream: str, version: int) -> list[Stored]:
        """The events of a stream up to a version, from the last one on that is stored under this name."""
        query = f"{SELECT} WHERE originator_id = %s AND originator_version BETWEEN ({LAST}) AND %s"
        rows = self._recorder.select(f"{query} ORDER BY originator_version", [stream, stream, version, name, version])
        return self._envelopes.events_of(rows)

    def streams_until(
        self, prefix: str, position: int, skip: Sequence[str] = (), page: int = 1_000
    ) -> Iterator[Stored]:
        """The streams whose names have this prefix, as of a position, one after the other, each in its order."""
        # Names come from their index, events from that of streams; the sum keeps the planner from that of positions.
        names = f'{SELECT} WHERE {NAMED} AND originator_id COLLATE "C" > %s ORDER BY originator_id COLLATE "C" LIMIT %s'
        query = (
            "SELECT its.* FROM unnest(%s::text[]) WITH ORDINALITY AS wanted (stream, place), LATERAL ("  # noqa: S608  # a constant
            f"{SELECT} WHERE originator_id = wanted.stream AND position + 0 <= %s AND topic <> ALL(%s)"
            " ORDER BY originator_version) AS its ORDER BY place, originator_version"
        )
        after = ""
        while found := [row[1] for row in self._recorder.select(names, [*_between(prefix), after, page])]:
            yield from self._envelopes.events_of(self._recorder.select(query, [found, position, list(skip)]))
            after = found[-1]

    def changed_streams(
        self, prefix: str, after: int, until: int, since: int, end: int, skip: Sequence[str] = ()
    ) -> list[Stored]:
        """The streams with this prefix whose first event after `since` is after `after` and not after `until`.

        Of each, one after the other, all events up to `end`, except those named in `skip`.
        """
        # A stream begins with version 1, or goes on from a version that is not after `since`.
        query = (
            "SELECT its.* FROM stored_events AS first, LATERAL ("  # noqa: S608  # a constant
            f"{SELECT} WHERE originator_id = first.originator_id AND position + 0 <= %s AND topic <> ALL(%s)) AS its"
            " WHERE first.position > %s AND first.position <= %s AND starts_with(first.originator_id, %s)"
            " AND (first.originator_version + 0 = 1 OR %s > 0 AND EXISTS (SELECT FROM stored_events AS before"
            " WHERE before.originator_id = first.originator_id AND before.position <= %s"
            " AND before.originator_version = first.originator_version - 1))"
            " ORDER BY first.position, its.originator_version"
        )
        found = self._recorder.select(query, [end, list(skip), after, until, prefix, since, since])
        return self._envelopes.events_of(found)

    def has_stream(self, prefix: str) -> bool:
        """Whether there is a stream whose name has this prefix."""
        query = f"SELECT EXISTS ({SELECT} WHERE {NAMED})"
        found: bool = self._recorder.select(query, [*_between(prefix)])[0][0]
        return found

    def parts_of_streams(self, prefix: str) -> list[str]:
        """What stands between this prefix and the next `:` in the names of streams, each once, in order."""
        lowest, end = _between(prefix)
        return [row[0] for row in self._recorder.select(PARTS, [lowest, end, end, prefix, prefix, prefix])]

    def position_at(self, moment: datetime) -> int:
        """The position of the last event recorded at or before this moment, 0 for none."""
        query = "SELECT position FROM stored_events WHERE recorded_at <= %s ORDER BY recorded_at DESC LIMIT 1"
        rows = self._recorder.select(query, [moment])
        return rows[0][0] if rows else 0

    def now(self) -> datetime:
        """What the clock of the database says."""
        now: datetime = self._recorder.select("SELECT clock_timestamp()", [])[0][0]
        return now

    def time_reached(self) -> datetime:
        """The earlier of the newest event's time and the database's clock; that of the clock for an empty log."""
        query = (
            "SELECT least((SELECT recorded_at FROM stored_events ORDER BY position DESC LIMIT 1), clock_timestamp())"
        )
        reached: datetime = self._recorder.select(query, [])[0][0]
        return reached

    def version(self, stream: str) -> int:
        """The version of a stream, 0 if it does not exist."""
        version: int = self._recorder.select(VERSION, [stream])[0][0]
        return version

    def changed_since(self, versions: Mapping[str, int]) -> str | None:
        """One of these streams that has another version now; None if all have those."""
        rows = self._recorder.select(CHANGED, [list(versions), list(versions.values())])
        return rows[0][0] if rows else None

    def head(self) -> int:
        """The position of the last event, 0 for an empty log."""
        position: int = self._recorder.select("SELECT coalesce(max(position), 0) FROM stored_events", [])[0][0]
        return position

    def followed_head(self) -> int:
        """The position of the last event that is not of a live table, 0 for none."""
        position: int = self._recorder.select(FOLLOWED_HEAD, [])[0][0]
        return position

    def can_write(self) -> bool:
        """Whether the disk has room: after a write that found it full, a write that is rolled back finds out.

        Raises StoreUnavailable.
        """
        return self._recorder.can_write()

    def reports_full_disk(self) -> AbstractContextManager[None]:
        """For a transaction on another connection: if it finds the disk full, `can_write` tries the disk afterwards.

        Raises OutOfSpace.
        """
        return self._recorder.reports_full_disk()

    def wait(self, after: int, timeout: float) -> bool:
        """Wait up to `timeout` seconds for an event after `after` that is not of a live table; whether there is one."""
        deadline = time.monotonic() + timeout
        with self._recorder.connection() as connection:
            connection.execute(f"LISTEN {self._recorder.channel_name}")
            try:
                while self._head_on(connection) <= after:
                    remaining = deadline - time.monotonic()
                    if remaining <= 0:
                        return False
                    for _ in connection.notifies(timeout=remaining, stop_after=1):
                        pass
                return True
            finally:
                if not connection.closed:
                    connection.execute("UNLISTEN *")

    def _head_on(self, connection: psycopg.Connection[Any]) -> int:
        with connection.cursor(row_factory=tuple_row) as cursor:
            row = cursor.execute(FOLLOWED_HEAD).fetchone()
        position: int = row[0] if row else 0
        return position

    def _after_conflict(
        self, error: AlreadyThere, expected: Mapping[str, int], actor: str, key: str, input_hash: str
    ) -> int:
        answer = self.answer_to(actor, key)
        if answer is not None:
            if not answer.is_to(input_hash):
                raise KeyTaken(actor, key) from error
            return answer.position
        if (changed := self.changed_since(expected)) is not None:
            raise VersionConflict(changed, expected[changed]) from error
        raise ValueError("two appends claim the same version of a stream") from error


class _InTransaction:
    """Reads as a recorder does, in the transaction of a connection."""

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


class _SeenBy(EventStore):
    """Reads in the transaction of a connection."""

    def __init__(self, conn: psycopg.Connection[Any], url: str, envelopes: Envelopes, *, seals_tables: bool) -> None:
        self.url, self.seals_tables = url, seals_tables
        self._recorder = cast(Recorder, _InTransaction(conn))
        self._envelopes = envelopes.read_with(self._recorder)


def _named(names: Sequence[str]) -> sql.Composed:
    # Written out, so that the database sees that the names are those of an index.
    named = sql.SQL(", ").join(map(sql.Literal, names))
    query = sql.SQL("{} WHERE position > %s AND position <= %s AND topic IN ({}) ORDER BY position LIMIT %s")
    return query.format(sql.SQL(SELECT), named)


def _between(prefix: str) -> tuple[str, str]:
    """All names with this prefix are at least the first and less than the second."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)
