"""What a seat, or a spectator, may know of a live table and of its events. Nothing else of a table leaves the server.

A seat sees its own tiles; everybody sees the chain, the counts and the scores (Cuban text, Spectator Rules). The secret
of a hand, the tiles of other seats and the boneyard stay hidden until the hand has ended.
"""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from league.domain.play import Seen, seen_by
from league.domain.result import Played
from league.domain.rules import Ruleset
from league.domain.tiles import Tile
from league.tables.domain.events import (
    HandDealt,
    ShuffleCommitted,
    TableEvent,
    TableOpened,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.moves import plays_of
from league.tables.domain.state import Phase, SeatState, TableState


class HandView(Struct, frozen=True):
    """The running hand as one seat sees it, or a spectator."""

    number: int
    commitment: str
    """SHA-256 of the secret, in hexadecimal."""
    contributions: tuple[str | None, ...]
    """By seat, in hexadecimal."""
    starting_draw: tuple[Tile, ...] | None
    """By seat, the newest one before the first hand."""
    attempt: int | None
    """Which shuffle of the hand was dealt; None before the deal."""
    reshuffled: bool
    offers: tuple[int, ...]
    """The seats that have not answered yet whether the hand is dealt anew."""
    turn: int
    """The number of the turn to take."""
    moves: tuple[TilePlayed | TileDrawn | TurnPassed, ...]
    seen: Seen | None
    """None before the deal."""


class TableView(Struct, frozen=True):
    """A live table as one seat sees it, or with `seat` None a spectator."""

    table: str
    version: int
    seat: int | None
    opening: TableOpened
    opened_at: datetime
    phase: Phase
    practice: bool
    seats: tuple[SeatState, ...]
    ruleset: Ruleset | None
    """The rules that it plays by; None before play has begun."""
    played: Played | None
    """The facts of the finished hands."""
    hand: HandView | None
    closed: str | None


class SeenEvent(Struct, frozen=True):
    """An event without what stays hidden from one seat, or from spectators."""

    event: TableEvent
    tiles: tuple[Tile, ...] = ()
    """Of the seat itself: the tiles dealt to it, or the one that it drew."""


def view_of(state: TableState, seat: int | None) -> TableView:
    """A table as a seat sees it, or with None a spectator."""
    assert state.opening is not None, "the table exists"
    assert state.opened_at is not None, "the table exists"
    return TableView(
        table=state.table,
        version=state.version,
        seat=seat,
        opening=state.opening,
        opened_at=state.opened_at,
        phase=state.phase,
        practice=state.practice,
        seats=state.seats,
        ruleset=None if state.began is None else state.began.ruleset,
        played=state.played,
        hand=_hand_of(state, seat),
        closed=state.closed,
    )


def event_seen(event: TableEvent, after: TableState, seat: int | None) -> SeenEvent:
    """An event as a seat sees it, or with None a spectator; `after`: the table right after it."""
    match event:
        case ShuffleCommitted():
            return SeenEvent(replace(event, secret=None))
        case HandDealt() if seat is not None and after.deal is not None:
            return SeenEvent(event, after.deal.dealt[seat])
        case TileDrawn() if event.seat == seat and after.play is not None:
            drawn = after.play.turns[-1].tile
            assert drawn is not None, "the last turn is the draw"
            return SeenEvent(event, (drawn,))
    return SeenEvent(event)


def _hand_of(state: TableState, seat: int | None) -> HandView | None:
    if state.commitment is None or state.phase == "closed":
        return None
    play, opening = state.play, state.opening
    assert opening is not None, "the table exists"
    seen = None if play is None else seen_by(seat, play, opening.mode, hand=state.hand)
    if seen is not None and seat is not None:
        seen = replace(seen, plays=plays_of(state, seat))
    return HandView(
        number=state.hand,
        commitment=state.commitment,
        contributions=state.contributions,
        starting_draw=state.drawn if state.hand == 1 else None,
        attempt=state.attempt,
        reshuffled=state.reshuffled,
        offers=state.offers,
        turn=state.turn,
        moves=state.moves,
        seen=seen,
    )
