"""Decides what players add to the shuffle of a hand, and whether it is dealt anew."""

import re

from league.domain.refusals import InvalidInput, WrongState
from league.domain.table.commands import AnswerReshuffle, ContributeSeed
from league.domain.table.events import ReshuffleAccepted, ReshuffleDeclined, SeedContributed, TableEvent
from league.domain.table.refusals import HandIsOver, NotSeated, sealed
from league.domain.table.shuffle import SECRET_BYTES
from league.domain.table.state import TableState
from league.domain.table.unfolding import Unfolding

_CONTRIBUTION = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")


def contribute_seed(command: ContributeSeed, table: Unfolding) -> list[TableEvent]:
    """A player adds to the seed of a hand; it is dealt when all have. No event for the same contribution again.

    Raises NotSeated, HandIsOver, InvalidInput, WrongState.
    """
    state = table.state
    seat = _seat_in(state, command.player, command.hand)
    if not _CONTRIBUTION.fullmatch(command.contribution):
        raise InvalidInput("contribution", f"must be {SECRET_BYTES} bytes in hexadecimal, in lower case")
    given = state.contributions[seat] if seat < len(state.contributions) else None
    if given == command.contribution:
        return []
    if given is not None:
        raise WrongState(f"seat {seat}", "done", f"it has added something else to the seed of hand {command.hand}")
    if state.unreadable:
        raise sealed(command.hand)
    if state.phase != "shuffling":
        raise WrongState(f"hand {command.hand}", "dealt", "it is too late to add to its seed")
    table.add(SeedContributed(command.hand, seat, command.contribution))
    return table.settle()


def answer_reshuffle(command: AnswerReshuffle, table: Unfolding) -> list[TableEvent]:
    """A player with many doubles has the hand dealt anew, or keeps the tiles (Cuban text, Reshuffling).

    Raises NotSeated, HandIsOver, InvalidInput, WrongState.
    """
    state = table.state
    seat = _seat_in(state, command.player, command.hand)
    if seat not in state.offers:
        reason = "no reshuffle is offered to this seat, or the offer is over"
        raise WrongState(f"hand {command.hand}", "shuffled" if state.phase == "shuffling" else "dealt", reason)
    if state.unreadable:
        raise sealed(command.hand)
    if command.accept:
        table.add(ReshuffleAccepted(command.hand, seat))
        table.deal_anew()
    else:
        table.add(ReshuffleDeclined(command.hand, seat, "player"))
    return table.settle()


def _seat_in(state: TableState, player: str, hand: int) -> int:
    """The player's seat, if this is the running hand."""
    seat = state.seat_of(player)
    if seat is None:
        raise NotSeated(state.table)
    if state.phase == "open":
        raise WrongState(f"table {state.table!r}", "open", "play has not begun")
    if 1 <= hand <= state.hands_ended:
        raise HandIsOver(hand)
    if state.phase == "closed":
        raise WrongState(f"table {state.table!r}", "closed", "play at it is over")
    if hand != state.hand:
        raise InvalidInput("hand", f"there is no hand {hand}: the running one is hand {state.hand}")
    return seat
