"""The rows of each tournament: what its pages read. Written with its events, and made again from the log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import psycopg
from psycopg.rows import tuple_row

from league.application.stream_states import StreamStates
from league.domain.deciders import Event
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.projections.rows_again.declaration import RowsAgain
from league.tournaments.application.tournament_states import KEPT, STREAM
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.state import TournamentState

TIMES = "SELECT recorded_at FROM stored_events WHERE position > %s AND position <= %s ORDER BY position"
WRITE = """
    INSERT INTO tournaments (tournament_id, planned_at, name, format, status, state, asked_at)
    VALUES (%(id)s, %(at)s, %(name)s, %(format)s, %(status)s, %(state)s, %(asked_at)s)
    ON CONFLICT (tournament_id) DO UPDATE SET
        name = excluded.name, format = excluded.format, status = excluded.status, state = excluded.state,
        asked_at = excluded.asked_at
"""
PLAYERS = """
    INSERT INTO tournament_players (player_id, tournament_id) SELECT player, %s FROM unnest(%s::text[]) AS player
    ON CONFLICT DO NOTHING
"""
MATCHES = """
    INSERT INTO tournament_matches (match_id, tournament_id, round, number) VALUES (%s, %s, %s, %s)
    ON CONFLICT DO NOTHING
"""
DRAWING = """
    INSERT INTO tournament_drawings (tournament_id, round, drawing) VALUES (%s, %s, %s)
    ON CONFLICT (tournament_id, round) DO UPDATE SET drawing = excluded.drawing
"""
NAMES = ("tournament-planned/1",)
PACK = msgspec.msgpack.Encoder(order="deterministic")
"""Sorts sets and keys: verification compares the bytes with those of another process."""


class _Changed(NamedTuple):
    """A tournament before and after some events, and when the first one happened."""

    before: TournamentState
    after: TournamentState
    at: datetime


def rows_of(appends: Sequence[Append], states: StreamStates) -> Within | None:
    """What writes the rows of the tournaments that some appends change, in their transaction; else None."""
    if not any(append.events and append.stream.startswith(STREAM) for append in appends):
        return None

    def write(conn: psycopg.Connection[Any], before: int, last: int) -> None:
        with conn.cursor(row_factory=tuple_row) as cursor:
            times = [time for (time,) in cursor.execute(TIMES, [before, last])]
        changed: dict[str, _Changed] = {}
        for append in appends:
            recorded, times = times[: len(append.events)], times[len(append.events) :]
            if append.events and append.stream.startswith(STREAM):
                stored = states.stored_states[append.stream]
                happened = recorded if append.played_at is None else [append.played_at] * len(recorded)
                known = changed.get(append.stream) or _Changed(stored, stored, happened[0])
                changed[append.stream] = known._replace(after=KEPT.after(known.after, append.events, happened))
                _write_drawings(conn, append.stream, append.events)
        for one in changed.values():
            _write(conn, one)

    return write


def _make(conn: psycopg.Connection[Any], log: EventStore) -> None:
    for planned in log.all_named(NAMES):
        events = log.load(planned.stream)
        after = nothing = TournamentState(planned.stream.removeprefix(STREAM))
        for stored in events:
            before, happened = after, stored.played_at or stored.recorded_at
            after = KEPT.evolve(before, stored.event, happened)
            _write_links(conn, before, after)
        _write(conn, _Changed(nothing, after, events[0].played_at or events[0].recorded_at))
        _write_drawings(conn, planned.stream, [one.event for one in events])


ROWS_AGAIN = RowsAgain(("tournaments", "tournament_drawings", "tournament_players", "tournament_matches"), _make)


def _write_drawings(conn: psycopg.Connection[Any], stream: str, events: Sequence[Event]) -> None:
    for event in events:
        if isinstance(event, RoundDrawn):
            conn.execute(DRAWING, [stream.removeprefix(STREAM), event.round, PACK.encode(event)])


def _write(conn: psycopg.Connection[Any], changed: _Changed) -> None:
    before, after = changed.before, changed.after
    assert after.plan is not None, "its first event is its plan"
    row = {
        "id": after.id,
        "at": changed.at,
        "name": after.plan.name,
        "format": after.plan.format,
        "status": after.status,
        "state": PACK.encode(after),
        "asked_at": after.rounds[-1].asked_at if after.rounds else None,
    }
    conn.execute(WRITE, row)
    _write_links(conn, before, after)


def _write_links(conn: psycopg.Connection[Any], before: TournamentState, after: TournamentState) -> None:
    """Write which players and matches are new."""
    if after.entries is not before.entries and (new := sorted(after.players() - before.players())):
        conn.execute(PLAYERS, [after.id, new])
    if after.rounds is before.rounds:
        return
    known = {match for _, table in before.tables() for match in table.matches}
    links = [(match, after.id, of.number, table.number) for of, table in after.tables() for match in table.matches]
    with conn.cursor() as cursor:
        cursor.executemany(MATCHES, [link for link in links if link[0] not in known])
