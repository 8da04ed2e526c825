"""How long the review of a hand takes."""

from __future__ import annotations

import time

from league.ai.matches import LATER_HAND, chooser, play_hand, single_hand
from league.domain.transcript import Transcript
from league.review.decisions import TranscribedHand
from league.review.hand import review_hand
from league.rulebook import shipped_edition
from tests.bench.measure import say

HANDS = 6
WANTED = {"dominican-200": 15, "cuban-150": 60}
"""Seconds of CPU by ruleset; a third of that is the aim."""


def bench_reviews(hands: int = HANDS) -> None:
    """Print the seconds of CPU of a hand of four seats, on average and at most."""
    say("review of a hand       ruleset   mean s    most s   wanted s")
    for ruleset, wanted in WANTED.items():
        taken = [seconds_of(ruleset, number) for number in range(hands)]
        say(f"{ruleset:>30}{sum(taken) / hands:>9.1f}{max(taken):>10.1f}{wanted:>11}")
    say("")


def seconds_of(ruleset: str, number: int) -> float:
    """Seconds of CPU of the review of a hand that the heuristic has played."""
    rules = shipped_edition(1).rulesets[ruleset]
    hand = single_hand(rules, 4, 1, number)
    dealt = tuple(tuple(hand.tiles.of_mask(held)) for held in hand.held)
    play_hand(hand, "2v2", [chooser("heuristic", seat) for seat in range(4)], (0, 0), LATER_HAND)
    played = TranscribedHand(Transcript(dealt, tuple(hand.turns)), rules, "2v2", LATER_HAND, (0, 0))
    began = time.process_time()
    review_hand(played)
    return time.process_time() - began
