"""Decides what players add to the shuffle of a hand, and whether it is dealt anew."""

import re

from league.domain.dealing import SECRET_BYTES
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.tables.domain.commands import AnswerReshuffle, ContributeSeed
from league.tables.domain.events import ReshuffleAccepted, ReshuffleDeclined, SeedContributed, TableEvent
from league.tables.domain.refusals import HandIsOver, NotSeated, sealed
from league.tables.domain.state import TableState
from league.tables.domain.unfolding import Unfolding
from league.tables.domain.wrong_states import (
    HandIsDealt,
    NoReshuffleOffered,
    PlayNotBegun,
    SeedIsAnother,
    TableIsClosed,
)

_CONTRIBUTION = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")


def contribute_seed(command: ContributeSeed, table: Unfolding) -> list[TableEvent]:
    """A player adds to the seed of a hand; it is dealt when all have. No event for the same contribution again.

    Raises NotSeated, HandIsOver, InvalidInput, WrongState.
    """
    state = table.state
    seat = _seat_in(state, command.player, command.hand)
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


def answer_reshuffle(command: AnswerReshuffle, table: Unfolding) -> list[TableEvent]:
    """A player with many doubles has the hand dealt anew, or keeps the tiles (Cuban text, Reshuffling).

    Raises NotSeated, HandIsOver, InvalidInput, WrongState.
    """
    state = table.state
    seat = _seat_in(state, command.player, command.hand)
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


def _seat_in(state: TableState, player: str, hand: int) -> int:
    """The player's seat, if this is the running hand."""
    seat = state.seat_of(player)
    if seat is None:
        raise NotSeated(state.table)
    if state.phase == "open":
        raise PlayNotBegun(say("table {table!r}", table=state.table), say("open"), say("play has not begun"))
    if 1 <= hand <= state.hands_ended:
        raise HandIsOver(hand)
    if state.phase == "closed":
        raise TableIsClosed(say("table {table!r}", table=state.table), say("closed"), say("play at it is over"))
    if hand != state.hand:
        raise InvalidInput(
            "hand", say("there is no hand {hand}: the running one is hand {hand_2}", hand=hand, hand_2=state.hand)
        )
    return seat
