"""How long a player thought about a turn, from the times of the events of the table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from league.tables.domain.commands_and_events import (
    ClockStood,
    HandDealt,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    TableEvent,
    TilePlayed,
)
from league.tables.projections import taken_turns

BEGAN = datetime(2026, 5, 1, tzinfo=UTC)
DEALT = (HandDealt(1, 0, 0), 0.0)


def played(turn: int, seat: int, second: float) -> tuple[TableEvent, float]:
    return TilePlayed(1, turn, seat, (0, turn), "left", "player"), second


def times(*events: tuple[TableEvent, float]) -> list[int | None]:
    """The milliseconds of each play, from events and the second of each."""
    return [
        turn.milliseconds
        for turn in taken_turns((event, BEGAN + timedelta(seconds=second)) for event, second in events)
    ]


def test_the_time_of_a_turn_begins_with_the_turn() -> None:
    """The time of a turn begins with the deal or with the turn before."""
    assert times(DEALT, played(1, 0, 3), played(2, 1, 5)) == [3_000, 2_000]


def test_what_others_do_does_not_stop_the_time() -> None:
    """Somebody who leaves, or comes back to a seat that an AI has played, or is away with no time left."""
    left, back = (SeatHandedOver(2, "left"), 4.0), (SeatBack(2), 6.0)
    gone: list[tuple[TableEvent, float]] = [(SeatAway(3), 7.0), (SeatHandedOver(3, "away"), 7.0)]
    assert times(DEALT, played(1, 0, 3), left, back, *gone, played(2, 1, 9)) == [3_000, 6_000]


@pytest.mark.parametrize("end", [SeatBack(3), SeatHandedOver(3, "away")])
def test_after_a_pause_the_time_begins_anew(end: TableEvent) -> None:
    """After a pause the time begins anew, even if the pause began before the deal."""
    away: list[tuple[TableEvent, float]] = [(SeatAway(2), 4.0), (SeatAway(3), 5.0), (SeatBack(2), 6.0)]
    assert times(DEALT, played(1, 0, 3), *away, (end, 8.0), played(2, 1, 9)) == [3_000, 1_000]
    assert times(DEALT, (end, 2.0), played(1, 0, 3)) == [1_000]


def test_after_a_standstill_the_time_begins_anew() -> None:
    """Nobody could play meanwhile."""
    stood = ClockStood(BEGAN, BEGAN + timedelta(seconds=1))
    assert times(DEALT, (stood, 2.0), played(1, 0, 3)) == [1_000]


def test_a_player_who_comes_back_thinks_from_then_on() -> None:
    """After a player's return time counts from then on; a play that itself brings them back has no time."""
    out = (SeatHandedOver(1, "timeouts"), 4.0)
    assert times(DEALT, played(1, 0, 3), out, (SeatBack(1), 8.0), played(2, 1, 9)) == [3_000, 1_000]
    assert times(DEALT, played(1, 0, 3), out, (SeatBack(1), 8.0), played(2, 1, 8)) == [3_000, None]
