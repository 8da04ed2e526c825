"""How long the pairing of a round takes, with as many earlier rounds as a long tournament has."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from league.tournaments.domain.drawn import (
    EarlierMeeting,
    PlacedCompetitor,
    RankedCompetitor,
    RoundPairings,
    RoundToPair,
    Schedule,
)
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import parse_plan
from league.tournaments.matching import is_fast
from league.tournaments.pairing import pair, pair_partners, pair_swiss
from tests.bench.measure import say

COUNTS = (64, 200, 256)
FULL = (*COUNTS, 1_000)
"""Numbers of competitors with `--full`."""
MOST_BESIDE = 256
"""Limit on competitors of a round that networkx pairs as well: for 1,000 it takes ten minutes."""
ROUNDS = 6
TIMES = 5
"""How often a first round is drawn."""
IN_GROUPS, IN_EACH_GROUP = 64, 4
"""Competitors whose groups, or whose bracket, are drawn."""
REGIONS = 5
WANTED = "at most 3 s for 256 in Swiss rounds and for 200 rotating partners, 60 s for 1,000"

PairRound = Callable[..., RoundPairings]


def bench_pairing(counts: tuple[int, ...] = COUNTS) -> None:
    """Print the seconds of CPU of the last round of each format, and how many times as long networkx takes."""
    say(f"pairing of a round, {'with' if is_fast() else 'without'} rustworkx")
    say("            competitors   swiss s   networkx takes   rotating partners s   networkx takes")
    for count in counts:
        swiss, partners = beside_networkx(pair_swiss, count), beside_networkx(pair_partners, count)
        say(f"{count:>23,}{swiss[0]:>10.2f}{swiss[1]:>17}{partners[0]:>22.2f}{partners[1]:>17}")
    say(f"  wanted: {WANTED}")
    swiss, groups, bracket = (best_cpu(draw) for draw in first_rounds(IN_GROUPS))
    for name, took in ((f"groups of {IN_EACH_GROUP}", groups), ("a knock-out", bracket)):
        say(f"  first round of {IN_GROUPS} in {name}: {took * 1_000:.1f} ms, {took / swiss:.2f} times a Swiss one")
    say()


def first_rounds(count: int) -> Iterator[Callable[[], object]]:
    """The first round of as many competitors of some regions, as a Swiss round, in groups and as a knock-out."""
    drawing = RoundDrawn(1, tuple(RankedCompetitor(f"p{at:04}", 0, 1, f"R{at % REGIONS}") for at in range(count)))
    common = {"name": "Bench", "ruleset": "cuban-150", "mode": "1v1"}
    for of in (
        {"format": "swiss", "rounds": ROUNDS},
        {"format": "groups", "groups": count // IN_EACH_GROUP, "advance": 2},
        {"format": "knockout"},
    ):
        yield partial(pair, parse_plan({**common, **of}), drawing, "0" * 64, Schedule(()))


def best_cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU of the fastest of several runs."""
    return min(seconds(work) for _ in range(TIMES))


def beside_networkx(pair: PairRound, count: int) -> tuple[float, str]:
    """Seconds of CPU of the last round, and how many times as long it takes with networkx alone."""
    drawn, of = last_round(pair, count)
    ours = seconds(lambda: pair(drawn, of))
    if count > MOST_BESIDE:
        return ours, "-"
    return ours, f"{seconds(lambda: pair(drawn, of, 'networkx')) / ours:,.0f} times"


def seconds(work: Callable[[], object]) -> float:
    """Seconds of CPU that the work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def last_round(pair: PairRound, count: int) -> tuple[list[PlacedCompetitor], RoundToPair]:
    """The inputs of the last round of a made tournament: each match has a winner by chance."""
    random = Random(count)
    won: dict[str, int] = {f"p{number:04}": 0 for number in range(count)}
    met, partners = defaultdict[str, list[EarlierMeeting]](list), defaultdict[str, list[EarlierMeeting]](list)

    def inputs(number: int) -> tuple[list[PlacedCompetitor], RoundToPair]:
        ranked = sorted(won, key=lambda id_: (-won[id_], id_))
        drawn = [
            PlacedCompetitor(id_, won[id_], place, None, 0, tuple(met[id_]), tuple(partners[id_]))
            for place, id_ in enumerate(ranked, 1)
        ]
        return drawn, RoundToPair(f"{number:064}", number, opponent_window=3)

    for number in range(1, ROUNDS):
        for table in pair(*inputs(number)).tables:
            first, second = random.sample(table.sides, 2)
            for id_ in first:
                won[id_] += 1
            for side, others in ((first, second), (second, first)):
                for id_ in side:
                    met[id_] += [EarlierMeeting(other, number, table.number) for other in others]
                    partners[id_] += [EarlierMeeting(other, number, table.number) for other in side if other != id_]
    return inputs(ROUNDS)
