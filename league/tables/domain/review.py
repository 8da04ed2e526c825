"""The finished hands of a table, read from its events: whole, since nothing of them is secret any more."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

from league.domain.play import Maker, TakenTurn
from league.domain.tiles import Tile
from league.tables.domain.events import (
    HandDealt,
    HandEnded,
    PlayBegan,
    ShuffleCommitted,
    StartingDrawn,
    TableEvent,
    TableOpened,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.proof_of_deal import ProofOfDeal, proof_of_deal


class Happened(Struct, frozen=True):
    """An event of a table, its position in the log and its time."""

    position: int
    at: datetime
    event: TableEvent


class FinishedHand(Struct, frozen=True):
    """A hand that has ended: how it was shuffled, what was dealt, and each turn."""

    proof: ProofOfDeal
    turns: tuple[TakenTurn, ...]
    dealt_at: datetime
    """For the last time, if there was a reshuffle."""
    ended_at: datetime


def finished_hands(table: str, happened: Iterable[Happened]) -> Iterator[FinishedHand]:
    """The hands of a table that have ended, in order. A hand that was dropped is not among them."""
    opening: TableOpened | None = None
    began: PlayBegan | None = None
    hand: list[Happened] = []
    drawn: tuple[Tile, ...] | None = None
    for one in happened:
        match one.event:
            case TableOpened():
                opening = one.event
            case PlayBegan():
                began = one.event
            case ShuffleCommitted():
                hand = []
            case StartingDrawn():
                drawn = one.event.tiles
        hand.append(one)
        if isinstance(one.event, HandEnded):
            assert opening is not None, "a table is opened first"
            assert began is not None, "play begins before a hand"
            events = [part.event for part in hand]
            proof = proof_of_deal(table, one.event.hand, opening.ruleset, began.ruleset, opening.seats, events, drawn)
            yield _finished(proof, hand)


def made_by(move: TilePlayed | TileDrawn | TurnPassed) -> Maker | None:
    """Who made a turn; None where the server drew or passed at once."""
    match move:
        case TilePlayed(by=by):
            return by
        case TurnPassed(reason="timeout"):
            return "clock"
    return None


def _finished(proof: ProofOfDeal, hand: list[Happened]) -> FinishedHand:
    moves = [(one, one.event) for one in hand if isinstance(one.event, TilePlayed | TileDrawn | TurnPassed)]
    return FinishedHand(
        proof=proof,
        turns=tuple(
            TakenTurn(number, turn, made_by(event), one.at, one.position)
            for number, (turn, (one, event)) in enumerate(zip(proof.turns, moves, strict=True), 1)
        ),
        dealt_at=[one.at for one in hand if isinstance(one.event, HandDealt)][-1],
        ended_at=hand[-1].at,
    )
