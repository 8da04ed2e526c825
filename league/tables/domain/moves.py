"""Decides on commands in a hand: those of the shuffle, moves, and commands of the clock.

The clock meets deadlines. It also notes players who are away or back, and standstills in which no server was alive.
"""

import re

from league.domain.dealing import SECRET_BYTES
from league.domain.play import End, HandInPlay
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.domain.tiles import Tile, ordered
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    ClockStood,
    ContributeSeed,
    MeetDeadline,
    NoteAway,
    NoteBack,
    NoteStandstill,
    PlayAsAI,
    PlayTile,
    ReshuffleAccepted,
    ReshuffleDeclined,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    SeedContributed,
    TableClosed,
    TableEvent,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.evolve import WorkingTable
from league.tables.domain.refusals import (
    HandIsDealt,
    HandIsOver,
    NoReshuffleOffered,
    NotDealtYet,
    NothingDue,
    NotYourTurn,
    PlayNotBegun,
    ReshuffleIsOffered,
    SeedIsAnother,
    TableIsClosed,
    TableIsPaused,
    TurnTaken,
    named,
    sealed,
)
from league.tables.domain.state import TableState, TurnEvent, due_of

# ---------------------------------------------------------------- the shuffle

_CONTRIBUTION = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")


def contribute_seed(command: ContributeSeed, table: WorkingTable) -> list[TableEvent]:
    """Add a player's contribution to the seed of a hand. The hand is dealt when all players have contributed.

    No event if the same contribution is sent again. Raises NotSeated, HandIsOver, InvalidInput, WrongState.
    """
    state = table.state
    seat = table.seat_of(command.player)
    _check_hand(state, command.hand)
    if not _CONTRIBUTION.fullmatch(command.contribution):
        raise InvalidInput(
            "contribution", say("must be {secret_bytes} bytes in hexadecimal, in lower case", secret_bytes=SECRET_BYTES)
        )
    given = state.contributions[seat] if seat < len(state.contributions) else None
    if given == command.contribution:
        return []
    if given is not None:
        raise SeedIsAnother(
            say("seat {seat}", seat=seat),
            say("done"),
            say("it has added something else to the seed of hand {hand}", hand=command.hand),
        )
    if state.unreadable:
        raise sealed(command.hand)
    if state.phase != "shuffling":
        raise HandIsDealt(say("hand {hand}", hand=command.hand), say("dealt"), say("it is too late to add to its seed"))
    table.add(SeedContributed(command.hand, seat, command.contribution))
    return table.settle()


def answer_reshuffle(command: AnswerReshuffle, table: WorkingTable) -> list[TableEvent]:
    """Deal the hand anew, or keep the tiles, as a player with many doubles chooses (Cuban text, Reshuffling).

    Raises NotSeated, HandIsOver, InvalidInput, WrongState.
    """
    state = table.state
    seat = table.seat_of(command.player)
    _check_hand(state, command.hand)
    if seat not in state.offers:
        reason = say("no reshuffle is offered to this seat, or the offer is over")
        raise NoReshuffleOffered(
            say("hand {hand}", hand=command.hand),
            say("shuffled") if state.phase == "shuffling" else say("dealt"),
            reason,
        )
    if state.unreadable:
        raise sealed(command.hand)
    if command.accept:
        table.add(ReshuffleAccepted(command.hand, seat))
        table.deal_anew()
    else:
        table.add(ReshuffleDeclined(command.hand, seat, "player"))
    return table.settle()


def _check_hand(state: TableState, hand: int) -> None:
    """Raise HandIsOver, InvalidInput or WrongState unless this is the running hand."""
    if state.phase == "open":
        raise PlayNotBegun(named(state.table), say("open"), say("play has not begun"))
    if 1 <= hand <= state.hands_ended:
        raise HandIsOver(hand)
    if state.phase == "closed":
        raise TableIsClosed(named(state.table), say("closed"), say("play at it is over"))
    if hand != state.hand:
        raise InvalidInput(
            "hand", say("there is no hand {hand}: the running one is hand {hand_2}", hand=hand, hand_2=state.hand)
        )


# ---------------------------------------------------------------- the moves


def play_tile(command: PlayTile, table: WorkingTable) -> list[TableEvent]:
    """Play a tile for a player. If an AI was playing for the player, the player takes the seat back.

    Raises NotSeated, HandIsOver, TurnTaken, NotYourTurn, TileNotHeld, TileDoesNotFit, InvalidInput, WrongState.
    """
    seat = table.seat_of(command.player)
    check_turn(table.state, command.hand, command.turn)
    acting = table.state.seats[seat]
    if acting.played_by == "ai" or acting.away_since is not None:
        table.add(SeatBack(seat))
    play = _play_of(table.state, seat)
    tile = as_it_lies(play, command.tile, command.end)
    play.copy().play(tile, command.end)  # refuses a tile that is not held or does not fit
    table.add(TilePlayed(command.hand, command.turn, seat, tile, command.end, "player"))
    return table.settle()


def play_as_ai(command: PlayAsAI, table: WorkingTable) -> list[TableEvent]:
    """Play a tile for a seat that an AI plays.

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


def check_turn(state: TableState, hand: int, turn: int) -> None:
    """Raise HandIsOver, TurnTaken, InvalidInput or WrongState unless a move is for the next turn."""
    _check_hand(state, hand)
    if state.phase == "shuffling":
        raise NotDealtYet(say("hand {hand}", hand=hand), say("shuffled"), say("the tiles are not dealt yet"))
    if 1 <= turn < state.turn:
        raise TurnTaken(hand, turn, in_words(state.moves[turn - 1]))
    if turn != state.turn:
        raise InvalidInput(
            "turn", say("there is no turn {turn}: the next one is turn {turn_2}", turn=turn, turn_2=state.turn)
        )


def as_it_lies(play: HandInPlay, tile: Tile, end: End | None) -> Tile:
    """The tile, turned so that it fits the end if it can."""
    a, b = tile
    if (end == "left" and b != play.left) or (end == "right" and a != play.right):
        return (b, a)
    return tile


def same_move(command: PlayTile | PlayAsAI, move: TurnEvent, seat: int | None) -> bool:
    """Whether a command asks for exactly the move that was made in its turn."""
    if not isinstance(move, TilePlayed):
        return False
    same = (command.hand, command.turn, seat, command.end) == (move.hand, move.turn, move.seat, move.end)
    by = "ai" if isinstance(command, PlayAsAI) else "player"
    return same and by == move.by and ordered(command.tile) == ordered(move.tile)


def in_words(move: TurnEvent) -> str:
    """A clause that says what happened in a turn."""
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
"""The clause for a play, by who chose it."""


def _play_of(state: TableState, seat: int) -> HandInPlay:
    """The running hand. Raises a refusal unless it is the turn of this seat."""
    if state.phase == "paused":
        waits = ", ".join(f"seat {number}" for number, other in enumerate(state.seats) if other.waited_for)
        raise TableIsPaused(
            named(state.table),
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


# ---------------------------------------------------------------- the clock


def meet_deadline(command: MeetDeadline, table: WorkingTable) -> list[TableEvent]:
    """Do what is due at the deadline that the command names. Raises NothingDue if the table has another deadline."""
    state = table.state
    due = due_of(state)
    if due is None or due.at != command.due_at:
        raise NothingDue(state.table, command.due_at, due and due.at)
    match due.what:
        case "start":
            table.add(TableClosed("abandoned"))
        case "hand":
            table.redeal()
        case "contributions":
            table.deal()
        case "reshuffle":
            for seat in state.offers:
                table.add(ReshuffleDeclined(state.hand, seat, "clock"))
        case "turn":
            _time_ran_out(command, table)
        case "pause":
            _waited_enough(command, table)
    assert table.events, "a deadline that is met is over"
    return table.settle()


def _waited_enough(command: MeetDeadline, table: WorkingTable) -> None:
    """Hand the seats of players who are away for too long to an AI (Cuban text, Disconnection Management)."""
    for number, seat in enumerate(table.state.seats):
        since = seat.away_since if seat.waited_for else None
        if since is not None and since + seat.away_left <= command.due_at:
            table.add(SeatHandedOver(number, "away"))


def _time_ran_out(command: MeetDeadline, table: WorkingTable) -> None:
    """Pass or play for a player who has not moved in time (Cuban text, Turn Timer).

    The first tile of a hand is always played.
    """
    state, play = table.state, table.state.play
    assert play is not None, "turns have deadlines only in a hand that is open"
    seat, live = play.to_move, state.ruleset.live
    if play.ends is None or live.on_timeout == "play":
        if command.play is None:
            raise InvalidInput("play", say("the clock has to play a tile in this turn, so it has to be chosen"))
        tile, end = command.play
        tile = as_it_lies(play, tile, end)
        play.copy().play(tile, end)
        table.add(TilePlayed(state.hand, state.turn, seat, tile, end, "clock"))
    else:
        table.add(TurnPassed(state.hand, state.turn, seat, "timeout"))
    if table.state.seats[seat].timeouts >= live.timeouts_before_ai:
        table.add(SeatHandedOver(seat, "timeouts"))


def note_away(command: NoteAway, table: WorkingTable) -> list[TableEvent]:
    """Note that a player's connection is lost. If no waiting time is left for the player, an AI takes the seat at once.

    No event if this is already noted, before play begins, or if an AI plays the seat. Raises NotSeated.
    """
    state = table.state
    number = table.seat_of(command.player)
    seat = state.seats[number]
    if state.phase in ("open", "closed") or seat.played_by == "ai" or seat.away_since is not None:
        return []
    table.add(SeatAway(number))
    if not seat.away_left:
        table.add(SeatHandedOver(number, "away"))
    return table.settle()


def note_back(command: NoteBack, table: WorkingTable) -> list[TableEvent]:
    """Note that a player is connected again, and give back a seat that was lost with the connection.

    No event for a player who was not away. A player who left, or whose time ran out, comes back by acting. Raises
    NotSeated.
    """
    state = table.state
    number = table.seat_of(command.player)
    seat = state.seats[number]
    if state.phase in ("open", "closed") or (seat.away_since is None and seat.handed_over != "away"):
        return []
    table.add(SeatBack(number))
    return table.settle()


def note_standstill(command: NoteStandstill, table: WorkingTable) -> list[TableEvent]:
    """Note that no server was alive, so that the clocks stood still. No event if no clock runs. Raises InvalidInput."""
    if command.until <= command.since:
        raise InvalidInput("until", say("a standstill ends after it begins"))
    if table.state.phase in ("open", "closed"):
        return []
    table.add(ClockStood(command.since, command.until))
    return table.settle()
