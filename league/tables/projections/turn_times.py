"""The turns of a hand at a live table, and how long the players thought about them."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from league.domain.transcript import CountedTurn
from league.tables.domain.events import (
    ClockStood,
    HandDealt,
    ReshuffleDeclined,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    TableEvent,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)

_TURN_BEGINS = (HandDealt, ReshuffleDeclined, TilePlayed, TileDrawn, TurnPassed)


def taken_turns(events: Iterable[tuple[TableEvent, datetime]]) -> Iterator[CountedTurn]:
    """The turns of a hand, from its deal on. `events`: each with the time at which it was stored.

    The time to move counts from the beginning of the turn, from the end of a pause or standstill in it, or from when
    the player came back to the seat. A play with which the player comes back has no time.
    """
    stopwatch = _Stopwatch()
    for event, when in events:
        match event:
            case TilePlayed():
                milliseconds = stopwatch.read(event.seat, when) if event.by == "player" else None
                yield CountedTurn(event.seat, "play", event.tile, milliseconds)
            case TileDrawn():
                yield CountedTurn(event.seat, "draw")
            case TurnPassed():
                yield CountedTurn(event.seat, "timeout" if event.reason == "timeout" else "pass")
        stopwatch.hear(event, when)


class _Stopwatch:
    """Since when the time of the running turn runs."""

    def __init__(self) -> None:
        self._from: datetime | None = None
        self._back: dict[int, datetime] = {}
        """When players came back, by seat."""
        self._away: set[int] = set()
        """Seats whose players the table waits for, as far as the events of the hand tell."""
        self._paused_at: datetime | None = None
        self._turns = 0

    def hear(self, event: TableEvent, when: datetime) -> None:
        """Take what happened after the last event."""
        if isinstance(event, _TURN_BEGINS):
            self._from = when
            self._turns += isinstance(event, TilePlayed | TileDrawn | TurnPassed)
        match event:
            case ClockStood():
                self._from = when
            case SeatAway(seat):
                if not self._away:
                    self._paused_at = when
                self._away.add(seat)
            case SeatBack(seat):
                self._back[seat] = when
                self._waits_no_longer(seat, when)
            case SeatHandedOver(seat):
                self._waits_no_longer(seat, when)

    def _waits_no_longer(self, seat: int, when: datetime) -> None:
        """The turn goes on if this ended a pause, of which a part may have been before the deal."""
        paused = seat in self._away or self._turns == 0
        self._away.discard(seat)
        if paused and not self._away and when != self._paused_at:
            self._from = when

    def read(self, seat: int, when: datetime) -> int | None:
        """How many milliseconds the player of a seat thought, who plays now; None where it is not known."""
        back = self._back.get(seat)
        if self._from is None or back == when:
            return None
        since = self._from if back is None else max(self._from, back)
        return round((when - since).total_seconds() * 1_000)
