"""Decides what the clock does: deadlines, players who are away or back, and times in which no server was alive."""

from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.tables.domain.commands import MeetDeadline, NoteAway, NoteBack, NoteStandstill
from league.tables.domain.deadlines import due_of
from league.tables.domain.events import (
    ClockStood,
    ReshuffleDeclined,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    TableClosed,
    TableEvent,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.moves import as_it_lies
from league.tables.domain.refusals import NothingDue, NotSeated
from league.tables.domain.unfolding import Unfolding


def meet_deadline(command: MeetDeadline, table: Unfolding) -> list[TableEvent]:
    """Do what is due at the deadline that the command names. Raises NothingDue where the table has another one."""
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


def _waited_enough(command: MeetDeadline, table: Unfolding) -> None:
    """An AI takes the seats of those who are away for too long (Cuban text, Disconnection Management)."""
    for number, seat in enumerate(table.state.seats):
        since = seat.away_since if seat.waited_for else None
        if since is not None and since + seat.away_left <= command.due_at:
            table.add(SeatHandedOver(number, "away"))


def _time_ran_out(command: MeetDeadline, table: Unfolding) -> None:
    """The player has not moved in time (Cuban text, Turn Timer). The first tile of a hand is always played."""
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


def note_away(command: NoteAway, table: Unfolding) -> list[TableEvent]:
    """The player's connection is lost; an AI takes the seat at once where the table has waited long enough before.

    No event where that is known, before play begins, and where an AI plays the seat. Raises NotSeated.
    """
    state = table.state
    number = state.seat_of(command.player)
    if number is None:
        raise NotSeated(state.table)
    seat = state.seats[number]
    if state.phase in ("open", "closed") or seat.played_by == "ai" or seat.away_since is not None:
        return []
    table.add(SeatAway(number))
    if not seat.away_left:
        table.add(SeatHandedOver(number, "away"))
    return table.settle()


def note_back(command: NoteBack, table: Unfolding) -> list[TableEvent]:
    """The player is connected again, and plays the seat again if it was lost with the connection.

    No event for a player who was not away: one who left, or let time run out, comes back by acting. Raises NotSeated.
    """
    state = table.state
    number = state.seat_of(command.player)
    if number is None:
        raise NotSeated(state.table)
    seat = state.seats[number]
    if state.phase in ("open", "closed") or (seat.away_since is None and seat.handed_over != "away"):
        return []
    table.add(SeatBack(number))
    return table.settle()


def note_standstill(command: NoteStandstill, table: Unfolding) -> list[TableEvent]:
    """No server was alive: the clocks stood still. No event where no clock runs. Raises InvalidInput."""
    if command.until <= command.since:
        raise InvalidInput("until", say("a standstill ends after it begins"))
    if table.state.phase in ("open", "closed"):
        return []
    table.add(ClockStood(command.since, command.until))
    return table.settle()
