"""What the golden bodies of live tables say, in their order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from league.domain.rules import Ruleset
from league.tables.domain import events

EVENING = datetime(2026, 3, 1, 20, 15, tzinfo=UTC)


def of_tables(ruleset: Ruleset) -> dict[str, list[Any]]:
    """By stored name; `ruleset`: the rules that a table plays by."""
    return {
        "table-opened/1": [
            events.TableOpened("cuban-150", "2v2", "competitive", 4, "p017", True),
            events.TableOpened("doscientos-100", "individuals", "casual", 3, None, False, ("p003", "p021"), 7_200),
            events.TableOpened("chiva-4", "1v1", "special", 2, "p017", False, ("p017", "p003"), 7_200, ("p017", "p003"))
        ],
        "table-seat-taken/1": [events.SeatTaken(0, "p017"), events.SeatTaken(1, None, "inference")],
        "table-seat-left/1": [events.SeatLeft(2)],
        "table-seat-ready/1": [events.SeatReady(3)],
        "table-play-began/1": [events.PlayBegan(EVENING, 2, ruleset)],
        "table-shuffle-committed/1": [
            events.ShuffleCommitted(1, "9f86d081", "00ff"), events.ShuffleCommitted(2, "9f86d081", None),
        ],
        "table-seed-contributed/1": [events.SeedContributed(1, 0, "ab" * 32)],
        "table-starting-drawn/1": [events.StartingDrawn(0, ((3, 9), (5, 5), (0, 1), (2, 7)))],
        "table-hand-dealt/1": [events.HandDealt(1, 1, 2)],
        "table-reshuffle-offered/1": [events.ReshuffleOffered(1, 3)],
        "table-reshuffle-accepted/1": [events.ReshuffleAccepted(1, 3)],
        "table-reshuffle-declined/1": [events.ReshuffleDeclined(1, 3, "clock")],
        "table-tile-played/1": [
            events.TilePlayed(1, 1, 2, (9, 4), None, "player"), events.TilePlayed(1, 2, 3, (4, 0), "right", "ai"),
        ],
        "table-tile-drawn/1": [events.TileDrawn(1, 3, 0)],
        "table-turn-passed/1": [events.TurnPassed(1, 4, 0, "no_play"), events.TurnPassed(1, 5, 1, "timeout")],
        "table-hand-ended/1": [events.HandEnded(1, "00ff")],
        "table-hand-dropped/1": [events.HandDropped(2)],
        "table-seat-away/1": [events.SeatAway(1)],
        "table-seat-back/1": [events.SeatBack(1)],
        "table-seat-handed-over/1": [events.SeatHandedOver(1, "timeouts")],
        "table-clock-stood/1": [events.ClockStood(EVENING, EVENING + timedelta(seconds=90))],
        "table-closed/1": [events.TableClosed("finished"), events.TableClosed("locked")],
    }  # fmt: skip
