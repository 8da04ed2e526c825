"""The state of a live table, and what follows from it: what the table waits for, and what each viewer may know.

`evolve` computes the state from the events. The functions here are pure functions of the state: the next deadline, the
seat that an AI has to play for, who is away, and the views. Only views leave the server. A seat sees its own tiles;
everybody sees the chain, the counts and the scores (Cuban text, Spectator Rules). The secret of a hand, the tiles of
other seats and the boneyard stay hidden until the hand has ended.
"""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from league.domain.dealing import NO_CONTRIBUTION, DealtTiles, ShuffleInputs
from league.domain.play import HandInPlay, Level, Play, SeenHand, seen_by
from league.domain.result import MatchFacts
from league.domain.rules import Ruleset
from league.domain.tiles import Tile
from league.tables.domain.commands_and_events import (
    HandDealt,
    PlayBegan,
    ShuffleCommitted,
    TableEvent,
    TableOpened,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)

Phase = Literal["open", "shuffling", "offering", "playing", "paused", "closed"]
"""`open`: players sit down. `shuffling`: they contribute to the seed. `offering`: a reshuffle is offered. `paused`: the
table waits for a player."""
TurnEvent = TilePlayed | TileDrawn | TurnPassed


class Absence(NamedTuple):
    """A span in which the table waited for a player."""

    since: datetime
    until: datetime
    left_before: timedelta
    """How long the table could still wait for the player when the span began."""


class SeatState(Struct, frozen=True):
    """A seat: free, or taken by a player or by an AI."""

    player: str | None = None
    level: Level | None = None
    """The level of the AI that has the seat from the start; None if no AI has it."""
    ready: bool = False
    handed_over: Literal["away", "timeouts", "left"] | None = None
    """Why an AI plays for the player now; None while the player plays."""
    timeouts: int = 0
    """Number of turns in a row in which the player's time ran out."""
    away_since: datetime | None = None
    """When the player's connection was lost. During a pause: since when the table waits for the player."""
    away_left: timedelta = timedelta()
    """How long the table can still wait for the player."""
    last_absence: Absence | None = None
    """The last absence, from which a standstill that is noted later gives back time."""

    @property
    def taken(self) -> bool:
        """Whether a player or an AI has the seat."""
        return self.player is not None or self.level is not None

    @property
    def played_by(self) -> Literal["player", "ai"]:
        """Who plays the seat now."""
        return "ai" if self.level is not None or self.handed_over is not None else "player"

    @property
    def left(self) -> bool:
        """Whether the player left on purpose."""
        return self.handed_over == "left"

    @property
    def waited_for(self) -> bool:
        """Whether the table waits for the player, or will wait as soon as a turn begins."""
        return self.away_since is not None and self.played_by == "player"


class TableState(Struct, frozen=True):
    """A live table after some of its events. It is immutable; `evolve` returns a new state."""

    table: str
    """The table's id, which is also the id of its match."""
    version: int = 0
    """Number of events of the table."""
    opening: TableOpened | None = None
    opened_at: datetime | None = None
    phase: Phase = "open"
    seats: tuple[SeatState, ...] = ()
    began: PlayBegan | None = None
    """When and under which rules play began."""
    played: MatchFacts | None = None
    """The facts of the finished hands, as a match has them; None before the first deal."""
    hand: int = 0
    """The number of the running hand, from 1."""
    hand_from: datetime | None = None
    """When its shuffle began."""
    commitment: str | None = None
    secret: str | None = None
    """The secret of the running hand, in hexadecimal; None if its key is missing."""
    contributions: tuple[str | None, ...] = ()
    """What each seat added to the seed, by seat, in hexadecimal."""
    drawn: tuple[Tile, ...] | None = None
    """The tiles of the newest starting draw, by seat."""
    attempt: int | None = None
    """The number of the shuffle that was dealt; None before the deal."""
    starter: int | None = None
    deal: DealtTiles | None = None
    """The deal of the running hand."""
    play: HandInPlay | None = None
    """The running hand; None before the deal, and if the secret cannot be opened. Copy it before you change it."""
    moves: tuple[TurnEvent, ...] = ()
    """The turns of the running hand."""
    offers: tuple[int, ...] = ()
    """The seats that still have to answer the offer to have the hand dealt anew."""
    reshuffled: bool = False
    """Whether the running hand was dealt anew."""
    clock_from: datetime | None = None
    """Since when the clock runs for what the table waits for; None if no clock runs."""
    clock_spent: timedelta = timedelta()
    """How long that clock had run before a pause."""
    stands_until: datetime | None = None
    """The time before which no clock runs after the last standstill, so that the players can return."""
    closed: Literal["finished", "voided", "forfeited", "abandoned", "locked"] | None = None

    @property
    def practice(self) -> bool:
        """Whether an AI has a seat from the start, so that the table makes no match."""
        return any(seat.level is not None for seat in self.seats)

    @property
    def deserted(self) -> bool:
        """Whether only AIs play at a practice table: every player has left, is away, or let the time run out."""
        began = self.phase not in ("open", "closed")
        return began and self.practice and all(seat.played_by == "ai" for seat in self.seats)

    @property
    def ruleset(self) -> Ruleset:
        """The rules that the table plays by. Play must have begun."""
        assert self.began is not None, "before play begins the rules may still change"
        return self.began.ruleset

    @property
    def hands_ended(self) -> int:
        """Number of finished hands."""
        return 0 if self.played is None else len(self.played.hands)

    @property
    def turn(self) -> int:
        """The number of the next turn in the running hand, from 1."""
        return len(self.moves) + 1

    @property
    def unreadable(self) -> bool:
        """Whether the running hand must be dealt again: its secret cannot be opened, or a restore dropped it."""
        return self.began is not None and self.hand > 0 and self.secret is None and self.phase != "closed"

    @property
    def awaited(self) -> tuple[int, ...]:
        """The seats whose players still have to contribute to the seed."""
        return tuple(
            number
            for number, seat in enumerate(self.seats)
            if self.phase == "shuffling" and seat.played_by == "player" and self.contributions[number] is None
        )

    def seat_of(self, player: str) -> int | None:
        """The seat of a player; None if the player does not sit at the table."""
        return next((number for number, seat in enumerate(self.seats) if seat.player == player), None)

    def shuffle(self, secret: str) -> ShuffleInputs:
        """The inputs from which all deals of the running hand follow."""
        return ShuffleInputs(self.table, self.hand, bytes.fromhex(secret), contributed(self.contributions))


def contributed(contributions: tuple[str | None, ...]) -> tuple[bytes, ...]:
    """The contributions as bytes, by seat. Missing ones are zeros."""
    return tuple(bytes.fromhex(given) if given is not None else NO_CONTRIBUTION for given in contributions)


# ---------------------------------------------------------------- what it waits for


class Deadline(NamedTuple):
    """The next deadline of a table, by the clock of the database, which also dates the log."""

    at: datetime
    what: Literal["start", "contributions", "reshuffle", "turn", "pause", "hand"]
    """What is due then. `start`: the table is closed, because play has not begun. `hand`: the running hand is dropped
    and dealt again, because its secret cannot be opened."""


class AiTurn(NamedTuple):
    """It is an AI's turn: the seat, and the level of the AI."""

    seat: int
    level: Level


HANDED_OVER: Level = "heuristic"
"""The level of the AI that plays for an absent player (Cuban text, Disconnection Management: basic strategy rules)."""


def due_of(state: TableState) -> Deadline | None:
    """The deadline that the clock has to meet; None if the table waits for an AI, or for nothing."""
    if state.unreadable:
        return Deadline(state.hand_from, "hand") if state.hand_from else None
    if state.phase == "paused":
        waits = [(seat.away_since, seat.away_left) for seat in state.seats if seat.waited_for]
        return Deadline(min(since + left for since, left in waits if since is not None), "pause")
    if state.clock_from is None or state.began is None:
        return _start_of(state)
    live = state.ruleset.live
    if state.phase == "shuffling":
        return Deadline(_end(state, live.contribution_seconds), "contributions")
    if state.phase == "offering":
        return Deadline(_end(state, live.reshuffle_seconds), "reshuffle")
    return Deadline(_end(state, live.turn_seconds), "turn") if ai_to_act(state) is None else None


def ai_to_act(state: TableState) -> AiTurn | None:
    """The turn of an AI; None if it is not an AI's turn."""
    if state.phase != "playing" or state.play is None:
        return None
    seat = state.seats[state.play.to_move]
    if seat.played_by == "player":
        return None
    return AiTurn(state.play.to_move, seat.level or HANDED_OVER)


def _start_of(state: TableState) -> Deadline | None:
    """The deadline for play to begin; None once play has begun, and for a closed table."""
    if state.phase != "open" or state.opening is None or state.opened_at is None:
        return None
    return Deadline(state.opened_at + timedelta(seconds=state.opening.gathering_seconds), "start")


def _end(state: TableState, seconds: int) -> datetime:
    assert state.clock_from is not None, "a clock runs"
    return state.clock_from + timedelta(seconds=seconds) - state.clock_spent


def present(state: TableState) -> list[str]:
    """The players who are connected and play their own seats. The clock watches whether they go away."""
    return [
        seat.player
        for seat in state.seats
        if seat.player is not None and seat.played_by == "player" and seat.away_since is None
    ]


def away(state: TableState) -> list[str]:
    """The players whose connection is lost, including those for whom an AI plays therefore. They may come back."""
    return [
        seat.player
        for seat in state.seats
        if seat.player is not None and (seat.away_since is not None or seat.handed_over == "away")
    ]


# ---------------------------------------------------------------- what each viewer may know


class HandView(Struct, frozen=True):
    """The running hand as a seat or a spectator sees it."""

    number: int
    commitment: str
    """SHA-256 of the secret, in hexadecimal."""
    contributions: tuple[str | None, ...]
    """What each seat added to the seed, by seat, in hexadecimal."""
    starting_draw: tuple[Tile, ...] | None
    """The newest starting draw before the first hand, by seat; None in later hands."""
    attempt: int | None
    """The number of the shuffle that was dealt; None before the deal."""
    reshuffled: bool
    offers: tuple[int, ...]
    """The seats that still have to answer the offer to have the hand dealt anew."""
    turn: int
    """The number of the next turn, from 1."""
    moves: tuple[TilePlayed | TileDrawn | TurnPassed, ...]
    seen: SeenHand | None
    """What the viewer sees of the tiles; None before the deal."""


class TableView(Struct, frozen=True):
    """A live table as one seat sees it, or as a spectator sees it if `seat` is None."""

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
    played: MatchFacts | None
    """The facts of the finished hands."""
    hand: HandView | None
    closed: str | None


class SeenEvent(Struct, frozen=True):
    """An event without what stays hidden from the viewer."""

    event: TableEvent
    tiles: tuple[Tile, ...] = ()
    """The tiles that the event gave to the viewer's own seat: by a deal, or by a draw."""


def view_of(state: TableState, seat: int | None) -> TableView:
    """A table as a seat sees it, or as a spectator sees it if `seat` is None."""
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
    """An event as a seat sees it, or as a spectator sees it if `seat` is None. `after`: the table right after it."""
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


def plays_of(state: TableState, seat: int) -> tuple[Play, ...]:
    """The plays that `play_tile` accepts from a seat now, each with the tile as it would lie.

    If a paused table waits only for this player, a play brings the player back.
    """
    play = state.play
    if play is None or play.to_move != seat:
        return ()
    waited_for = [number for number, other in enumerate(state.seats) if other.waited_for]
    goes_on = state.phase == "paused" and waited_for == [seat]
    return play.legal_plays() if state.phase == "playing" or goes_on else ()


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
