"""Levels compared: single hands, on request each deal with every exchange of the sides."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from league.ai.levels import choose
from league.ai.matches import LATER_HAND, Chooser, play_hand, single_hand
from league.domain.hand import Before
from league.domain.play import Level
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore, score_hand
from league.domain.seating import FULL_TABLE, side_of


class Contest(NamedTuple):
    """Who plays what against whom."""

    ruleset: Ruleset
    mode: Mode
    levels: tuple[Level, ...]
    """One for each side."""
    mirrored: bool
    """Whether each deal is played once for each way to pass the levels on around the sides."""
    seed: int
    samples: int | None = None

    @property
    def hands_a_deal(self) -> int:
        """How many times a deal is played."""
        return len(self.levels) if self.mirrored else 1


class DealResult(NamedTuple):
    """What the hands of one deal gave, by level in the order of the contest."""

    won: tuple[int, ...]
    points: tuple[int, ...]


class Tally(NamedTuple):
    """The outcome of a contest; lists are by level in its order."""

    hands: int
    won: list[int]
    points: list[int]
    interval: tuple[float, float] | None
    """Where the first level's share of the hands that somebody won lies: the mean over deals and 1.96 standard errors
    to either side. None with fewer than two such deals."""


def play_deal(contest: Contest, number: int) -> DealResult:
    """Play one deal of a contest, as often as it asks for."""
    won, points = [0] * len(contest.levels), [0] * len(contest.levels)
    for turned in range(contest.hands_a_deal):
        levels = contest.levels[turned:] + contest.levels[:turned]
        hand = _hand(contest, levels, number)
        for side, gained in enumerate(hand.points):
            points[(side + turned) % len(levels)] += gained
        if hand.winner is not None:
            won[(hand.winner + turned) % len(levels)] += 1
    return DealResult(tuple(won), tuple(points))


def tally(contest: Contest, results: Sequence[DealResult]) -> Tally:
    """Add up the deals of a contest."""
    won = [sum(result.won[level] for result in results) for level in range(len(contest.levels))]
    points = [sum(result.points[level] for result in results) for level in range(len(contest.levels))]
    shares = [result.won[0] / sum(result.won) for result in results if any(result.won)]
    return Tally(len(results) * contest.hands_a_deal, won, points, interval_of(shares))


def interval_of(shares: Sequence[float]) -> tuple[float, float] | None:
    """The mean minus and plus 1.96 standard errors; None with fewer than two shares."""
    if len(shares) < 2:  # noqa: PLR2004  # one share has no error
        return None
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
    error = 1.96 * sqrt(variance / len(shares))
    return mean - error, mean + error


def _hand(contest: Contest, levels: Sequence[Level], number: int) -> HandScore:
    """Play one hand of a deal, a level on each side; what it scores."""
    ruleset, mode = contest.ruleset, contest.mode
    seats = len(levels) if mode != "2v2" else FULL_TABLE
    play = single_hand(ruleset, seats, contest.seed, number)
    score = (0,) * len(levels)
    # A seed for each seat, but not for each level: so a level that plays itself plays the same hand twice.
    choosers = [
        chooser(levels[side_of(seat, mode)], seat_seed(contest.seed, number, seat), contest.samples)
        for seat in range(seats)
    ]
    play_hand(play, mode, choosers, score, LATER_HAND)
    return score_hand(play.facts(), ruleset, mode, Before(LATER_HAND, score, play.starter))


def chooser(level: Level, seed: int, samples: int | None = None) -> Chooser:
    """A level in a seat."""
    return lambda seen: choose(seen, level, seed, samples)


def seat_seed(seed: int, hand: int, seat: int) -> int:
    """A seed for one seat and hand, so that no two make the same random choices."""
    return (seed * 1_000_003 + hand) * FULL_TABLE + seat
