"""`league trail` and `league export trail`: who did what when, for auditors."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy import Connection

from league.cli import terminal
from league.projections.queries.official import names_of
from league.projections.queries.pages import PageOf, count, read_page
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.trail import (
    TrailEntry,
    TrailFilter,
    check_known,
    entry_of,
    every_entry,
    order_of,
    seats_of,
    trail,
)
from league.wording.trail import Names, players_in, words

COLUMNS = (
    "position", "recorded_at", "played_at", "kind", "version", "stream", "match", "players", "actor", "source", "key",
    "what", "body",
)  # fmt: skip
"""What a row of the export has."""

PAGE = 1_000


def show(snapshot: Snapshot, wanted: TrailFilter, first: int, *, as_json: bool) -> None:
    """Print the latest events that a filter leaves, the latest first, and how many there are.

    Raises InvalidInput, NotFound.
    """
    query = trail(wanted)
    check_known(snapshot.conn, wanted)
    rows = read_page(snapshot.conn, query, order_of(wanted, latest_first=True), PageOf(first)).rows
    entries, total = [entry_of(row) for row in rows], count(snapshot.conn, query)
    named = {player for entry in entries for player in players_in(entry.log.stream, entry.event)}
    names = names_of(snapshot.conn, named)
    if as_json:
        terminal.print_json({"total": total, "entries": list(_documents(snapshot.conn, entries, names))})
        return
    shown = [
        (entry.log.position, f"{entry.log.recorded_at:%Y-%m-%d %H:%M:%S}", entry.log.actor, entry.log.source,
         words(entry.log.stream, entry.event, names))
        for entry in entries
    ]  # fmt: skip
    terminal.table(
        f"Who did what, the latest first: {len(entries)} of {total} events",
        ("position", "recorded (UTC)", "actor", "source", "what"),
        shown,
        ("position",),
    )


def rows(conn: Connection) -> Iterator[dict[str, Any]]:
    """Every event of the log, the oldest first; players by their ids only."""
    entries = every_entry(conn, TrailFilter())
    while page := list(islice(entries, PAGE)):
        yield from _documents(conn, page, {})


def _documents(conn: Connection, entries: list[TrailEntry], names: Names) -> Iterator[dict[str, Any]]:
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
