"""The events in the golden bodies of live tables, in order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from league.domain.rules import Ruleset
from league.tables.domain.commands_and_events import (
    ClockStood,
    HandDealt,
    HandDropped,
    HandEnded,
    PlayBegan,
    ReshuffleAccepted,
    ReshuffleDeclined,
    ReshuffleOffered,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    SeatLeft,
    SeatReady,
    SeatTaken,
    SeedContributed,
    ShuffleCommitted,
    StartingDrawn,
    TableClosed,
    TableOpened,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)

EVENING = datetime(2026, 3, 1, 20, 15, tzinfo=UTC)


def of_tables(ruleset: Ruleset) -> dict[str, list[Any]]:
    """The events of the golden bodies by stored name; `ruleset`: the rules of the table."""
    return {
        "table-opened/1": [
            TableOpened("cuban-150", "2v2", "competitive", 4, "p017", True),
            TableOpened("doscientos-100", "individuals", "casual", 3, None, False, ("p003", "p021"), 7_200),
            TableOpened("chiva-4", "1v1", "special", 2, "p017", False, ("p017", "p003"), 7_200, ("p017", "p003"))
        ],
        "table-seat-taken/1": [SeatTaken(0, "p017"), SeatTaken(1, None, "inference")],
        "table-seat-left/1": [SeatLeft(2)],
        "table-seat-ready/1": [SeatReady(3)],
        "table-play-began/1": [PlayBegan(EVENING, 2, ruleset)],
        "table-shuffle-committed/1": [
            ShuffleCommitted(1, "9f86d081", "00ff"), ShuffleCommitted(2, "9f86d081", None),
        ],
        "table-seed-contributed/1": [SeedContributed(1, 0, "ab" * 32)],
        "table-starting-drawn/1": [StartingDrawn(0, ((3, 9), (5, 5), (0, 1), (2, 7)))],
        "table-hand-dealt/1": [HandDealt(1, 1, 2)],
        "table-reshuffle-offered/1": [ReshuffleOffered(1, 3)],
        "table-reshuffle-accepted/1": [ReshuffleAccepted(1, 3)],
        "table-reshuffle-declined/1": [ReshuffleDeclined(1, 3, "clock")],
        "table-tile-played/1": [
            TilePlayed(1, 1, 2, (9, 4), None, "player"), TilePlayed(1, 2, 3, (4, 0), "right", "ai"),
        ],
        "table-tile-drawn/1": [TileDrawn(1, 3, 0)],
        "table-turn-passed/1": [TurnPassed(1, 4, 0, "no_play"), TurnPassed(1, 5, 1, "timeout")],
        "table-hand-ended/1": [HandEnded(1, "00ff")],
        "table-hand-dropped/1": [HandDropped(2)],
        "table-seat-away/1": [SeatAway(1)],
        "table-seat-back/1": [SeatBack(1)],
        "table-seat-handed-over/1": [SeatHandedOver(1, "timeouts")],
        "table-clock-stood/1": [ClockStood(EVENING, EVENING + timedelta(seconds=90))],
        "table-closed/1": [TableClosed("finished"), TableClosed("locked")],
    }  # fmt: skip
