"""Plays hands and matches in this process, without a table or a database, and compares levels of the AI in them.

Every deal follows from one seed. A comparison plays single hands. On request it plays each deal once for every way to
exchange the sides.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import sqrt
from typing import NamedTuple

from msgspec.structs import replace

from league.ai.levels import choose
from league.domain.dealing import (
    NO_CONTRIBUTION,
    ShuffleInputs,
    deal,
    drawn_starter,
    leading_tile,
    next_starter,
    starting_draw,
)
from league.domain.hand import HandContext
from league.domain.play import HandInPlay, Level, Play, SeenHand, seen_by
from league.domain.result import MatchFacts, ScoredMatch, result_of
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore, score_hand
from league.domain.seating import FULL_TABLE, side_of
from league.domain.sentences import say
from league.domain.tiles import Tile

Chooser = Callable[[SeenHand], Play]
"""Chooses the plays of a seat from what the seat sees."""

LATER_HAND = 2
"""Number given to hands that belong to no match, so that no rule about first hands applies to them."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def shuffle_of(name: str, seed: int, hand: int, seats: int) -> ShuffleInputs:
    """The inputs of a hand's shuffle, which follow from a seed. `name` stands for the id of a table."""
    return ShuffleInputs(name, hand, hashlib.sha256(str(seed).encode()).digest(), (NO_CONTRIBUTION,) * seats)


def single_hand(ruleset: Ruleset, seats: int, seed: int, number: int) -> HandInPlay:
    """Deal hand `number` of a seed as if it were a later hand of a match: a seat drawn by lot leads any tile."""
    shuffle = shuffle_of(say("single hands"), seed, number, seats)
    dealt = deal(shuffle, 0, ruleset)
    return HandInPlay(ruleset, dealt.dealt, _drawn(shuffle, 1, ruleset)[0], dealt.boneyard)


def play_hand(
    play: HandInPlay, mode: Mode, choosers: list[Chooser], score: tuple[int, ...] | None, number: int
) -> None:
    """Play a hand to its end. `choosers`: one for each seat; `score`: the score before the hand, by side."""
    while not play.is_over:
        take_turn(play, lambda: choosers[play.to_move](seen_by(play.to_move, play, mode, score, number)))


def take_turn(play: HandInPlay, choose: Callable[[], Play]) -> None:
    """Take one turn. The seat to move draws or passes if it must; otherwise `choose` gives its play."""
    match play.forced:
        case "draw":
            play.draw()
        case "pass":
            play.pass_turn()
        case None:
            play.play(*choose())


class MatchInPlay:
    """A match from its starting draw to its end, hand by hand."""

    def __init__(self, name: str, ruleset: Ruleset, mode: Mode, seats: tuple[str, ...], seed: int) -> None:
        self.name, self.ruleset, self.seed = name, ruleset, seed
        self._attempt = 0
        draw = None
        if ruleset.first_starter == "starting_draw":
            self._starter, draw, self._attempt = _drawn(self._shuffle(1, len(seats)), 0, ruleset)
        self.played = MatchFacts(name, mode, "competitive", seats, draw, _EPOCH)
        """The facts so far, hands included."""

    @property
    def number(self) -> int:
        """The number of the next hand, from 1."""
        return len(self.played.hands) + 1

    @property
    def result(self) -> ScoredMatch:
        """The result so far. The match is over when it has a winner."""
        return result_of(self.played, self.ruleset)

    def deal(self) -> HandInPlay:
        """Deal the next hand."""
        seats = len(self.played.seats)
        if self.played.hands:
            dealt = deal(self._shuffle(self.number, seats), 0, self.ruleset)
            starter = next_starter(self.played, self.ruleset)
            assert starter is not None, "all facts of a played hand are known"
            return HandInPlay(self.ruleset, dealt.dealt, starter, dealt.boneyard)
        dealt = deal(self._shuffle(1, seats), self._attempt, self.ruleset)
        if self.played.starting_draw is not None:
            return HandInPlay(self.ruleset, dealt.dealt, self._starter, dealt.boneyard)
        starter, lead = leading_tile(dealt.dealt)
        return HandInPlay(self.ruleset, dealt.dealt, starter, dealt.boneyard, lead)

    def record(self, play: HandInPlay) -> ScoredMatch:
        """Add a hand that has ended, and return the result after it."""
        self.played = replace(self.played, hands=(*self.played.hands, play.facts()))
        result = self.result
        if result.last_hand is not None:
            self.played = replace(self.played, ended_at=_EPOCH)
        return self.result

    def _shuffle(self, hand: int, seats: int) -> ShuffleInputs:
        return shuffle_of(self.name, self.seed, hand, seats)


def _drawn(shuffle: ShuffleInputs, attempt: int, ruleset: Ruleset) -> tuple[int, tuple[Tile, ...], int]:
    """The seat that wins the starting draw, the tile that each seat drew, and the number of the next attempt.

    On a tie all seats draw again.
    """
    while (starter := drawn_starter(draw := starting_draw(shuffle, attempt, ruleset.set))) is None:
        attempt += 1
    return starter, draw, attempt + 1


class LevelContest(NamedTuple):
    """A comparison of levels: which levels play against each other, and under which rules."""

    ruleset: Ruleset
    mode: Mode
    levels: tuple[Level, ...]
    """The level of each side."""
    mirrored: bool
    """Whether each deal is played once for every rotation of the levels around the sides."""
    seed: int
    samples: int | None = None
    """Deals that `inference` samples for a turn; None means its own choice."""

    @property
    def hands_a_deal(self) -> int:
        """How often each deal is played."""
        return len(self.levels) if self.mirrored else 1


class DealResult(NamedTuple):
    """The results of the hands of one deal, by level in the order of the contest."""

    won: tuple[int, ...]
    """Hands won."""
    points: tuple[int, ...]
    """Points of hands."""


class ContestTally(NamedTuple):
    """The outcome of a contest. Lists are by level in the order of the contest."""

    hands: int
    """Hands played."""
    won: list[int]
    """Hands won."""
    points: list[int]
    """Points of hands."""
    interval: tuple[float, float] | None
    """95 % interval of the first level's share of the hands that were won by anybody: the mean over deals, minus and
    plus 1.96 standard errors. None with fewer than two such deals."""


def play_deal(contest: LevelContest, number: int) -> DealResult:
    """Play deal `number` of a contest, as often as the contest asks for."""
    won, points = [0] * len(contest.levels), [0] * len(contest.levels)
    for turned in range(contest.hands_a_deal):
        levels = contest.levels[turned:] + contest.levels[:turned]
        hand = _hand(contest, levels, number)
        for side, gained in enumerate(hand.points):
            points[(side + turned) % len(levels)] += gained
        if hand.winner is not None:
            won[(hand.winner + turned) % len(levels)] += 1
    return DealResult(tuple(won), tuple(points))


def tally(contest: LevelContest, results: Sequence[DealResult]) -> ContestTally:
    """Add up the deals of a contest."""
    won = [sum(result.won[level] for result in results) for level in range(len(contest.levels))]
    points = [sum(result.points[level] for result in results) for level in range(len(contest.levels))]
    shares = [result.won[0] / sum(result.won) for result in results if any(result.won)]
    return ContestTally(len(results) * contest.hands_a_deal, won, points, interval_of(shares))


def interval_of(shares: Sequence[float]) -> tuple[float, float] | None:
    """The mean minus and plus 1.96 standard errors; None with fewer than two shares."""
    if len(shares) < 2:  # noqa: PLR2004  # one share has no error
        return None
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
    error = 1.96 * sqrt(variance / len(shares))
    return mean - error, mean + error


def _hand(contest: LevelContest, levels: Sequence[Level], number: int) -> HandScore:
    """Play one hand of a deal, with a level on each side, and return its score."""
    ruleset, mode = contest.ruleset, contest.mode
    seats = len(levels) if mode != "2v2" else FULL_TABLE
    play = single_hand(ruleset, seats, contest.seed, number)
    score = (0,) * len(levels)
    # The seed depends on the seat, not on the level. So a level that plays against itself plays the same hand twice.
    choosers = [
        chooser(levels[side_of(seat, mode)], seat_seed(contest.seed, number, seat), contest.samples)
        for seat in range(seats)
    ]
    play_hand(play, mode, choosers, score, LATER_HAND)
    return score_hand(play.facts(), ruleset, mode, HandContext(LATER_HAND, score, play.starter))


def chooser(level: Level, seed: int, samples: int | None = None) -> Chooser:
    """A chooser that plays a seat at some level."""
    return lambda seen: choose(seen, level, seed, samples)


def seat_seed(seed: int, hand: int, seat: int) -> int:
    """The seed of one seat in one hand. It is different for each, so that no two make the same random choices."""
    return (seed * 1_000_003 + hand) * FULL_TABLE + seat
