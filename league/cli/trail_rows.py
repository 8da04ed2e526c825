"""The audit trail as rows: who did what, in words, with the event as stored."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy import Connection

from league.projections.queries.trail import TrailEntry, TrailFilter, every_entry, seats_of
from league.wording.trail import Names, words

COLUMNS = (
    "position", "recorded_at", "played_at", "kind", "version", "stream", "match", "players", "actor", "source", "key",
    "what", "body",
)  # fmt: skip
"""The columns of the export."""

PAGE = 1_000


def rows(conn: Connection) -> Iterator[dict[str, Any]]:
    """A row for every event of the log, the oldest first; players by their ids."""
    entries = every_entry(conn, TrailFilter())
    while page := list(islice(entries, PAGE)):
        yield from documents(conn, page, {})


def documents(conn: Connection, entries: list[TrailEntry], names: Names) -> Iterator[dict[str, Any]]:
    """A row for each entry; players by these names, or by their ids."""
    seats = seats_of(conn, entries)
    for entry in entries:
        log = entry.log
        yield {
            "position": log.position,
            "recorded_at": log.recorded_at,
            "played_at": log.played_at,
            "kind": entry.kind,
            "version": entry.version,
            "stream": log.stream,
            "match": entry.match,
            "players": entry.players(seats),
            "actor": log.actor,
            "source": log.source,
            "key": log.key,
            "what": words(log.stream, entry.event, names),
            "body": msgspec.json.decode(entry.body),
        }
