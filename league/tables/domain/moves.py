"""Decides the moves of a hand: who may play which tile in which turn, and the answer to a late or repeated move."""

from league.domain.play import End, HandInPlay, Play
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.tiles import Tile, ordered
from league.tables.domain.commands import PlayAsAI, PlayTile
from league.tables.domain.events import SeatBack, TableEvent, TileDrawn, TilePlayed
from league.tables.domain.refusals import HandIsOver, NotSeated, NotYourTurn, TurnTaken, sealed
from league.tables.domain.state import TableState, TurnEvent
from league.tables.domain.unfolding import Unfolding
from league.tables.domain.wrong_states import (
    NotDealtYet,
    PlayNotBegun,
    ReshuffleIsOffered,
    TableIsClosed,
    TableIsPaused,
)


def play_tile(command: PlayTile, table: Unfolding) -> list[TableEvent]:
    """A player plays a tile. A player for whom an AI plays takes the seat back with it.

    Raises NotSeated, HandIsOver, TurnTaken, NotYourTurn, TileNotHeld, TileDoesNotFit, InvalidInput, WrongState.
    """
    seat = table.state.seat_of(command.player)
    if seat is None:
        raise NotSeated(table.state.table)
    check_turn(table.state, command.hand, command.turn)
    acting = table.state.seats[seat]
    if acting.played_by == "ai" or acting.away_since is not None:
        table.add(SeatBack(seat))
    play = _play_of(table.state, seat)
    tile = as_it_lies(play, command.tile, command.end)
    play.copy().play(tile, command.end)  # refuses a tile that is not held or does not fit
    table.add(TilePlayed(command.hand, command.turn, seat, tile, command.end, "player"))
    return table.settle()


def play_as_ai(command: PlayAsAI, table: Unfolding) -> list[TableEvent]:
    """An AI plays a tile for a seat that it plays.

    Raises HandIsOver, TurnTaken, NotYourTurn, TileNotHeld, TileDoesNotFit, InvalidInput, WrongState.
    """
    check_turn(table.state, command.hand, command.turn)
    play = _play_of(table.state, command.seat)
    if table.state.seats[command.seat].played_by != "ai":
        raise NotYourTurn(command.seat, play.to_move)
    tile = as_it_lies(play, command.tile, command.end)
    play.copy().play(tile, command.end)
    table.add(TilePlayed(command.hand, command.turn, command.seat, tile, command.end, "ai"))
    return table.settle()


def plays_of(state: TableState, seat: int) -> tuple[Play, ...]:
    """The plays that `play_tile` accepts of a seat now, each as it lies.

    A player whom alone a paused table waits for comes back with a play.
    """
    play = state.play
    if play is None or play.to_move != seat:
        return ()
    waited_for = [number for number, other in enumerate(state.seats) if other.waited_for]
    goes_on = state.phase == "paused" and waited_for == [seat]
    return play.legal_plays() if state.phase == "playing" or goes_on else ()


def check_turn(state: TableState, hand: int, turn: int) -> None:
    """Raise HandIsOver, TurnTaken, InvalidInput or WrongState for a move that is not for the turn to take."""
    dealt = state.phase in ("offering", "playing", "paused")
    if 1 <= hand <= state.hands_ended:
        raise HandIsOver(hand)
    if state.phase == "open":
        raise PlayNotBegun(say("table {table!r}", table=state.table), state.phase, say("play has not begun"))
    if state.phase == "closed":
        raise TableIsClosed(say("table {table!r}", table=state.table), state.phase, say("play at it is over"))
    if hand != state.hand:
        raise InvalidInput(
            "hand", say("there is no hand {hand}: the running one is hand {hand_2}", hand=hand, hand_2=state.hand)
        )
    if not dealt:
        raise NotDealtYet(say("hand {hand}", hand=hand), say("shuffled"), say("the tiles are not dealt yet"))
    if 1 <= turn < state.turn:
        raise TurnTaken(hand, turn, in_words(state.moves[turn - 1]))
    if turn != state.turn:
        raise InvalidInput(
            "turn", say("there is no turn {turn}: the next one is turn {turn_2}", turn=turn, turn_2=state.turn)
        )


def as_it_lies(play: HandInPlay, tile: Tile, end: End | None) -> Tile:
    """The tile turned so that it meets the end, if it can."""
    a, b = tile
    if (end == "left" and b != play.left) or (end == "right" and a != play.right):
        return (b, a)
    return tile


def same_move(command: PlayTile | PlayAsAI, move: TurnEvent, seat: int | None) -> bool:
    """Whether a command names the move that was made."""
    if not isinstance(move, TilePlayed):
        return False
    same = (command.hand, command.turn, seat, command.end) == (move.hand, move.turn, move.seat, move.end)
    by = "ai" if isinstance(command, PlayAsAI) else "player"
    return same and by == move.by and ordered(command.tile) == ordered(move.tile)


def in_words(move: TurnEvent) -> str:
    """What happened in a turn."""
    if isinstance(move, TileDrawn):
        return say("seat {seat} drew a tile", seat=move.seat)
    if not isinstance(move, TilePlayed):
        if move.reason == "timeout":
            return say("seat {seat} passed since its time ran out", seat=move.seat)
        return say("seat {seat} passed", seat=move.seat)
    return say(PLAYED[move.by], seat=move.seat, tile=list(move.tile))


PLAYED = {
    "player": say("seat {seat} played {tile}"),
    "clock": say("seat {seat} played {tile} since its time ran out"),
    "ai": say("seat {seat} played {tile} by the AI"),
}
"""By who chose the play."""


def _play_of(state: TableState, seat: int) -> HandInPlay:
    """The running hand, in which it must be the turn of a seat."""
    if state.phase == "paused":
        waits = ", ".join(f"seat {number}" for number, other in enumerate(state.seats) if other.waited_for)
        raise TableIsPaused(
            say("table {table!r}", table=state.table),
            say("paused"),
            say("it waits for the player at {waits}", waits=waits),
        )
    if state.phase == "offering":
        raise ReshuffleIsOffered(
            say("hand {hand}", hand=state.hand),
            say("offered for a reshuffle"),
            say("turns begin when the offer is answered"),
        )
    play = state.play
    if play is None:
        raise sealed(state.hand)
    if play.to_move != seat:
        raise NotYourTurn(seat, play.to_move)
    return play
