"""`league trail` and `league export trail`: who did what when, for auditors."""

from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from league import console
from league.projections.official import names_of
from league.projections.reads.pages import PageOf, read_page
from league.projections.reads.snapshot import Snapshot
from league.projections.reads.trail import (
    TrailEntry,
    TrailFilter,
    entry_of,
    every_entry,
    order_of,
    trail,
)
from league.trail_words import Names, players_in, words


def show(snapshot: Snapshot, wanted: TrailFilter, first: int, *, as_json: bool) -> None:
    """Print the latest events that a filter leaves, the latest first. Raises InvalidInput."""
    rows = read_page(snapshot.conn, trail(wanted), order_of(wanted, latest_first=True), PageOf(first)).rows
    entries = [entry_of(row) for row in rows]
    named = {player for entry in entries for player in players_in(entry.log.stream, entry.event)}
    names = names_of(snapshot.conn, named)
    if as_json:
        console.print_json([_document(entry, names) for entry in entries])
        return
    zone = ZoneInfo(snapshot.zone)
    shown = [
        (entry.log.position, f"{entry.log.recorded_at.astimezone(zone):%Y-%m-%d %H:%M:%S}", entry.log.actor,
         entry.log.source, words(entry.log.stream, entry.event, names))
        for entry in entries
    ]  # fmt: skip
    console.table(
        "Who did what, the latest first", ("position", "recorded", "actor", "source", "what"), shown, ("position",)
    )


def rows(conn: Connection) -> Iterator[dict[str, Any]]:
    """Every event of the log, the oldest first; players by their ids only."""
    return (_document(entry, {}) for entry in every_entry(conn, TrailFilter()))


def _document(entry: TrailEntry, names: Names) -> dict[str, Any]:
    log = entry.log
    return {
        "position": log.position,
        "recorded_at": log.recorded_at,
        "played_at": log.played_at,
        "kind": entry.kind,
        "version": entry.version,
        "stream": log.stream,
        "actor": log.actor,
        "source": log.source,
        "key": log.key,
        "what": words(log.stream, entry.event, names),
    }
