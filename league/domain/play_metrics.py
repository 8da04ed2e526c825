"""How a hand was played, turn by turn: what is counted for each seat, at live tables and in recorded hands alike.

These are the "advanced metrics" of the Cuban text, Stat Tracking.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from league.domain.hand import Held, held_pips
from league.domain.play.turn import Turn
from league.domain.tiles import Tile, ordered
from league.domain.transcript import Transcript


class CountedTurn(Struct, frozen=True, gc=False):
    """A turn of a hand, and how long the player thought about it."""

    seat: int
    what: Literal["play", "draw", "pass", "timeout"]
    """`timeout`: a pass that the clock made."""
    tile: Tile | None = None
    """The one that was played."""
    milliseconds: int | None = None
    """How long the player took to play; None where it is not known, and where the player did not choose."""


class SeatPlay(Struct, frozen=True, gc=False):
    """What is counted for a seat in one hand."""

    turns: int
    """Plays and passes, those by the clock too. A draw is part of the turn in which it is made."""
    passes: int
    """Passes for want of a tile that fits."""
    passes_caused: int
    """Plays after which the next seat passed for want of a tile that fits."""
    timed: int
    """Plays whose time is known."""
    milliseconds: int
    """The sum of these times."""
    led: Tile | None
    """The tile with which the seat led the hand, if it did."""
    closed_by: Literal["domino", "block"] | None
    """How the hand ended, if the seat played its last tile."""
    pips: int | None
    """What the seat held at the end; None where it is not known."""


def transcribed(turns: Sequence[Turn]) -> list[CountedTurn]:
    """The turns of a transcript, which has no times."""
    return [_taken(turn) for turn in turns]


def _taken(turn: Turn) -> CountedTurn:
    if turn.tile is None:
        return CountedTurn(turn.seat, "timeout" if turn.where == "timeout" else "pass")
    return CountedTurn(turn.seat, "draw") if turn.where == "draw" else CountedTurn(turn.seat, "play", turn.tile)


def left_of(transcript: Transcript) -> tuple[Held, ...]:
    """The tiles that each seat of a transcript holds at its end."""
    held = [{ordered(tile) for tile in hand} for hand in transcript.dealt]
    for turn in transcript.plays:
        if turn.tile is not None:
            held[turn.seat] ^= {ordered(turn.tile)}  # drawn or played
    return tuple(tuple(sorted(hand)) for hand in held)


def play_of_seats(turns: Sequence[CountedTurn], leftover: Sequence[Held]) -> tuple[SeatPlay, ...]:
    """What is counted for each seat of a finished hand. `leftover`: by seat, what it holds at the end."""
    taken = [turn for turn in turns if turn.what != "draw"]
    plays = [turn for turn in taken if turn.what == "play"]
    caused = [turn.seat for turn, after in pairwise(taken) if turn.what == "play" and after.what == "pass"]
    return tuple(
        SeatPlay(
            turns=sum(turn.seat == seat for turn in taken),
            passes=sum(turn.seat == seat and turn.what == "pass" for turn in taken),
            passes_caused=caused.count(seat),
            timed=sum(turn.seat == seat and turn.milliseconds is not None for turn in plays),
            milliseconds=sum(turn.milliseconds or 0 for turn in plays if turn.seat == seat),
            led=plays[0].tile if plays[0].seat == seat else None,
            closed_by=None if plays[-1].seat != seat else "block" if held else "domino",
            pips=held_pips(held),
        )
        for seat, held in enumerate(leftover)
    )
