"""How long the pairing of a round takes, with as many earlier rounds as a long tournament has."""

from __future__ import annotations

import time
from collections import defaultdict
from random import Random

from league.tournaments.domain.drawn import EarlierMeeting, PlacedCompetitor, RoundPairings, RoundToPair
from league.tournaments.pairing import pair_partners, pair_swiss
from tests.bench.measure import say

COUNTS = (28, 200)
ROUNDS = 6
WANTED = "at most 1 s for 28 players, 10 s for 200"


def bench_pairing(counts: tuple[int, ...] = COUNTS) -> None:
    """Print the seconds of CPU of the last round of each format."""
    say("pairing of a round  competitors    swiss s   rotating partners s")
    for count in counts:
        say(f"{count:>31}{seconds_of(pair_swiss, count):>11.2f}{seconds_of(pair_partners, count):>22.2f}")
    say(f"  wanted: {WANTED}\n")


def seconds_of(pair: object, count: int) -> float:
    """Seconds of CPU of the last round of a made tournament: each match has a winner by chance."""
    assert callable(pair)
    random, spent = Random(count), 0.0
    won: dict[str, int] = {f"p{number:03}": 0 for number in range(count)}
    met, partners = defaultdict[str, list[EarlierMeeting]](list), defaultdict[str, list[EarlierMeeting]](list)
    for number in range(1, ROUNDS + 1):
        ranked = sorted(won, key=lambda id_: (-won[id_], id_))
        drawn = [
            PlacedCompetitor(id_, won[id_], place, None, 0, tuple(met[id_]), tuple(partners[id_]))
            for place, id_ in enumerate(ranked, 1)
        ]
        began = time.process_time()
        paired: RoundPairings = pair(drawn, RoundToPair(f"{number:064}", number, opponent_window=3))
        spent = time.process_time() - began
        for table in paired.tables:
            first, second = random.sample(table.sides, 2)
            for id_ in first:
                won[id_] += 1
            for side, others in ((first, second), (second, first)):
                for id_ in side:
                    met[id_] += [EarlierMeeting(other, number, table.number) for other in others]
                    partners[id_] += [EarlierMeeting(other, number, table.number) for other in side if other != id_]
    return spent
