"""Queries about live tables: the lobby, the hands of their matches, and how long players thought."""

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
    "live_tables.leased_until": "until when a process may meet the deadline before others try",
    "live_tables.ai_leased_until": "until when a process may play for the AI before others try",
    "live_tables.silence_from": "the time from which a player's silence counts",
    "live_tables.stood_since": "beginning of a span in which no server was alive, until the table has noted it",
    "live_tables.stood_until": "end of that span",
    "live_presence": "who is connected now",
    "live_heartbeat": "when a server was last alive",
    "table_mutes": "whose phrases a player does not want to see: no event says so, and it is deleted with the table",
}
"""Database tables and columns that do not follow from the log, and what they hold."""


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
    """Conditions on live tables; None means any."""

    phase: tuple[Phase, ...] | None = None
    players: tuple[str, ...] | None = None
    """Ids of players, one of whom must have a seat."""
    ruleset: str | None = None
    mode: Mode | None = None
    listed: bool | None = None
    practice: bool | None = None
    has_free_seat: bool | None = None


class LobbyRow(NamedTuple):
    """A live table in the lobby."""

    table_id: str
    opened_at: datetime


def lobby(wanted: LobbyFilter, viewer: Collection[str], *, sees_all: bool) -> Query:
    """The live tables that pass a filter and that a viewer may see.

    `viewer`: all ids of the viewer; `sees_all`: whether the viewer may see every table.
    """
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
    """The turns of a hand, from its deal on, with the player's thinking time. `events`: each with its recorded time.

    Thinking time counts from the latest of these: the beginning of the turn, the end of a pause or standstill in it,
    the player's return to the seat. A play by which the player returns has no thinking time.
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
    """Measures the thinking time in the running turn."""

    def __init__(self) -> None:
        self._from: datetime | None = None
        self._back: dict[int, datetime] = {}
        """When the player of a seat came back, by seat."""
        self._away: set[int] = set()
        """Seats whose players the table waits for, according to the events of the hand."""
        self._paused_at: datetime | None = None
        self._turns = 0

    def hear(self, event: TableEvent, when: datetime) -> None:
        """Take the next event and its time."""
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
        """Restart the thinking time if this ended a pause. The pause may have begun before the deal."""
        paused = seat in self._away or self._turns == 0
        self._away.discard(seat)
        if paused and not self._away and when != self._paused_at:
            self._from = when

    def read(self, seat: int, when: datetime) -> int | None:
        """Milliseconds that the player of a seat thought before playing at `when`; None if not known."""
        back = self._back.get(seat)
        if self._from is None or back == when:
            return None
        since = self._from if back is None else max(self._from, back)
        return round((when - since).total_seconds() * 1_000)


def turns_of_hand(ended: LoggedEvent, store: EventStore) -> list[CountedTurn]:
    """The turns of the hand that the event `ended` ended, from its last deal on."""
    since = store.load_since_last("table-hand-dealt/1", ended.stream, ended.version)
    return list(taken_turns((one.event, one.recorded_at) for one in since if isinstance(one.event, TableEvent)))


def dated_events(stored: Sequence[LoggedEvent]) -> list[DatedTableEvent]:
    """The stored events of a table with their positions and times, as the domain takes them."""
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
