"""The row of each review: how far it is. It is written with its request, and begun again when its hand is corrected."""

from collections.abc import Sequence
from typing import Any

import psycopg

from league.application.stream_states import StreamStates
from league.domain.deciders import Event
from league.domain.match import HandCorrected, HandTranscribed
from league.eventlog.recorder import Within
from league.eventlog.records import Append
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.review.application.review_commands import STREAM
from league.review.domain.requests import ReviewRequested

INSERT = "INSERT INTO hand_reviews (match_id, hand) VALUES (%s, %s) ON CONFLICT DO NOTHING"
# The score before a later hand follows from this one.
BEGIN_AGAIN = """
    UPDATE hand_reviews SET moves = '[]', parts = NULL, status = 'waiting', attempts = 0, version = version + 1
    WHERE match_id = %s AND hand >= %s
"""
NAMES = ("review-requested/1",)
"""Events on which the rows rest."""
PAGE = 1_000
MATCH = "match:"

BOOKKEEPING = {"hand_reviews": "how far each review is: it is computed from the turns of its hand, again at any time"}
"""Tables that no fold of the log makes, and why."""


class ReviewRows:
    """Writes the rows of the reviews that an append requests or outdates, in its transaction."""

    def __init__(self, changes: Sequence[tuple[str, tuple[str, int]]]) -> None:
        """`changes`: statements with the match and the hand that they are about."""
        self._changes = changes

    @classmethod
    def of(cls, appends: Sequence[Append], _states: StreamStates) -> Within | None:
        """What writes the rows of an append, if it has such events."""
        changes = [change for append in appends for event in append.events for change in _changes(append.stream, event)]
        return cls(changes).write if changes else None

    def write(self, conn: psycopg.Connection[Any], _before: int, _last: int) -> None:
        """Write the rows."""
        for statement, values in self._changes:
            conn.execute(statement, values)


def write_missing_review_rows(store: EventStore, url: str) -> None:
    """Write the rows of the reviews that were requested in a league that was restored."""
    position, head = 0, store.head()
    with connect(url) as conn:
        while found := store.named_after(position, head, NAMES, PAGE):
            for stored in found:
                for statement, values in _changes(stored.stream, stored.event):
                    conn.execute(statement, values)
            position = found[-1].position


def _changes(stream: str, event: Event) -> list[tuple[str, tuple[str, int]]]:
    match event:
        case ReviewRequested(hand=hand):
            return [(INSERT, (stream.removeprefix(STREAM), hand))]
        case HandCorrected(hand=hand) | HandTranscribed(hand=hand):
            return [(BEGIN_AGAIN, (stream.removeprefix(MATCH), hand))]
    return []
