"""The events of live tables: under which names the log stores them."""

from league.eventlog.records import AddedByRestore, EventPart, KeptStream, Kind
from league.tables.domain import commands_and_events as table
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState

KIND = "table"
STREAM = f"{KIND}:"
"""How the names of the streams of live tables begin."""
KEPT = KeptStream(KIND, TableState, evolve)
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
        Kind("table-opened/1", table.TableOpened),
        Kind("table-seat-taken/1", table.SeatTaken),
        Kind("table-seat-left/1", table.SeatLeft),
        Kind("table-seat-ready/1", table.SeatReady),
        Kind("table-play-began/1", table.PlayBegan),
        Kind("table-shuffle-committed/1", table.ShuffleCommitted, sealed_until_the_end=("secret",)),
        Kind("table-seed-contributed/1", table.SeedContributed),
        Kind("table-starting-drawn/1", table.StartingDrawn),
        Kind("table-hand-dealt/1", table.HandDealt),
        Kind("table-reshuffle-offered/1", table.ReshuffleOffered),
        Kind("table-reshuffle-accepted/1", table.ReshuffleAccepted),
        Kind("table-reshuffle-declined/1", table.ReshuffleDeclined),
        Kind("table-tile-played/1", table.TilePlayed),
        Kind("table-tile-drawn/1", table.TileDrawn),
        Kind("table-turn-passed/1", table.TurnPassed),
        Kind("table-hand-ended/1", table.HandEnded),
        Kind("table-hand-dropped/1", table.HandDropped),
        Kind("table-seat-away/1", table.SeatAway),
        Kind("table-seat-back/1", table.SeatBack),
        Kind("table-seat-handed-over/1", table.SeatHandedOver),
        Kind("table-clock-stood/1", table.ClockStood),
        Kind("table-closed/1", table.TableClosed),
    ),
    kept=KEPT,
    # After the backup their secrets may have been published. The clock deals them anew.
    added_by_restore=AddedByRestore(RUNNING_HANDS, table.HandDropped),
)
"""At the newest version of each. The league does not follow them, so that no fold even reads them."""
