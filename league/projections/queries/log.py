"""The stored events behind the rows that readers see: who recorded what and when, whole matches, and signed heads."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, DateTime, LargeBinary, Text, TextClause, bindparam, column, select, table, text

from league.domain.deciders import Event
from league.domain.match import HandCorrected, HandTranscribed, MatchState, evolve
from league.domain.play import TakenTurn, WholeHand
from league.eventlog.codec import decode_body
from league.eventlog.envelopes import Envelope
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.projections.queries.matches import seated
from league.projections.queries.pages import Order, Query, grouped, typed
from league.projections.queries.snapshot import Snapshot
from league.projections.writers.play_metrics import played_hands

_ENVELOPE = msgspec.json.Decoder(Envelope[msgspec.Raw])

EVENTS = "SELECT position, originator_id, topic, recorded_at, state FROM stored_events WHERE"
"""Selects the columns of a `StoredEvent`; a condition follows."""
_BY_POSITION = text(EVENTS + " position = ANY(:positions)")
_BY_STREAM = text(EVENTS + " originator_id IN :streams ORDER BY originator_id, originator_version").bindparams(
    bindparam("streams", expanding=True)
)
_NEWEST = text(
    "SELECT originator_id AS stream, max(position) AS position FROM stored_events WHERE originator_id IN :streams "
    "GROUP BY originator_id"
).bindparams(bindparam("streams", expanding=True))
_COLUMNS: dict[str, Any] = {
    "position": BigInteger,
    "originator_id": Text,
    "topic": Text,
    "recorded_at": DateTime(timezone=True),
    "state": LargeBinary,
}


class StoredEvent(NamedTuple):
    """A row of the log."""

    position: int
    originator_id: str
    """The stream."""
    topic: str
    """The event's name."""
    recorded_at: datetime
    state: bytes
    """The envelope and the event, as JSON."""


class LogEntry(Struct, frozen=True, gc=False):
    """An event's envelope, without the event itself."""

    position: int
    stream: str
    name: str
    recorded_at: datetime
    played_at: datetime | None
    actor: str
    source: str
    key: str | None


def entries_by_position(snapshot: Snapshot, positions: Sequence[int]) -> dict[int, LogEntry]:
    """The log entries at these positions."""
    rows = snapshot.conn.execute(_BY_POSITION.columns(**_COLUMNS), {"positions": list(positions)})
    return {row.position: entry_and_body(row)[0] for row in typed(StoredEvent, rows)}


def logged(snapshot: Snapshot, query: TextClause, **parameters: Any) -> list[tuple[LogEntry, Event]]:
    """The events that a query with the columns of EVENTS finds, each with its envelope; none may have sealed fields."""
    rows = typed(StoredEvent, snapshot.conn.execute(query.columns(**_COLUMNS), parameters))
    found = ((row.topic, *entry_and_body(row)) for row in rows)
    return [(entry, decode_body(topic, body)) for topic, entry, body in found]


def entries_by_stream(snapshot: Snapshot, streams: Sequence[str]) -> dict[str, list[LogEntry]]:
    """The log entries of these streams up to the snapshot's position, in order."""
    rows = typed(StoredEvent, snapshot.conn.execute(_BY_STREAM.columns(**_COLUMNS), {"streams": list(streams)}))
    entries = (entry_and_body(row)[0] for row in rows if row.position <= snapshot.position)
    return grouped(streams, ((entry.stream, entry) for entry in entries))


def newest_by_stream(snapshot: Snapshot, streams: Sequence[str]) -> dict[str, int]:
    """The position of the newest event of each of these streams, even if it is not folded yet."""
    return {row.stream: row.position for row in snapshot.conn.execute(_NEWEST, {"streams": list(streams)})}


def entry_and_body(row: StoredEvent) -> tuple[LogEntry, msgspec.Raw]:
    """The envelope and the stored event of a row of the log."""
    said = _ENVELOPE.decode(row.state)
    entry = LogEntry(
        row.position, row.originator_id, row.topic, row.recorded_at, said.played_at, said.actor, said.source, said.key
    )
    return entry, said.body


# ---------------------------------------------------------------- a match as its events


_SEATS = text("SELECT seats FROM matches WHERE run = :run AND match_id = :match")
_STREAM = text(f"{EVENTS} originator_id = :stream ORDER BY originator_version")


class StoryEvent(Struct, frozen=True):
    """An event with its envelope, and the state of the match before it."""

    entry: LogEntry
    body: Event
    before: MatchState


class MatchStory(Struct, frozen=True):
    """The facts of a match, and the events behind them."""

    state: MatchState
    events: tuple[StoryEvent, ...]

    def of_hand(self, number: int) -> Iterator[StoryEvent]:
        """The events of a hand, in order."""
        return (event for event in self.events if getattr(event.body, "hand", None) == number)


def story_of(snapshot: Snapshot, match: str) -> MatchStory:
    """The story of a match, with the players' ids as the run has them; empty if the run does not know the match."""
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
    return MatchStory(state, tuple(events))


# ---------------------------------------------------------------- signed heads


signed_heads = table(
    "signed_heads",
    column("position", BigInteger),
    column("hash", LargeBinary),
    column("root", LargeBinary),
    column("signed_at", DateTime(timezone=True)),
    column("key", LargeBinary),
    column("signature", LargeBinary),
    column("peaks", LargeBinary),
)
h = signed_heads.c


class HeadRow(NamedTuple):
    """A signed head as stored."""

    position: int
    hash: bytes
    root: bytes
    signed_at: datetime
    key: bytes
    signature: bytes
    peaks: bytes


HEADS_LATEST_FIRST = Order((h.position, h.signature), descending=True)


def heads() -> Query:
    """Every stored head, genuine or not; `stored_head` takes its rows."""
    return select(*h)


# ---------------------------------------------------------------- hands whose every turn is known


def whole_hands(store: EventStore, matches: Sequence[str]) -> dict[str, dict[int, WholeHand]]:
    """The hands, by match and number, that were recorded turn by turn or played at the match's live table.

    Hands whose facts were corrected are left out.
    """
    kinds = ("match", *(played.kind for played in played_hands().values()))
    streams = store.load_many([f"{kind}:{match}" for match in matches for kind in kinds])
    return {match: _of_match(match, streams) for match in matches}


def _of_match(match_id: str, streams: Mapping[str, Sequence[LoggedEvent]]) -> dict[int, WholeHand]:
    found: dict[int, WholeHand] = {}
    for played in played_hands().values():
        found.update(played.whole_hands(match_id, streams[f"{played.kind}:{match_id}"]))
    for stored in streams[f"match:{match_id}"]:
        match stored.event:
            case HandTranscribed(hand=number, transcript=transcript):
                turns = tuple(TakenTurn(turn, taken) for turn, taken in enumerate(transcript.plays, 1))
                found[number] = WholeHand(transcript.dealt, turns)
            case HandCorrected(hand=number):
                found.pop(number, None)
    return found
