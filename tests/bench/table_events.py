"""Events of live tables, made by the million: no game was played, but they stand in the log as those of one do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from league.eventlog import codec
from league.eventlog.encoded_rows import HashedRow, copy_in, encode, hash_of, microseconds
from league.eventlog.envelopes import Envelope
from league.infra.database import connect
from league.tables.domain.commands_and_events import TilePlayed

EVENTS_A_TABLE = 500
MOVES = [TilePlayed(1, turn + 1, turn % 4, (turn, 6), None if turn == 0 else "right", "player") for turn in range(7)]
NAME = codec.name_of(MOVES[0])
STATES = [
    msgspec.json.encode(Envelope("bench", "live", None, None, msgspec.Raw(codec.encode_body(move)))) for move in MOVES
]
NEWEST = "SELECT position, hash, recorded_at FROM stored_events ORDER BY position DESC LIMIT 1"


def add_table_events(url: str, count: int) -> None:
    """Append events of live tables to a log that is not empty, faster than the event store would."""
    with connect(url) as conn:
        conn.execute("SELECT lock_event_log()")
        newest = conn.execute(NEWEST).fetchone()
        assert newest is not None, "the log is empty"
        copy_in(conn, _rows(count, *newest))


def _rows(count: int, position: int, before: bytes, newest: datetime) -> Iterator[tuple[bytes, bytes]]:
    """Encoded events that follow the newest one, each with its hash."""
    time = microseconds(newest)
    for number in range(count):
        place = position + number + 1
        stream = f"table:b{position}-{number // EVENTS_A_TABLE}"
        version = number % EVENTS_A_TABLE + 1
        encoded = encode(HashedRow(place, version, time + number + 1, stream, NAME, STATES[number % len(STATES)]))
        before = hash_of(before, encoded)
        yield encoded, before
