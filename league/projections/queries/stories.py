"""A match as its events up to the position of a run; the run does not know later ones."""

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import text

from league.domain.deciders import Event
from league.domain.match import (
    MatchState,
    evolve,
)
from league.eventlog.codec import decode_body
from league.projections.queries.log import EVENTS, LogEntry, StoredEvent, entry_and_body
from league.projections.queries.matches import seated
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot

_SEATS = text("SELECT seats FROM matches WHERE run = :run AND match_id = :match")
_STREAM = text(f"{EVENTS} originator_id = :stream ORDER BY originator_version")


class StoryEvent(Struct, frozen=True):
    """An event with its envelope, and the state of the match before it."""

    entry: LogEntry
    body: Event
    before: MatchState


class Story(Struct, frozen=True):
    """The facts of a match, and the events behind them."""

    state: MatchState
    events: tuple[StoryEvent, ...]

    def of_hand(self, number: int) -> Iterator[StoryEvent]:
        """The events of a hand, in order."""
        return (event for event in self.events if getattr(event.body, "hand", None) == number)


def story_of(snapshot: Snapshot, match: str) -> Story:
    """The story of a match, with the ids as which the run reads its players; empty if the run does not know it."""
    state, events = MatchState(), []
    seats = snapshot.conn.scalar(_SEATS, {"run": snapshot.run, "match": match})
    for row in typed(StoredEvent, snapshot.conn.execute(_STREAM, {"stream": f"match:{match}"})):
        # As a condition of the query it would tempt PostgreSQL to read every position of the log.
        if row.position > snapshot.position:
            break
        entry, encoded = entry_and_body(row)
        event = decode_body(row.topic, encoded)
        events.append(StoryEvent(entry, event, state))
        state = evolve(state, event, entry.played_at or entry.recorded_at, entry.position)  # type: ignore[arg-type]  # the stream is a match's
        state = seated(state, seats)
    return Story(state, tuple(events))
