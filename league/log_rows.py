"""The log as the database holds it: encoded rows and hashes, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from league.chain import FIRST, Entry, microseconds

Conn = psycopg.Connection[Any]

_FIELDS = "position, originator_version, recorded_at, originator_id, topic, state"
# What `chain.encode` makes of the same fields. Texts are sent in the encoding of the client.
_EIGHT = "int4send(8)"
_ENCODED = (
    f"{_EIGHT} || int8send(position) || {_EIGHT} || int8send(originator_version)"
    f" || {_EIGHT} || timestamptz_send(recorded_at)"
    " || int4send(octet_length(textsend(originator_id))) || textsend(originator_id)"
    " || int4send(octet_length(textsend(topic))) || textsend(topic) || int4send(octet_length(state)) || state"
)
_UTF8 = "SET client_encoding TO 'UTF8'"
_SPAN = f"SELECT {_ENCODED}, hash FROM stored_events WHERE position > %s AND position <= %s ORDER BY position"  # noqa: S608
PAGE = 5_000


def rows(conn: Conn, after: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Encoded events after a position, each with the hash that stands beside it.

    The next page is read while this one is worked on, so nobody else may use the connection.
    """
    conn.execute(_UTF8)
    head = head_of(conn)
    with ThreadPoolExecutor(1) as ahead:
        page = ahead.submit(_page, conn, after)
        while after < head:
            found = page.result()
            # Without one there is a hole of a page at least: go on behind it.
            after = after + PAGE if found else _first_after(conn, after) - 1
            page = ahead.submit(_page, conn, after)
            yield from found


def _page(conn: Conn, after: int) -> list[tuple[bytes, bytes]]:
    with conn.cursor(binary=True, row_factory=tuple_row) as cursor:
        return cursor.execute(_SPAN, (after, after + PAGE), prepare=True).fetchall()


def _first_after(conn: Conn, after: int) -> int:
    row = conn.execute("SELECT min(position) FROM stored_events WHERE position > %s", (after,)).fetchone()
    assert row is not None
    return int(row[0])


def head_of(conn: Conn) -> int:
    """The position of the last event, 0 for an empty log."""
    row = conn.execute("SELECT coalesce(max(position), 0) FROM stored_events").fetchone()
    assert row is not None
    return int(row[0])


def hashes(conn: Conn, start: int, end: int) -> Iterator[bytes]:
    """The hashes of the events after position `start`, up to and with `end`."""
    query = "COPY (SELECT hash FROM stored_events WHERE position > %s AND position <= %s ORDER BY position)"
    with conn.cursor() as cursor, cursor.copy(f"{query} TO STDOUT", (start, end)) as copy:
        for block in copy:
            # As text: a backslash, an x, hexadecimal digits; the backslash is doubled.
            yield bytes.fromhex(bytes(block).decode().strip().removeprefix("\\\\x"))


def events_of(
    conn: Conn, *, stream: str | None = None, position: int | None = None
) -> list[tuple[Entry, bytes, bytes]]:
    """The events of a stream, or the one at a position: each with its hash and the hash before it."""
    query = (
        f"SELECT {_FIELDS}, hash, (SELECT hash FROM stored_events AS b WHERE b.position = e.position - 1)"  # noqa: S608
        " FROM stored_events AS e WHERE originator_id = %s OR position = %s ORDER BY position"
    )
    found = []
    for row in conn.execute(query, (stream, position)).fetchall():
        place, version, recorded_at, its_stream, name, state, hash_, before = row
        entry = Entry(place, version, microseconds(recorded_at), its_stream, name, bytes(state))
        found.append((entry, bytes(hash_), bytes(before or FIRST)))
    return found
