"""The row of each photo: what is left to do with it. Written with the events of the photo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg

from league.application.stream_states import StreamStates
from league.domain.deciders import Event
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.photos.application.photo_commands import STREAM
from league.photos.domain.photo import CountConfirmed, CountCorrected, CountProposed, PhotoErased, PhotoUploaded
from league.projections.rows_again import RowsAgain

INSERT = "INSERT INTO photos (photo_id, match_id, hand, sha256) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
COUNTED = "UPDATE photos SET to_count = false WHERE photo_id = %s"
# The trigger of the table notifies the followers of the photo.
SETTLED = "UPDATE photos SET to_count = to_count WHERE photo_id = %s"
ERASED = "UPDATE photos SET erased = true, to_count = false, to_remove = true WHERE photo_id = %s"

NAMES = ("photo-uploaded/1", "photo-count-proposed/1", "photo-erased/1")
"""Events on which the rows rest."""

BOOKKEEPING = {
    "photos.to_remove": "whether the picture of an erased photo may still be stored",
    "photos.attempts": "counts that were begun",
}
"""Columns that do not follow from the log, and why."""


class PhotoRows:
    """Writes the rows of the photos that an append changes, in its transaction."""

    def __init__(self, appends: Sequence[Append]) -> None:
        self._appends = appends

    @classmethod
    def of(cls, appends: Sequence[Append], _states: StreamStates) -> Within | None:
        """What writes the rows of an append, if it has events of photos."""
        ours = [append for append in appends if append.stream.startswith(STREAM)]
        return cls(ours).write if ours else None

    def write(self, conn: psycopg.Connection[Any], before: int, last: int) -> None:
        """Write the rows."""
        for append in self._appends:
            _write(conn, append.stream, append.events)


def _make(conn: psycopg.Connection[Any], log: EventStore) -> None:
    for stored in log.all_named(NAMES):
        _write(conn, stored.stream, [stored.event])


ROWS_AGAIN = RowsAgain(("photos",), _make)


def _write(conn: psycopg.Connection[Any], stream: str, events: Iterable[Event]) -> None:
    photo = stream.removeprefix(STREAM)
    for event in events:
        match event:
            case PhotoUploaded():
                conn.execute(INSERT, (photo, event.match, event.hand, event.sha256))
            case CountProposed():
                conn.execute(COUNTED, (photo,))
            case CountConfirmed() | CountCorrected():
                conn.execute(SETTLED, (photo,))
            case PhotoErased():
                conn.execute(ERASED, (photo,))
