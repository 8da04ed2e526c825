"""The names under which the log stores the events of live tables."""

from league.eventlog.records import AddedByRestore, CachedStream, EventKind, EventPart
from league.tables.domain import commands_and_events as table
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState

KIND = "table"
STREAM = f"{KIND}:"
"""Prefix of the streams of live tables."""
CACHED = CachedStream(KIND, TableState, evolve)
RUNNING_HANDS = """
    SELECT table_stream, (SELECT max(originator_version) FROM stored_events WHERE originator_id = table_stream),
        (convert_from(state, 'UTF8')::jsonb -> 'body' ->> 'hand')::int
    FROM (
        SELECT DISTINCT ON (originator_id) originator_id AS table_stream, topic, state FROM stored_events
        WHERE topic IN ('table-shuffle-committed/1', 'table-hand-ended/1', 'table-hand-dropped/1', 'table-closed/1')
        ORDER BY originator_id, originator_version DESC
    ) AS newest
    WHERE topic = 'table-shuffle-committed/1'
    ORDER BY table_stream
"""

EVENTS = EventPart(
    kinds=(
        EventKind("table-opened/1", table.TableOpened),
        EventKind("table-seat-taken/1", table.SeatTaken),
        EventKind("table-seat-left/1", table.SeatLeft),
        EventKind("table-seat-ready/1", table.SeatReady),
        EventKind("table-play-began/1", table.PlayBegan),
        EventKind("table-shuffle-committed/1", table.ShuffleCommitted, sealed_until_the_end=("secret",)),
        EventKind("table-seed-contributed/1", table.SeedContributed),
        EventKind("table-starting-drawn/1", table.StartingDrawn),
        EventKind("table-hand-dealt/1", table.HandDealt),
        EventKind("table-reshuffle-offered/1", table.ReshuffleOffered),
        EventKind("table-reshuffle-accepted/1", table.ReshuffleAccepted),
        EventKind("table-reshuffle-declined/1", table.ReshuffleDeclined),
        EventKind("table-tile-played/1", table.TilePlayed),
        EventKind("table-tile-drawn/1", table.TileDrawn),
        EventKind("table-turn-passed/1", table.TurnPassed),
        EventKind("table-hand-ended/1", table.HandEnded),
        EventKind("table-hand-dropped/1", table.HandDropped),
        EventKind("table-seat-away/1", table.SeatAway),
        EventKind("table-seat-back/1", table.SeatBack),
        EventKind("table-seat-handed-over/1", table.SeatHandedOver),
        EventKind("table-clock-stood/1", table.ClockStood),
        EventKind("table-closed/1", table.TableClosed),
    ),
    cached=CACHED,
    # Running hands are dropped: after the backup their secrets may have been published. The clock deals them again.
    added_by_restore=AddedByRestore(RUNNING_HANDS, table.HandDropped),
)
"""The newest version of each event. The folds of the league do not read them."""
