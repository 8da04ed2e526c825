"""Hands that the AI has played, to be reviewed."""

from __future__ import annotations

from league.ai.matches import LATER_HAND, chooser, play_hand, single_hand
from league.domain.play import Level, Turn
from league.domain.rules import Mode
from league.domain.transcript import Transcript
from league.review.decisions import TranscribedHand
from league.rulebook import shipped_edition

RULESETS = shipped_edition(1).rulesets


def played_hand(
    number: int, ruleset: str = "dominican-200", mode: Mode = "2v2", seats: int = 4, level: Level = "random"
) -> TranscribedHand:
    """A hand of a seed, played by one level on all seats."""
    rules = RULESETS[ruleset]
    hand = single_hand(rules, seats, 7, number)
    dealt = tuple(tuple(hand.tiles.of_mask(held)) for held in hand.held)
    sides = 2 if mode == "2v2" else seats
    score = (0,) * sides
    play_hand(hand, mode, [chooser(level, seat, 20) for seat in range(seats)], score, LATER_HAND)
    return TranscribedHand(Transcript(dealt, tuple(hand.turns)), rules, mode, LATER_HAND, score)


def turned(hand: TranscribedHand, by: int) -> TranscribedHand:
    """Rotate the seats of a hand: seat 0 becomes seat `by`. Sides stay whole if `by` is even."""
    dealt, seats = hand.transcript.dealt, len(hand.transcript.dealt)
    turns = tuple(Turn((turn.seat + by) % seats, turn.tile, turn.where) for turn in hand.transcript.plays)
    transcript = Transcript((*dealt[-by:], *dealt[:-by]), turns)
    return TranscribedHand(transcript, hand.ruleset, hand.mode, hand.number, hand.score)
