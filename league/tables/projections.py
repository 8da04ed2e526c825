"""What is read of live tables: the lobby, the hands of their matches, and how long the players thought."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Boolean, DateTime, Integer, Text, column, or_, select, table, true
from sqlalchemy.dialects.postgresql import ARRAY

from league.domain.play import WholeHand
from league.domain.rules import Mode
from league.domain.transcript import CountedTurn
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.projections.queries.pages import Order, Query
from league.projections.row_part import PlayedHands
from league.tables.domain.commands_and_events import (
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
from league.tables.domain.proof_of_deal import DatedTableEvent, finished_hands
from league.tables.domain.state import Phase

BOOKKEEPING = {
    "live_tables.changed_at": "when the row was written",
    "live_tables.leased_until": "whether a process is about to meet the deadline",
    "live_tables.ai_leased_until": "whether a process is about to play for the AI",
    "live_tables.silence_from": "from when on silence counts: after a standstill it is the time of the clock",
    "live_tables.stood_since": "a span in which no server was alive, until the table has noted it",
    "live_tables.stood_until": "the same",
    "live_presence": "who is connected at this time",
    "live_heartbeat": "when a server was last alive",
    "table_mutes": "whose phrases a player does not want to see: no event says so, and it goes with the table",
}
"""Tables and columns that do not follow from the log, and why."""


# ---------------------------------------------------------------- the lobby

_live = table(
    "live_tables",
    column("table_id", Text(collation="C")),
    column("opened_at", DateTime(timezone=True)),
    column("phase", Text),
    column("ruleset", Text),
    column("mode", Text),
    column("listed", Boolean),
    column("practice", Boolean),
    column("free_seats", Integer),
    column("players", ARRAY(Text)),
    column("guests", ARRAY(Text)),
)
_l = _live.c
NEWEST_FIRST = Order((_l.opened_at, _l.table_id), descending=True)


class LobbyFilter(Struct, frozen=True):
    """Conditions on tables; None: any."""

    phase: tuple[Phase, ...] | None = None
    players: tuple[str, ...] | None = None
    """One of these ids has a seat."""
    ruleset: str | None = None
    mode: Mode | None = None
    listed: bool | None = None
    practice: bool | None = None
    has_free_seat: bool | None = None


class LobbyRow(NamedTuple):
    """A table of the lobby."""

    table_id: str
    opened_at: datetime


def lobby(wanted: LobbyFilter, viewer: Collection[str], *, sees_all: bool) -> Query:
    """The tables that pass a filter and that a viewer may see. `viewer`: all their ids."""
    ids = sorted(viewer)
    may_see = or_(_l.listed, _l.guests.overlap(ids), _l.players.overlap(ids)) if ids else _l.listed
    conditions = [
        true() if sees_all else may_see,
        *([] if wanted.phase is None else [_l.phase.in_(wanted.phase)]),
        *([] if wanted.players is None else [_l.players.overlap(wanted.players)]),
        *([] if wanted.ruleset is None else [_l.ruleset == wanted.ruleset]),
        *([] if wanted.mode is None else [_l.mode == wanted.mode]),
        *([] if wanted.listed is None else [_l.listed == wanted.listed]),
        *([] if wanted.practice is None else [_l.practice == wanted.practice]),
        *([] if wanted.has_free_seat is None else [(_l.free_seats > 0) == wanted.has_free_seat]),
    ]
    return select(_l.table_id, _l.opened_at).where(*conditions)


# ---------------------------------------------------------------- the hands of matches

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


def turns_of_hand(ended: LoggedEvent, store: EventStore) -> list[CountedTurn]:
    """The turns of the hand that an event ended, from its last deal on."""
    since = store.load_since_last("table-hand-dealt/1", ended.stream, ended.version)
    return list(taken_turns((one.event, one.recorded_at) for one in since if isinstance(one.event, TableEvent)))


def dated_events(stored: Sequence[LoggedEvent]) -> list[DatedTableEvent]:
    """The stored events of a table, as the domain reads them."""
    return [
        DatedTableEvent(one.position, one.recorded_at, one.event) for one in stored if isinstance(one.event, TableEvent)
    ]


def whole_hands(table: str, stored: Sequence[LoggedEvent]) -> dict[int, WholeHand]:
    """The hands of a table that have ended, by number."""
    return {
        hand.proof.hand: WholeHand(hand.proof.deals[-1].dealt, hand.turns)
        for hand in finished_hands(table, dated_events(stored))
    }


PLAYED = PlayedHands("table", "table-hand-ended/1", turns_of_hand, whole_hands)
