"""The arithmetic of the ratings alone, on the matches of a made league, beside the bare Elo of riix."""

import gc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import chain
from typing import Any

import psycopg
from msgspec import Struct

from league.domain.rating import RatingFormula, Standing, earned_in, rate
from league.domain.result import Achievements
from league.domain.rules import Competition
from league.domain.seating import competitor_of
from league.lab.columns import MatchColumns
from league.lab.kernel import IS_COMPILED, NOBODY
from league.lab.trial import rated
from league.projections import runs
from league.projections.folds.match_fold import DecidedMatch
from league.projections.writers import catalogue
from league.projections.writers.match_rows import decided_after
from tests.bench.measure import best, say

TIMES = 5


class Numbers(Struct, frozen=True, gc=False):
    """What the arithmetic reads of a match. Who plays is a place in a list of standings."""

    rated: tuple[tuple[int, ...], ...]
    """Who is rated, in the order of the sides: the players, and in 2v2 the pairs too."""
    winner: int
    competition: Competition
    achievements: Achievements
    difference: int | None
    ruleset: str


def bench_arithmetic(conn: psycopg.Connection[Any]) -> None:
    """From numbers in memory to every rating change with its terms; the peer has neither terms nor reasons."""
    run = runs.official_run(conn)
    assert run is not None
    rules = catalogue.rules_of_run(conn, run)
    (edition,) = rules.by_hash.values()
    known: dict[str, int] = {}
    decided = list(all_decided(conn, run))
    matches = [numbers_of(match, known) for match in decided]  # all first: they lie together
    gc.collect()
    gc.freeze()  # Python would walk through these matches again and again; the peer's lie in arrays
    duels = [match for match in matches if len(match.rated) == 1]
    peer = best_of_riix(duels, len(matches), len(known))
    say("ratings alone      matches   matches/s  to riix   changes/s  to riix")
    for name, chosen in (
        ("1v1", duels),
        ("2v2", [match for match in matches if len(match.rated) > 1]),
        ("both modes", matches),
    ):
        seconds = best(TIMES, folding(chosen, len(known), edition.formula))
        changes = sum(len(who) for match in chosen for who in match.rated)
        rates = (len(chosen) / seconds, changes / seconds)
        say(line_of(name, len(chosen), rates, peer))
    say(f"  riix, 1v1     {len(matches):>10,} {peer:>11,.0f} {2 * peer:>20,.0f}" if peer else "  riix is not installed")
    by = "compiled" if IS_COMPILED else "interpreted"
    for name, chosen_matches in ((f"{by}, 1v1", [match for match in decided if match.mode == "1v1"]), (by, decided)):
        columns = MatchColumns()
        for match in chosen_matches:
            columns.add(match)
        rated(columns, rules)  # compiles
        seconds = best(TIMES, partial(rated, columns, rules))
        changes = sum(seat != NOBODY for seat in columns.seats)
        say(line_of(name, len(columns), (len(columns) / seconds, changes / seconds), peer))
    say("  wanted: compiled 1v1 at least 10 times riix\n")


def line_of(name: str, matches: int, rates: tuple[float, float], peer: float) -> str:
    """Matches and changes a second, and their ratios to the peer's."""
    ratios = [f"{ours / its:.3f}" if peer else "-" for ours, its in zip(rates, (peer, 2 * peer), strict=True)]
    return f"  {name:<16}{matches:>8,} {rates[0]:>11,.0f} {ratios[0]:>8} {rates[1]:>11,.0f} {ratios[1]:>8}"


def folding(matches: Sequence[Numbers], subjects: int, formula: RatingFormula) -> Callable[[], None]:
    """Rate the matches one after the other, from the first ratings on."""

    def fold() -> None:
        standings: list[Standing] = [(formula.start, 0)] * subjects
        for match in matches:
            earned = earned_in(match.achievements, match.difference, match.ruleset, formula)
            for who in match.rated:
                before = sides_of(who, standings)
                for one, change in zip(who, rate(before, match.winner, match.competition, earned, formula)):  # noqa: B905
                    standings[one] = (change.after, change.matches_before + 1)

    return fold


def sides_of(who: tuple[int, ...], standings: list[Standing]) -> tuple[tuple[Standing, ...], tuple[Standing, ...]]:
    """The standings of one or two a side."""
    if len(who) == 2:
        a, b = who
        return (standings[a],), (standings[b],)
    a, b, c, d = who
    return (standings[a], standings[b]), (standings[c], standings[d])


def best_of_riix(duels: Sequence[Numbers], count: int, subjects: int) -> float:
    """The matches that riix rates in a second, of as many 1v1 matches; 0 where it is not installed."""
    if find_spec("riix") is None:
        return 0.0
    import numpy as np  # noqa: PLC0415  # these two are installed for the bench only
    from riix.models.elo import Elo  # noqa: PLC0415

    again = [duels[number % len(duels)] for number in range(count)]
    pairs = np.array([match.rated[0] for match in again])
    outcomes = np.array([1.0 - match.winner for match in again])
    return count / best(TIMES, lambda: Elo(list(range(subjects))).iterative_update(pairs, outcomes))


def numbers_of(match: DecidedMatch, known: dict[str, int]) -> Numbers:
    """A match in numbers; `known` gets a place for everybody who is new."""

    def place(mode_and_id: str) -> int:
        return known.setdefault(mode_and_id, len(known))

    players = tuple(tuple(place(f"{match.mode} {player}") for player in side) for side in match.sides)
    pairs = tuple((place(competitor_of(side)),) for side in match.sides) if match.mode == "2v2" else ()
    rated = tuple(tuple(chain(*sides)) for sides in (players, pairs) if sides)
    return Numbers(rated, match.winner, match.competition, match.achievements, match.difference, match.ruleset)


def all_decided(conn: psycopg.Connection[Any], run: int) -> Iterator[DecidedMatch]:
    """Every decided match of a run, in the order of ratings."""
    last = None
    while page := decided_after(conn, run, last, 5_000):
        yield from page
        last = (page[-1].decided_at, page[-1].match)
