"""The transcript of a hand, turn by turn: checks it by the rules, derives the facts, and counts metrics of each seat.

The counts are the "advanced metrics" of the Cuban text, Stat Tracking, for live tables and for recorded hands.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from league.domain.hand import HandFacts, Held, has_boneyard, held_pips
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.play import HandInPlay, Turn
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.sentences import say
from league.domain.tiles import SETS, Tile, full_set, ordered


class Transcript(Struct, frozen=True):
    """The tiles dealt by seat, and every turn."""

    dealt: tuple[tuple[Tile, ...], ...]
    plays: tuple[Turn, ...]


def derive_facts(transcript: Transcript, ruleset: Ruleset, seats: int) -> HandFacts:
    """Play the transcript and return the facts of the hand.

    Raises InvalidInput for the first turn that the rules do not allow, or if the hand is not over at the end.
    """
    return played_through(transcript, ruleset, seats).facts()


def played_through(transcript: Transcript, ruleset: Ruleset, seats: int) -> HandInPlay:
    """The hand of a transcript, played to its end. Raises InvalidInput, as `derive_facts`."""
    hand = dealt_hand(transcript, ruleset, seats)
    for number, turn in enumerate(transcript.plays):
        take_turn(turn, hand, f"plays.{number}")
    if not transcript.plays:
        raise InvalidInput("plays", say("no turn was taken"))
    if not hand.is_over and hand.unplayed & hand.fitting:
        raise InvalidInput("plays", say("the hand is not over: no seat went out, and one can still move"))
    if not hand.is_over:
        raise InvalidInput("plays", say("the hand is not blocked before the boneyard is empty"))
    return hand


def dealt_hand(transcript: Transcript, ruleset: Ruleset, seats: int) -> HandInPlay:
    """The hand of a transcript before its first turn. Raises InvalidInput for an impossible deal."""
    dealt = _dealt(transcript.dealt, ruleset, seats)
    asleep = full_set(ruleset.set).difference(*dealt) if has_boneyard(ruleset, seats) else ()
    starter = transcript.plays[0].seat if transcript.plays else 0
    return HandInPlay(ruleset, dealt, starter, sorted(asleep))


def take_turn(turn: Turn, hand: HandInPlay, at: str) -> None:
    """Apply a turn of a transcript to a hand; `at` is the path of the turn in refusals. Raises InvalidInput.

    Passes after a block are allowed, since some programs record them.
    """
    if hand.is_over and not all(hand.held):
        raise InvalidInput(at, say("seat {value} had gone out", value=hand.held.index(0)))
    if not 0 <= turn.seat < hand.seats:
        raise InvalidInput(f"{at}.seat", say("there is no seat {seat}", seat=turn.seat))
    if turn.seat != hand.to_move:
        raise InvalidInput(
            f"{at}.seat",
            say("it was the turn of seat {to_move}, not of seat {seat}", to_move=hand.to_move, seat=turn.seat),
        )
    if turn.tile is None:
        _pass(turn, hand, at)
    elif turn.where == "draw":
        _draw(turn.seat, turn.tile, hand, at)
    else:
        _play(turn, turn.tile, hand, at)


def _play(turn: Turn, tile: Tile, hand: HandInPlay, at: str) -> None:
    if turn.where not in (None, "left", "right"):
        raise InvalidInput(f"{at}.where", say("a tile is played on the left or on the right end"))
    try:
        hand.play(tile, turn.where)
    except TileNotHeld as refused:
        raise InvalidInput(f"{at}.tile", refused.sentence) from None
    except TileDoesNotFit as refused:
        field = "where" if refused.shows is None else "tile"
        raise InvalidInput(f"{at}.{field}", refused.sentence) from None


def _draw(seat: int, tile: Tile, hand: HandInPlay, at: str) -> None:
    if not has_boneyard(hand.ruleset, hand.seats):
        raise InvalidInput(
            at, say("no seat draws from a boneyard with {seats} seats under these rules", seats=hand.seats)
        )
    if ordered(tile) not in hand.boneyard:
        raise InvalidInput(f"{at}.tile", say("{tile} is not in the boneyard", tile=list(tile)))
    if hand.held[seat] & hand.fitting:
        raise InvalidInput(at, say("seat {seat} drew although it could play", seat=seat))
    if hand.forced == "pass":
        raise InvalidInput(at, say("seat {seat} drew twice; these rules let it draw one tile", seat=seat))
    hand.draw(tile)


def _pass(turn: Turn, hand: HandInPlay, at: str) -> None:
    if hand.ends is None:
        raise InvalidInput(at, say("the starter cannot pass before the first tile"))
    if turn.where not in (None, "timeout"):
        raise InvalidInput(f"{at}.where", say("a pass goes on no end"))
    if turn.where is None:
        if hand.held[turn.seat] & hand.fitting:
            raise InvalidInput(at, say("seat {seat} passed although it could play", seat=turn.seat))
        if hand.forced == "draw":
            raise InvalidInput(at, say("seat {seat} passed although it could draw", seat=turn.seat))
    hand.pass_turn(by_clock=turn.where == "timeout")


def _dealt(dealt: tuple[tuple[Tile, ...], ...], ruleset: Ruleset, seats: int) -> list[list[Tile]]:
    if len(dealt) != seats:
        raise InvalidInput(
            "dealt", say("there must be {seats} hands, one for each seat, not {count}", seats=seats, count=len(dealt))
        )
    seen: dict[Tile, str] = {}
    for seat, hand in enumerate(dealt):
        if len(hand) != ruleset.tiles_each:
            of = {"seat": seat, "tiles_each": ruleset.tiles_each, "count": len(hand)}
            raise InvalidInput(f"dealt.{seat}", say("seat {seat} is dealt {tiles_each} tiles, not {count}", **of))
        for number, tile in enumerate(hand):
            at = f"dealt.{seat}.{number}"
            if ordered(tile) not in full_set(ruleset.set):
                raise InvalidInput(
                    at, say("there is no tile {tile} in a {set} set", tile=list(tile), set=SETS[ruleset.set])
                )
            if ordered(tile) in seen:
                twice = {"tile": list(tile), "seen": seen[ordered(tile)]}
                raise InvalidInput(at, say("the tile {tile} is named twice, here and at {seen}", **twice))
            seen[ordered(tile)] = at
    return [[ordered(tile) for tile in hand] for hand in dealt]


# ---------------------------------------------------------------- counts


class CountedTurn(Struct, frozen=True, gc=False):
    """A turn of a hand, and how long the player thought about it."""

    seat: int
    what: Literal["play", "draw", "pass", "timeout"]
    """`timeout`: a pass that the clock made."""
    tile: Tile | None = None
    """The tile that was played."""
    milliseconds: int | None = None
    """The time that the player took to play; None if it is not known, or if the player did not choose the play."""


class SeatPlay(Struct, frozen=True, gc=False):
    """The counts for a seat in one hand."""

    turns: int
    """Plays and passes, including passes by the clock. A draw is part of the turn in which it is made."""
    passes: int
    """Passes because no tile fitted."""
    passes_caused: int
    """Plays after which the next seat passed because no tile fitted."""
    timed: int
    """Plays whose time is known."""
    milliseconds: int
    """The sum of the known times."""
    led: Tile | None
    """The tile with which the seat led the hand, if it did."""
    closed_by: Literal["domino", "block"] | None
    """How the hand ended, if the seat played its last tile."""
    pips: int | None
    """The pips that the seat held at the end; None if not known."""


def transcribed(turns: Sequence[Turn]) -> list[CountedTurn]:
    """The turns of a transcript for counting. A transcript has no times."""
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
    """The counts for each seat of a finished hand. `leftover`: the tiles or pips of each seat at the end."""
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
