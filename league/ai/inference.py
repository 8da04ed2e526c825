"""The strongest level: it imagines deals that fit all it has seen, and plays each of its plays out in them."""

import time
from collections.abc import Callable
from math import sqrt
from random import Random
from typing import NamedTuple

from league.ai.deals import Deal, Deals
from league.ai.endgame import Endgame, can_be_solved
from league.ai.heuristic import Judge, ends_after
from league.ai.knowledge import Knowledge, knowledge_of
from league.ai.rollouts import Imagined, Rollouts
from league.ai.stakes import Stakes
from league.domain.play import Play, Seen

SAMPLES = 200
"""Deals imagined for a play, where the caller does not say."""

BATCH = 20
"""Deals after which plays are dropped that are clearly worse than the best one."""

CLEARLY = 2.5
"""Standard errors that make a difference clear."""

RULES_OF_THUMB = 0.3
"""What a point of the heuristic is worth, as a part of winning the hand. The policy of the rollouts is weaker."""


class Option(NamedTuple):
    """One thing that a play can do; two plays that leave the same ends do the same."""

    play: Play
    place: int
    """Of the tile, in `WeighedTiles`."""
    ends: int
    both: bool
    """Whether the tile fits both ends before it is played."""


def think(seen: Seen, random: Random, samples: int | None = None, time_limit: float | None = None) -> Play:
    """The play with the best end on average over imagined deals, the same deals for each play."""
    until = None if time_limit is None else time.monotonic() + time_limit
    known, stakes = knowledge_of(seen), Stakes(seen)
    options = options_of(seen, known)
    deals, worth = Deals(seen, known, random), worth_of(seen, known, stakes)
    judge = Judge(seen, known)
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


def options_of(seen: Seen, known: Knowledge) -> list[Option]:
    """The plays that differ."""
    tiles = known.tiles
    both = 0 if seen.ends is None else tiles.fitting_both[tiles.ends_of[seen.ends]]
    options: dict[tuple[int, int], Option] = {}
    for play in seen.plays:
        bit = tiles.bits[play.tile]
        place, ends = bit.bit_length() - 1, tiles.ends_of[ends_after(seen.ends, play)]
        options.setdefault((place, ends), Option(play, place, ends, bool(both & bit)))
    return list(options.values())


def worth_of(seen: Seen, known: Knowledge, stakes: Stakes) -> Callable[[Imagined], float]:
    """What an imagined deal is worth after a play: near the end by exact search, before by playing it out."""
    if can_be_solved(seen):
        return Endgame(seen, known, stakes).solve
    return rollout_worth(seen, known, stakes)


def rollout_worth(seen: Seen, known: Knowledge, stakes: Stakes) -> Callable[[Imagined], float]:
    """What an imagined deal is worth after a play, when every seat plays on by what it sees."""
    rollouts = Rollouts(seen, known)
    return lambda imagined: stakes.worth(rollouts.play_out(imagined))


def after(deal: Deal, option: Option, seat: int) -> Imagined:
    """A deal after a play; the deal itself stays as it is."""
    held = deal.held[:]
    held[seat] ^= 1 << option.place
    return Imagined(held, deal.boneyard[:], option.ends, option.place, option.both)


def _best(left: list[int], values: list[list[float]], thumb: list[float]) -> int:
    return max(left, key=lambda at: _mean(values[at]) + thumb[at])


def _not_clearly_worse(left: list[int], values: list[list[float]], thumb: list[float]) -> list[int]:
    """The options that may still be the best one. They are compared deal by deal, since they met the same deals."""
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
