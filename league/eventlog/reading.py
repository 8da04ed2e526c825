"""Reads the log: streams, events in the order of the log, and the records of accepted requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from league.eventlog.codec import PRIVATE
from league.eventlog.envelopes import Envelopes, Row
from league.eventlog.recorder import VERSION, Recorder, version_on
from league.eventlog.records import AcceptedRequest, LoggedEvent

CHANGED = """
    SELECT stream FROM unnest(%s::text[], %s::bigint[]) AS known (stream, version)
    WHERE version <> (SELECT coalesce(max(originator_version), 0) FROM stored_events WHERE originator_id = stream)
"""
ANSWER = """
    SELECT input_hash, position, EXISTS (
        SELECT FROM stored_events AS event
        WHERE event.position = requests.position AND event.topic = ANY(%s)
        AND NOT EXISTS (SELECT FROM sealing_keys WHERE stream = event.originator_id))
    FROM requests WHERE actor = %s AND key = %s
"""
SELECT = "SELECT position, originator_id, originator_version, topic, recorded_at, state FROM stored_events"
SELECT_FOLLOWED = SELECT.replace("stored_events", "followed_events")
"""Selects all events except those of live tables."""
FOLLOWED_HEAD = "SELECT coalesce(max(position), 0) FROM followed_events"

END_OF_LOG = 2**63 - 1
"""A position after all others."""

NAMED = 'originator_version = 1 AND originator_id COLLATE "C" >= %s AND originator_id COLLATE "C" < %s'
"""The first events of the streams whose names are in a range. An index has the same condition."""

# Looks into the index once for each part, however many streams have it. The next part sorts after this one and its `:`.
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


class LogReader:
    """Reads the log with a recorder. Its subclass `EventStore` appends to it."""

    _recorder: Recorder
    _envelopes: Envelopes

    def load(self, stream: str) -> list[LoggedEvent]:
        """All events of a stream in order, none for a stream that does not exist."""
        return self.load_many([stream])[stream]

    def load_after(self, stream: str, version: int) -> list[LoggedEvent]:
        """The events of a stream after one of its versions, in order."""
        query = f"{SELECT} WHERE originator_id = %s AND originator_version > %s ORDER BY originator_version"
        return self._envelopes.events_of(self._recorder.select(query, [stream, version]))

    def load_after_each(self, versions: Mapping[str, int]) -> dict[str, list[LoggedEvent]]:
        """The events of several streams after a given version of each, read at one moment."""
        query = (
            "SELECT newer.* FROM unnest(%s::text[], %s::bigint[]) AS known (stream, version), LATERAL ("  # noqa: S608  # a constant
            f"{SELECT} WHERE originator_id = known.stream AND originator_version > known.version) AS newer"
            " ORDER BY originator_id, originator_version"
        )
        return self._by_stream(versions, query, [list(versions), list(versions.values())])

    def newest_position(self, stream: str) -> int:
        """The position of the last event of a stream; 0 if it does not exist."""
        query = "SELECT position FROM stored_events WHERE originator_id = %s ORDER BY originator_version DESC LIMIT 1"
        return self._number(query, [stream])

    def load_many(self, streams: Sequence[str]) -> dict[str, list[LoggedEvent]]:
        """The events of several streams, read at one moment."""
        query = f"{SELECT} WHERE originator_id = ANY(%s) ORDER BY originator_id, originator_version"
        return self._by_stream(streams, query, [list(streams)])

    def _by_stream(self, streams: Iterable[str], query: str, parameters: list[Any]) -> dict[str, list[LoggedEvent]]:
        found: dict[str, list[LoggedEvent]] = {stream: [] for stream in streams}
        for stored in self._envelopes.events_of(self._recorder.select(query, parameters)):
            found[stored.stream].append(stored)
        return found

    def _number(self, query: str, parameters: Sequence[Any] = ()) -> int:
        """The number that a query returns; 0 if it returns no row."""
        rows = self._recorder.select(query, list(parameters))
        return int(rows[0][0]) if rows else 0

    def read_after(self, position: int, limit: int) -> list[LoggedEvent]:
        """The first `limit` events after `position`, in log order."""
        return self._envelopes.events_of(self.rows_after(position, limit))

    def rows_after(self, position: int, limit: int) -> list[Row]:
        """The raw rows of `read_after`: position, stream, version, name, recorded_at, state."""
        return self._recorder.select(f"{SELECT} WHERE position > %s ORDER BY position LIMIT %s", [position, limit])

    def events_apart_from(
        self, prefix: str, until: int, skip: Sequence[str] = (), page: int = 1_000
    ) -> Iterator[LoggedEvent]:
        """All events up to a position, in log order.

        Leaves out live tables, streams with this prefix, and events whose names are in `skip`.
        """
        query = (
            f"{SELECT_FOLLOWED} WHERE position > %s AND position <= %s AND NOT starts_with(originator_id, %s)"
            " AND topic <> ALL(%s) ORDER BY position LIMIT %s"
        )
        after = 0
        while found := self._recorder.select(query, [after, until, prefix, list(skip), page]):
            yield from self._envelopes.events_of(found)
            after = found[-1][0]

    def followed_after(self, position: int, until: int, limit: int, skip: Sequence[str] = ()) -> list[LoggedEvent]:
        """The first `limit` events after a position, up to and including `until`, in log order.

        Leaves out live tables and events whose names are in `skip`.
        """
        query = (
            f"{SELECT_FOLLOWED} WHERE position > %s AND position <= %s AND topic <> ALL(%s) ORDER BY position LIMIT %s"
        )
        return self._envelopes.events_of(self._recorder.select(query, [position, until, list(skip), limit]))

    def named_after(self, position: int, until: int, names: Sequence[str], limit: int) -> list[LoggedEvent]:
        """The first `limit` events with these stored names after a position, up to and including `until`."""
        return self._envelopes.events_of(self._recorder.select(_named(names).as_string(), [position, until, limit]))

    def all_named(self, names: Sequence[str], page: int = 1_000) -> Iterator[LoggedEvent]:
        """All events with these stored names, in log order."""
        position = 0
        while found := self.named_after(position, END_OF_LOG, names, page):
            yield from found
            position = found[-1].position

    def named_on(
        self, conn: psycopg.Connection[Any], position: int, until: int, names: Sequence[str]
    ) -> list[LoggedEvent]:
        """All events that `named_after` would find, as the transaction of `conn` sees them."""
        with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return self._envelopes.events_of(cursor.execute(_named(names), [position, until, None]).fetchall())

    def load_since_last(self, name: str, stream: str, version: int) -> list[LoggedEvent]:
        """The events of a stream up to a version, starting with the last one that has this stored name."""
        query = f"{SELECT} WHERE originator_id = %s AND originator_version BETWEEN ({LAST}) AND %s"
        rows = self._recorder.select(f"{query} ORDER BY originator_version", [stream, stream, version, name, version])
        return self._envelopes.events_of(rows)

    def streams_until(
        self, prefix: str, position: int, skip: Sequence[str] = (), page: int = 1_000
    ) -> Iterator[LoggedEvent]:
        """The events of the streams whose names have this prefix, up to a position, stream by stream.

        Leaves out events whose names are in `skip`.
        """
        # `position + 0` keeps the planner from using the index of positions instead of the one of streams.
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
    ) -> list[LoggedEvent]:
        """The events of the streams with this prefix whose first event after `since` is in (`after`, `until`].

        Returns all events of each such stream up to `end`, stream by stream, without those whose names are in `skip`.
        """
        # The first event after `since` has version 1, or its predecessor is at `since` or before.
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
        return bool(self._recorder.select(query, [*_between(prefix)])[0][0])

    def parts_of_streams(self, prefix: str) -> list[str]:
        """The parts of stream names between this prefix and the next `:`, each once, in order."""
        lowest, end = _between(prefix)
        return [row[0] for row in self._recorder.select(PARTS, [lowest, end, end, prefix, prefix, prefix])]

    def streams_of_length(self, prefix: str, least: int) -> list[str]:
        """The streams whose names have this prefix and that have at least `least` events, in order."""
        query = (
            f"SELECT originator_id FROM stored_events AS first WHERE {NAMED} AND EXISTS (SELECT FROM stored_events"  # noqa: S608  # a constant
            " AS last WHERE last.originator_id = first.originator_id AND last.originator_version = %s)"
            ' ORDER BY originator_id COLLATE "C"'
        )
        return [row[0] for row in self._recorder.select(query, [*_between(prefix), least])]

    def position_at(self, moment: datetime) -> int:
        """The position of the last event recorded at or before this moment; 0 for none."""
        query = "SELECT position FROM stored_events WHERE recorded_at <= %s ORDER BY recorded_at DESC LIMIT 1"
        return self._number(query, [moment])

    def now(self) -> datetime:
        """The time by the clock of the database."""
        now: datetime = self._recorder.select("SELECT clock_timestamp()", [])[0][0]
        return now

    def newest_time(self) -> datetime | None:
        """The time of the newest event; None for an empty log."""
        rows = self._recorder.select("SELECT recorded_at FROM stored_events ORDER BY position DESC LIMIT 1", [])
        return rows[0][0] if rows else None

    def time_reached(self) -> datetime:
        """The earlier of the newest event's time and the database's clock; for an empty log, the clock."""
        query = (
            "SELECT least((SELECT recorded_at FROM stored_events ORDER BY position DESC LIMIT 1), clock_timestamp())"
        )
        reached: datetime = self._recorder.select(query, [])[0][0]
        return reached

    def version(self, stream: str) -> int:
        """The version of a stream; 0 if it does not exist."""
        return self._number(VERSION, [stream])

    def changed_since(self, versions: Mapping[str, int]) -> str | None:
        """The name of a stream that no longer has the given version; None if all have it."""
        rows = self._recorder.select(CHANGED, [list(versions), list(versions.values())])
        return rows[0][0] if rows else None

    def head(self) -> int:
        """The position of the last event; 0 for an empty log."""
        return self._number("SELECT coalesce(max(position), 0) FROM stored_events")

    def followed_head(self) -> int:
        """The position of the last event outside live tables; 0 for none."""
        return self._number(FOLLOWED_HEAD)

    def load_on(self, conn: psycopg.Connection[Any], stream: str) -> list[LoggedEvent]:
        """All events of a stream in order, as the transaction of `conn` sees them."""
        query = f"{SELECT} WHERE originator_id = %s ORDER BY originator_version"
        with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
            return self._envelopes.events_of(cursor.execute(query, [stream]).fetchall())

    def version_on(self, conn: psycopg.Connection[Any], stream: str) -> int:
        """The version of a stream, as the transaction of `conn` sees it; 0 if it does not exist."""
        return version_on(conn, stream)

    def answer_to(self, actor: str, key: str) -> AcceptedRequest | None:
        """The record of this actor's accepted request with this key; None if there is none."""
        rows = self._recorder.select(ANSWER, [list(PRIVATE), actor, key])
        return AcceptedRequest(*rows[0]) if rows else None

    def position_before(self, actor: str, position: int) -> int:
        """The position of the last event of an actor's previous request, before `position`; 0 for none."""
        query = "SELECT coalesce(max(position), 0) FROM requests WHERE actor = %s AND position < %s"
        return self._number(query, [actor, position])

    def stream_at(self, position: int) -> str:
        """The stream of the event at a position of the log."""
        return str(self._recorder.select(f"{SELECT} WHERE position = %s", [position])[0][1])


def _named(names: Sequence[str]) -> sql.Composed:
    # The names are literals, not parameters, so that the planner sees that a partial index covers them.
    named = sql.SQL(", ").join(map(sql.Literal, names))
    query = sql.SQL("{} WHERE position > %s AND position <= %s AND topic IN ({}) ORDER BY position LIMIT %s")
    return query.format(sql.SQL(SELECT), named)


def _between(prefix: str) -> tuple[str, str]:
    """The bounds of all names with this prefix: at least the first, less than the second."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)
