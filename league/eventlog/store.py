"""The event log: append to several streams at once, load a stream, read all events after a position.

Turns events into envelopes with sealed fields, and rows into events; `league.eventlog.recorder` inserts them.
"""

from __future__ import annotations

import hmac
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec
import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from league.domain.deciders import Event
from league.domain.sentences import say
from league.eventlog import hand_seals, sealing
from league.eventlog.codec import PRIVATE
from league.eventlog.recorder import VERSION, AlreadyThere, NewEvent, Recorder, Within, version_on

Row = tuple[int, str, int, str, datetime, bytes]

KEYED = "keyed:"
"""How hashes begin that the key of a stream makes."""
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

NAMED = 'originator_version = 1 AND originator_id COLLATE "C" >= %s AND originator_id COLLATE "C" < %s'
"""The first events of the streams with a name in a span: the condition of an index."""

LAST = (
    "SELECT originator_version FROM stored_events WHERE originator_id = %s AND originator_version <= %s AND topic = %s"
    " ORDER BY originator_version DESC LIMIT 1"
)


class Codec(Protocol):
    """What the store needs to know about events; `league.eventlog.codec` is one."""

    def name_of(self, event: Event, /) -> str:
        """The name and version under which an event is stored, such as `hand-recorded/1`."""

    def encode_body(self, event: Event, /) -> bytes:
        """The event as a JSON object."""

    def decode_body(self, name: str, body: bytes, /) -> Event:
        """The event of a body stored under `name`; a private field may be null."""

    def type_of(self, name: str, /) -> type[Event] | None:
        """The type as which a body stored under `name` can be decoded as it is; None where `decode_body` is needed."""

    def private_fields(self, name: str, /) -> tuple[str, ...]:
        """The fields of a body stored under `name` that are sealed with the key of the stream."""

    def hand_secrets(self, name: str, /) -> tuple[str, ...]:
        """The fields of a body stored under `name` that are sealed until a hand ends."""

    def destroys_key(self, name: str, /) -> bool:
        """Whether an event stored under `name` destroys the key of the stream."""


class Request(msgspec.Struct, frozen=True):
    """The actor and source of a request, and its idempotency key with a hash of its input."""

    actor: str
    source: str
    key: str | None = None
    input_hash: str | None = None


class Append(msgspec.Struct, frozen=True):
    """Events to add to a stream that is at `version` (0: a new stream).

    Without events it only demands that the stream is still at that version, since the decision rests on it.
    """

    stream: str
    version: int
    events: tuple[Event, ...]
    played_at: datetime | None = None


class Stored(msgspec.Struct, frozen=True, gc=False):
    """An event with its place in the log and in its stream, and who caused it."""

    position: int
    stream: str
    version: int
    name: str
    recorded_at: datetime
    played_at: datetime | None
    actor: str
    source: str
    key: str | None
    event: Event


class Answer(msgspec.Struct, frozen=True):
    """The record of an accepted request: the hash of its input and the last position it stored.

    `is_forgotten`: it stored a name that is erased, so that no hash can be compared with its own.
    """

    input_hash: str
    position: int
    is_forgotten: bool = False

    def is_to(self, input_hash: str) -> bool:
        """Whether it is the answer to this input, as far as can be known."""
        return input_hash == self.input_hash or (self.is_forgotten and input_hash.startswith(KEYED))


class Overtaken(Exception):
    """Another writer was faster: decide the command on `stream` again."""

    def __init__(self, stream: str, reason: str) -> None:
        super().__init__(f"{stream} {reason}")
        self.stream = stream


class VersionConflict(Overtaken):
    """`stream` is no longer at version `expected`."""

    def __init__(self, stream: str, expected: int) -> None:
        super().__init__(stream, f"is no longer at version {expected}")
        self.expected = expected


class KeyTaken(Exception):
    """This actor has used this idempotency key with a different input."""

    def __init__(self, actor: str, key: str) -> None:
        super().__init__(say("the key {key!r} of {actor} belongs to another request", key=key, actor=actor))
        self.actor = actor
        self.key = key


class KeyDestroyed(Overtaken):
    """The key of this stream is destroyed: commands decided before an erasure cannot be stored after it."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream, say("has no key any more: it was erased"))


FOLLOWED_HEAD = "SELECT coalesce(max(position), 0) FROM followed_events"

Body = TypeVar("Body")


class Envelope(msgspec.Struct, Generic[Body], frozen=True, gc=False):
    """The document in the column `state`."""

    actor: str
    source: str
    key: str | None
    played_at: datetime | None
    body: Body


class EventStore:
    """The log in the database at `url`, whose events `codec` reads and writes. Safe to share between threads."""

    def __init__(self, url: str, codec: Codec, table_secret: str | None = None) -> None:
        """`table_secret`: seals the hands of live tables; without it they cannot be shuffled, nor running ones read."""
        self._codec, self._table_secret = codec, table_secret
        self._envelope = msgspec.json.Decoder(Envelope[msgspec.Raw])
        self._envelopes: dict[str, Callable[[bytes], Envelope[Event]] | None] = {}
        """By stored name, what decodes the envelope and the event in it in one go; None where that cannot be done."""
        self._recorder = Recorder(url)

    def close(self) -> None:
        """Close the connections."""
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, appends: Sequence[Append], request: Request, within: Within | None = None) -> int:
        """Store all events of all `appends` in one transaction, or nothing; returns the position of the last one.

        A request whose key was used before with the same input hash stores nothing and returns the first position. An
        event that destroys the key of its stream does so in the same transaction, which also removes the name from the
        read tables; it waits until the projector has committed what it has read. `within` is called in the same
        transaction, while no other writer can append; an exception from it rolls back everything.

        Raises VersionConflict, KeyDestroyed, KeyTaken, StoreUnavailable, OutOfSpace; ValueError for no events or a key
        without its hash.
        """
        if not any(append.events for append in appends):
            raise ValueError("an append needs at least one event")
        if request.key is not None and request.input_hash is None:
            raise ValueError("a key needs the hash of its input")
        # When the connection is lost after the commit, the library tries again and meets its own events. The record
        # of the request tells them from another writer's, so a request without a key gets one that is never reused.
        key = request.key if request.key is not None else f"~{uuid.uuid4().hex}"
        input_hash = request.input_hash or key
        stored, erased = self._encode(appends, request), self._erased(appends)
        first: dict[str, Append] = {}
        for append in appends:
            first.setdefault(append.stream, append)
        unchanged = {stream: append.version for stream, append in first.items() if not append.events}
        try:
            return self._recorder.insert(
                stored,
                actor=request.actor,
                key=key,
                input_hash=input_hash,
                within=within,
                erased=erased,
                unchanged=unchanged,
            )
        except AlreadyThere as error:
            return self._after_conflict(error, appends, request.actor, key, input_hash)

    def lock(self, conn: psycopg.Connection[Any]) -> None:
        """Make all other writers wait until the transaction of `conn` ends; then `append_on` appends in it."""
        self._recorder.lock(conn)

    def append_on(self, conn: psycopg.Connection[Any], appends: Sequence[Append], request: Request) -> int:
        """Store all events in the transaction of `conn`, which has called `lock`. Returns the position of the last one.

        For a decision that no other writer may overtake: what `load_on` has read under the lock still holds. When the
        connection is lost, nothing is tried again: the caller repeats the request with the same key. Raises KeyTaken.
        """
        key = request.key if request.key is not None else f"~{uuid.uuid4().hex}"
        stored, input_hash = self._encode(appends, request), request.input_hash or key
        try:
            return self._recorder.insert_on(conn, stored, actor=request.actor, key=key, input_hash=input_hash)
        except AlreadyThere as error:
            raise KeyTaken(request.actor, key) from error

    def load_on(self, conn: psycopg.Connection[Any], stream: str) -> list[Stored]:
        """All events of a stream in order, as the transaction of `conn` sees them."""
        query = f"{SELECT} WHERE originator_id = %s ORDER BY originator_version"
        with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return self._decode(cursor.execute(query, [stream]).fetchall())

    def version_on(self, conn: psycopg.Connection[Any], stream: str) -> int:
        """The version of a stream, as the transaction of `conn` sees it; 0 if it does not exist."""
        return version_on(conn, stream)

    def answer_to(self, actor: str, key: str) -> Answer | None:
        """What this actor's request with this key stored; None if there was none."""
        rows = self._recorder.select(ANSWER, [list(PRIVATE), actor, key])
        return Answer(*rows[0]) if rows else None

    def stream_at(self, position: int) -> str:
        """The stream of the event at a position of the log."""
        stream: str = self._recorder.select(f"{SELECT} WHERE position = %s", [position])[0][1]
        return stream

    def keyed_hash(self, stream: str, data: bytes, *, make: bool = False) -> str:
        """A hash that reveals nothing without the key of a stream. Without a key it is random, so it equals no other.

        `make`: create a key for a stream that has no event yet.
        """
        key = self._keys({stream}, sealing.make_keys if make else sealing.keys_of).get(stream) or os.urandom(32)
        return KEYED + hmac.digest(key, data, "sha256").hex()

    def load(self, stream: str) -> list[Stored]:
        """All events of a stream in order, none for a stream that does not exist."""
        return self.load_many([stream])[stream]

    def load_after(self, stream: str, version: int) -> list[Stored]:
        """The events of a stream after one of its versions, in order."""
        query = f"{SELECT} WHERE originator_id = %s AND originator_version > %s ORDER BY originator_version"
        return self._decode(self._recorder.select(query, [stream, version]))

    def load_after_each(self, versions: Mapping[str, int]) -> dict[str, list[Stored]]:
        """The events of several streams, of each after one of its versions, at one moment."""
        query = (
            "SELECT newer.* FROM unnest(%s::text[], %s::bigint[]) AS known (stream, version), LATERAL ("  # noqa: S608  # a constant
            f"{SELECT} WHERE originator_id = known.stream AND originator_version > known.version) AS newer"
            " ORDER BY originator_id, originator_version"
        )
        found: dict[str, list[Stored]] = {stream: [] for stream in versions}
        for stored in self._decode(self._recorder.select(query, [list(versions), list(versions.values())])):
            found[stored.stream].append(stored)
        return found

    @property
    def seals_tables(self) -> bool:
        """Whether the secrets of live tables can be sealed."""
        return self._table_secret is not None

    def newest_position(self, stream: str) -> int:
        """The position of the last event of a stream, 0 if it does not exist."""
        query = "SELECT position FROM stored_events WHERE originator_id = %s ORDER BY originator_version DESC LIMIT 1"
        rows = self._recorder.select(query, [stream])
        return rows[0][0] if rows else 0

    def load_many(self, streams: Sequence[str]) -> dict[str, list[Stored]]:
        """The events of several streams at one moment."""
        query = f"{SELECT} WHERE originator_id = ANY(%s) ORDER BY originator_id, originator_version"
        found: dict[str, list[Stored]] = {stream: [] for stream in streams}
        for stored in self._decode(self._recorder.select(query, [list(found)])):
            found[stored.stream].append(stored)
        return found

    def read_after(self, position: int, limit: int) -> list[Stored]:
        """The first `limit` events after `position` in log order."""
        return self._decode(self.rows_after(position, limit))

    def rows_after(self, position: int, limit: int) -> list[Row]:
        """The same as raw rows: position, stream, version, name, recorded_at, state."""
        return self._recorder.select(f"{SELECT} WHERE position > %s ORDER BY position LIMIT %s", [position, limit])

    def followed_after(self, position: int, until: int, limit: int, skip: Sequence[str] = ()) -> list[Stored]:
        """The first `limit` events after a position, up to and including `until`, in log order.

        Except those of live tables, and those named in `skip`.
        """
        query = (
            f"{SELECT_FOLLOWED} WHERE position > %s AND position <= %s AND topic <> ALL(%s) ORDER BY position LIMIT %s"
        )
        return self._decode(self._recorder.select(query, [position, until, list(skip), limit]))

    def named_after(self, position: int, until: int, names: Sequence[str], limit: int) -> list[Stored]:
        """The first `limit` events after a position, up to another one, that are stored under these names."""
        return self._decode(self._recorder.select(_named(names).as_string(), [position, until, limit]))

    def named_on(self, conn: psycopg.Connection[Any], position: int, until: int, names: Sequence[str]) -> list[Stored]:
        """All events of `named_after`, as the transaction of `conn` sees them."""
        with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return self._decode(cursor.execute(_named(names), [position, until, None]).fetchall())

    def load_since_last(self, name: str, stream: str, version: int) -> list[Stored]:
        """The events of a stream up to a version, from the last one on that is stored under this name."""
        query = f"{SELECT} WHERE originator_id = %s AND originator_version BETWEEN ({LAST}) AND %s"
        rows = self._recorder.select(f"{query} ORDER BY originator_version", [stream, stream, version, name, version])
        return self._decode(rows)

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
            yield from self._decode(self._recorder.select(query, [found, position, list(skip)]))
            after = found[-1]

    def has_stream(self, prefix: str) -> bool:
        """Whether there is a stream whose name has this prefix."""
        query = f"SELECT EXISTS ({SELECT} WHERE {NAMED})"
        found: bool = self._recorder.select(query, [*_between(prefix)])[0][0]
        return found

    def position_at(self, moment: datetime) -> int:
        """The position of the last event recorded at or before this moment, 0 for none."""
        query = "SELECT position FROM stored_events WHERE recorded_at <= %s ORDER BY recorded_at DESC LIMIT 1"
        rows = self._recorder.select(query, [moment])
        return rows[0][0] if rows else 0

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

    def _encode(self, appends: Sequence[Append], request: Request) -> list[NewEvent]:
        codec = self._codec
        named = [[(codec.name_of(event), event) for event in append.events] for append in appends]
        sealed = {
            append.stream
            for append, events in zip(appends, named, strict=True)
            if any(codec.private_fields(name) for name, _ in events)
        }
        keys = self._keys(sealed, sealing.make_keys)
        stored = []
        for append, events in zip(appends, named, strict=True):
            for version, (name, event) in enumerate(events, append.version + 1):
                body = codec.encode_body(event)
                if private := codec.private_fields(name):
                    if append.stream not in keys:
                        raise KeyDestroyed(append.stream)
                    body = sealing.seal(body, private, append.stream, keys)
                if secrets := codec.hand_secrets(name):
                    body = hand_seals.seal(body, secrets, append.stream, self._table_secret)
                envelope = Envelope(request.actor, request.source, request.key, append.played_at, msgspec.Raw(body))
                stored.append((append.stream, version, name, msgspec.json.encode(envelope)))
        return stored

    def _erased(self, appends: Sequence[Append]) -> set[str]:
        """The streams whose key these events destroy."""
        codec = self._codec
        return {a.stream for a in appends if any(codec.destroys_key(codec.name_of(event)) for event in a.events)}

    def _decode(self, rows: Sequence[Row]) -> list[Stored]:
        names = {row[3] for row in rows}
        private = {name for name in names if self._codec.private_fields(name)}
        keys = self._keys({row[1] for row in rows if row[3] in private}, sealing.keys_of)
        whole = {name: self._decoder_of(name) for name in names}
        stored = []
        for position, stream, version, name, recorded_at, state in rows:
            decode = whole[name]
            envelope = self._opened(state, name, stream, keys) if decode is None else decode(state)
            stored.append(
                Stored(
                    position, stream, version, name, recorded_at,
                    envelope.played_at, envelope.actor, envelope.source, envelope.key, envelope.body,
                )
            )  # fmt: skip
        return stored

    def _decoder_of(self, name: str) -> Callable[[bytes], Envelope[Event]] | None:
        if name not in self._envelopes:
            kind = self._codec.type_of(name)
            self._envelopes[name] = None if kind is None else msgspec.json.Decoder(Envelope[kind]).decode  # type: ignore[valid-type]
        return self._envelopes[name]

    def _opened(self, state: bytes, name: str, stream: str, keys: sealing.Keys) -> Envelope[Event]:
        """An envelope with its event, whose sealed fields are opened."""
        envelope = self._envelope.decode(state)
        body = bytes(envelope.body)
        if private := self._codec.private_fields(name):
            body = sealing.unseal(body, private, stream, keys)
        if secrets := self._codec.hand_secrets(name):
            body = hand_seals.unseal(body, secrets, stream, self._table_secret)
        event = self._codec.decode_body(name, body)
        return Envelope(envelope.actor, envelope.source, envelope.key, envelope.played_at, event)

    def _keys(
        self, streams: set[str], find: Callable[[psycopg.Connection[Any], set[str]], sealing.Keys]
    ) -> sealing.Keys:
        if not streams:
            return {}
        with self._recorder.connection() as connection:
            return find(connection, streams)

    def _head_on(self, connection: psycopg.Connection[Any]) -> int:
        with connection.cursor(row_factory=tuple_row) as cursor:
            row = cursor.execute(FOLLOWED_HEAD).fetchone()
        position: int = row[0] if row else 0
        return position

    def _after_conflict(
        self, error: AlreadyThere, appends: Sequence[Append], actor: str, key: str, input_hash: str
    ) -> int:
        answer = self.answer_to(actor, key)
        if answer is not None:
            if not answer.is_to(input_hash):
                raise KeyTaken(actor, key) from error
            return answer.position
        for append in appends:
            if self.version(append.stream) != append.version:
                raise VersionConflict(append.stream, append.version) from error
        raise ValueError("two appends claim the same version of a stream") from error


def _named(names: Sequence[str]) -> sql.Composed:
    # Written out, so that the database sees that the names are those of an index.
    named = sql.SQL(", ").join(map(sql.Literal, names))
    query = sql.SQL("{} WHERE position > %s AND position <= %s AND topic IN ({}) ORDER BY position LIMIT %s")
    return query.format(sql.SQL(SELECT), named)


def _between(prefix: str) -> tuple[str, str]:
    """All names with this prefix are at least the first and less than the second."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)
