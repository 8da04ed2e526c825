"""The audit trail as rows: who did what, in words, with the event as stored."""

from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy import Connection

from league.domain.match import MatchOpened
from league.projections.queries.trail import TrailEntry, TrailFilter, every_entry, openings_of
from league.wording.around import Around, Names
from league.wording.trail import words

COLUMNS = (
    "position", "recorded_at", "played_at", "kind", "version", "stream", "match", "players", "actor", "source", "key",
    "what", "body",
)  # fmt: skip
"""The columns of the export."""

PAGE = 1_000


def rows(conn: Connection) -> Iterator[dict[str, Any]]:
    """A row for every event of the log, the oldest first; players by their ids, times in UTC."""
    entries = every_entry(conn, TrailFilter())
    while page := list(islice(entries, PAGE)):
        yield from documents(page, openings_of(conn, page), {}, UTC)


def told_of(entry: TrailEntry, openings: Mapping[str, MatchOpened], names: Names, zone: tzinfo) -> Around:
    """What is known of an entry: the players of the match at which it happened, where there is one."""
    opened = openings.get(entry.played_in or "")
    return Around(names, zone=zone) if opened is None else Around(names, opened.mode, opened.seats, zone)


def documents(
    entries: list[TrailEntry], openings: Mapping[str, MatchOpened], names: Names, zone: tzinfo
) -> Iterator[dict[str, Any]]:
    """A row for each entry; players by these names, or by their ids."""
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
            "players": entry.players(openings),
            "actor": log.actor,
            "source": log.source,
            "key": log.key,
            "what": words(log.stream, entry.event, told_of(entry, openings, names, zone)),
            "body": msgspec.json.decode(entry.body),
        }
