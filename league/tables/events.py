"""The events of live tables: under which names the log stores them, and what it seals."""

from league.eventlog.records import Kind
from league.tables.domain import events as table

EVENTS = (
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
)
"""At the newest version of each. The league does not follow them, so that no fold even reads them."""
