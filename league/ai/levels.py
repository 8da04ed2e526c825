"""The levels of the AI. Each chooses a play from what a seat sees.

`best_play` adds up the rules of thumb of a good player (Cuban text, Gameplay Strategy). The strongest level, `think`,
samples deals that fit what the seat has seen, and plays the hand out in them after each possible play.
"""

import time
from collections.abc import Callable
from math import sqrt
from random import Random
from typing import NamedTuple

from league.ai.deals import DealSampler, SampledDeal
from league.ai.knowledge import Knowledge, knowledge_of
from league.ai.rollouts import DealAfterPlay, Endgame, HandStakes, Rollouts, can_be_solved
from league.domain.play import Level, Play, SeenHand
from league.domain.seating import side_of
from league.domain.tiles import Tile, is_double, tile_pips


class PlayWeights(NamedTuple):
    """How much each rule of thumb counts when plays are compared. The numbers have no unit."""

    pips: float = 0.5
    """Bonus for the heaviest tile of the set, in proportion for lighter ones: pips held at the end count against a
    side."""
    double: float = 1.0
    """Bonus for a double. It goes on one number only, so it may soon not fit anywhere."""
    variety: float = 0.6
    """Bonus for each different number among the tiles that remain: a hand of many numbers seldom passes."""
    control: float = 0.35
    """Bonus for each remaining tile that fits an open end."""
    opponent_lacks: float = 1.2
    """Bonus for each open end that the next opponent certainly cannot play on; half of it for later opponents."""
    partner_lacks: float = 0.6
    """Penalty for each open end that the partner certainly cannot play on."""
    partners_number: float = 0.8
    """Bonus for leaving the number open that the partner led with, and penalty for covering it."""
    block: float = 8.0
    """Bonus for a block that is expected to be won by pips, and penalty for one that is expected to be lost."""


WEIGHTS = PlayWeights()


def best_play(seen: SeenHand, weights: PlayWeights = WEIGHTS) -> Play:
    """The play that the rules of thumb value most; the first of them if several are equal."""
    if len(seen.plays) == 1:
        return seen.plays[0]
    return max(seen.plays, key=PlayJudge(seen, knowledge_of(seen), weights).worth)


class PlayJudge:
    """Judges the plays of one turn."""

    def __init__(self, seen: SeenHand, known: Knowledge, weights: PlayWeights = WEIGHTS) -> None:
        assert seen.seat is not None, "a spectator has no plays"
        self.seen, self.known, self.weights, self.seat = seen, known, weights, seen.seat
        self.seats = len(seen.counts)
        self.partner = (seen.seat + 2) % 4 if seen.mode == "2v2" else None
        self.partners_number = self._led_by_partner()

    def worth(self, play: Play) -> float:
        """How much a play is worth by the rules of thumb. Only comparisons within one turn have a meaning."""
        seen, known, weights = self.seen, self.known, self.weights
        kept = known.own & ~known.tiles.bits[play.tile]
        ends = ends_after(seen.ends, play)
        if not kept:
            return 0  # the last tile wins, on whichever end
        fitting = known.tiles.with_half[ends[0]] | known.tiles.with_half[ends[1]]
        if not fitting & (kept | known.hidden):
            return weights.block * self._block(kept)
        heaviest = 2 * known.tiles.halves[-1]
        worth = weights.pips * tile_pips(play.tile) / heaviest + weights.double * is_double(play.tile)
        worth += weights.variety * sum(bool(kept & with_half) for with_half in known.tiles.with_half)
        worth += weights.control * (kept & fitting).bit_count()
        return worth + self._others_meet(ends) + self._partners_lead(ends)

    def _others(self) -> list[int]:
        """The other seats in turn order."""
        return [(self.seat + step) % self.seats for step in range(1, self.seats)]

    def _led_by_partner(self) -> frozenset[int]:
        """The numbers of the tile with which the partner led this hand (the salida); empty if the partner did not."""
        led = self.seen.turns[0] if self.seen.turns else None
        return frozenset(led.tile) if led and led.tile and led.seat == self.partner else frozenset()

    def _others_meet(self, ends: Tile) -> float:
        """What these ends are worth because other seats certainly cannot play on them."""
        worth = 0.0
        for step, seat in enumerate(self._others()):
            missed = sum(end in self.known.lacks[seat] for end in ends)
            if seat == self.partner:
                worth -= self.weights.partner_lacks * missed
            else:
                worth += self.weights.opponent_lacks * missed / (1 if step == 0 else 2)
        return worth

    def _partners_lead(self, ends: Tile) -> float:
        """What it is worth to leave the partner's number open, or to cover it; 0 if it is not open now."""
        if not self.seen.ends or not self.partners_number.intersection(self.seen.ends):
            return 0
        left_open = any(end in self.partners_number for end in ends)
        return self.weights.partners_number * (1 if left_open else -1)

    def _block(self, kept: int) -> float:
        """How clearly a block now is won by the expected pips under the ruleset: from 1 (won) to -1 (lost)."""
        seen, tiles, hidden = self.seen, self.known.tiles, self.known.hidden
        each = tiles.pips_of(hidden) / max(1, hidden.bit_count())
        expected = [count * each for count in seen.counts]
        expected[self.seat] = tiles.pips_of(kept)
        if seen.ruleset.block_winner == "locker_vs_next":
            mine, theirs = expected[self.seat], expected[self._others()[0]]
        else:
            decides = sum if seen.ruleset.block_winner == "side_total" else min
            by_side: dict[int, list[float]] = {}
            for seat, pips in enumerate(expected):
                by_side.setdefault(side_of(seat, seen.mode), []).append(pips)
            mine = decides(by_side.pop(side_of(self.seat, seen.mode)))
            theirs = min(decides(pips) for pips in by_side.values())
        return (theirs - mine) / max(theirs, mine, 1.0)


def ends_after(ends: Tile | None, play: Play) -> Tile:
    """The open ends, left and right, after a play."""
    if ends is None:
        return play.tile
    return (play.tile[0], ends[1]) if play.end == "left" else (ends[0], play.tile[1])


SAMPLES = 200
"""Deals sampled for a turn, if the caller does not say how many."""

BATCH = 20
"""After each batch of this many deals, plays that are clearly worse than the best one are dropped."""

CLEARLY = 2.5
"""Standard errors from which a difference counts as clear."""

RULES_OF_THUMB = 0.3
"""Value of one unit of the rules of thumb, as a fraction of winning the hand. They correct for the rollouts, whose
seats play more weakly."""


class PlayOption(NamedTuple):
    """A possible play. Plays of one tile that leave the same ends are one option."""

    play: Play
    place: int
    """The tile's place in `WeighedTiles`."""
    ends: int
    """The `ends` that it leaves, as in `WeighedTiles`."""
    both: bool
    """Whether the tile fits both ends before it is played."""


def think(seen: SeenHand, random: Random, samples: int | None = None, time_limit: float | None = None) -> Play:
    """The play with the best average result over sampled deals. All plays are tried in the same deals.

    `time_limit`: seconds after which it stops sampling.
    """
    until = None if time_limit is None else time.monotonic() + time_limit
    known, stakes = knowledge_of(seen), HandStakes(seen)
    options = options_of(seen, known)
    deals, worth = DealSampler(seen, known, random), worth_of(seen, known, stakes)
    judge = PlayJudge(seen, known)
    thumb = [RULES_OF_THUMB * stakes.win * judge.worth(option.play) for option in options]
    values = [list[float]() for _ in options]
    left = list(range(len(options)))
    for number in range(1, 1 + (SAMPLES if samples is None else samples)):
        if len(left) == 1 or (until is not None and time.monotonic() >= until):
            break
        deal = deals.sample()
        for at in left:
            values[at].append(worth(after(deal, options[at], judge.seat)))
        if number % BATCH == 0:
            left = _not_clearly_worse(left, values, thumb)
    return options[_best(left, values, thumb)].play


def options_of(seen: SeenHand, known: Knowledge) -> list[PlayOption]:
    """The plays of a turn, one for each different result."""
    tiles = known.tiles
    both = 0 if seen.ends is None else tiles.fitting_both[tiles.ends_of[seen.ends]]
    options: dict[tuple[int, int], PlayOption] = {}
    for play in seen.plays:
        bit = tiles.bits[play.tile]
        place, ends = bit.bit_length() - 1, tiles.ends_of[ends_after(seen.ends, play)]
        options.setdefault((place, ends), PlayOption(play, place, ends, bool(both & bit)))
    return list(options.values())


def worth_of(seen: SeenHand, known: Knowledge, stakes: HandStakes) -> Callable[[DealAfterPlay], float]:
    """A function that values a deal after a play: by exact search near the end of a hand, otherwise by a rollout."""
    if can_be_solved(seen):
        return Endgame(seen, known, stakes).solve
    return rollout_worth(seen, known, stakes)


def rollout_worth(seen: SeenHand, known: Knowledge, stakes: HandStakes) -> Callable[[DealAfterPlay], float]:
    """A function that values a deal after a play by playing it out. Every seat plays by what it sees itself."""
    rollouts = Rollouts(seen, known)
    return lambda imagined: stakes.worth(rollouts.play_out(imagined))


def after(deal: SampledDeal, option: PlayOption, seat: int) -> DealAfterPlay:
    """The deal after a play. The given deal is not changed."""
    held = deal.held[:]
    held[seat] ^= 1 << option.place
    return DealAfterPlay(held, deal.boneyard[:], option.ends, option.place, option.both)


def _best(left: list[int], values: list[list[float]], thumb: list[float]) -> int:
    return max(left, key=lambda at: _mean(values[at]) + thumb[at])


def _not_clearly_worse(left: list[int], values: list[list[float]], thumb: list[float]) -> list[int]:
    """The options that may still be the best one. Options are compared deal by deal, since all met the same deals."""
    best = _best(left, values, thumb)
    kept = []
    for at in left:
        behind = [ours - theirs for ours, theirs in zip(values[best], values[at], strict=True)]
        mean = _mean(behind)
        error = sqrt(sum((one - mean) ** 2 for one in behind)) / len(behind)
        if mean + thumb[best] - thumb[at] <= CLEARLY * error or at == best:
            kept.append(at)
    return kept


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def choose(
    seen: SeenHand, level: Level, seed: int, samples: int | None = None, time_limit: float | None = None
) -> Play:
    """The play that a level chooses for the seat to move. Equal arguments give an equal play.

    `seed` decides what is left to chance. The number of the turn is mixed in, so one seed serves a whole game.
    `samples`: how many deals `inference` samples; None means SAMPLES. `time_limit`: seconds after which it stops
    thinking; its play then depends on the speed of the machine. Raises ValueError if the seat has no play.
    """
    if not seen.plays:
        raise ValueError("the seat has no play to choose from")
    if len(seen.plays) == 1:
        return seen.plays[0]
    random = Random(f"{seed} {len(seen.turns)}")
    match level:
        case "random":
            return random.choice(seen.plays)
        case "heuristic":
            return best_play(seen)
        case "inference":
            return think(seen, random, samples, time_limit)
