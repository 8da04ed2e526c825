"""The decisions of a hand that was played: each turn in which a seat could play, and what the seat saw then."""

from collections.abc import Iterator

from msgspec import Struct

from league.domain.play.dealing import leading_tile
from league.domain.play.engine import HandInPlay, Play
from league.domain.play.seen import Seen, seen_by
from league.domain.play.turn import Maker, Turn
from league.domain.rules import Mode, Ruleset
from league.domain.transcript import Transcript, dealt_hand, played_through, take_turn


class PlayedHand(Struct, frozen=True):
    """A hand with its turns, and its place in its match."""

    transcript: Transcript
    ruleset: Ruleset
    mode: Mode
    number: int = 1
    """In its match, from 1."""
    score: tuple[int, ...] | None = None
    """By side, before this hand; None in rulesets without points."""
    made_by: tuple[Maker | None, ...] = ()
    """By turn, who chose it, where that is known: at a live table."""


class Decision(Struct, frozen=True):
    """A turn in which a seat played a tile."""

    turn: int
    """Its place among all turns of the hand, from 0."""
    seen: Seen
    """What the seat saw before its play, with all that it could play."""
    play: Play
    """What it played."""
    before: HandInPlay
    """The hand with open tiles, before the play."""
    made_by: Maker | None = None
    """An AI or the clock, where the player did not choose it; None where that is not known."""

    @property
    def seat(self) -> int:
        """Who played."""
        assert self.seen.seat is not None, "a spectator plays nothing"
        return self.seen.seat


def decisions(hand: PlayedHand) -> Iterator[Decision]:
    """The decisions in their order, forced ones too. Raises InvalidInput where the turns break a rule."""
    played_through(hand.transcript, hand.ruleset, len(hand.transcript.dealt))  # refuses turns that break a rule
    play = dealt_hand(hand.transcript, hand.ruleset, len(hand.transcript.dealt))
    play.must_lead = must_lead(hand)
    for number, turn in enumerate(hand.transcript.plays):
        if turn.tile is not None and turn.where != "draw":
            seen = seen_by(play.to_move, play, hand.mode, hand.score, hand.number)
            made_by = hand.made_by[number] if hand.made_by else None
            yield Decision(number, seen, _played(turn), play.copy(), made_by)
        take_turn(turn, play, f"plays.{number}")


def must_lead(hand: PlayedHand) -> tuple[int, int] | None:
    """The tile that leads the first hand, where the rules name it (Caribbean text); None where the starter chooses."""
    if hand.number > 1 or hand.ruleset.first_starter != "highest_double":
        return None
    starter, tile = leading_tile(hand.transcript.dealt)
    first = hand.transcript.plays[0]
    return tile if (first.seat, _ordered(first.tile)) == (starter, _ordered(tile)) else None


def _ordered(tile: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if tile is None else (min(tile), max(tile))


def _played(turn: Turn) -> Play:
    assert turn.tile is not None, "a tile was played"
    assert turn.where in {None, "left", "right"}, "it was played on an end"
    return Play(turn.tile, turn.where)
