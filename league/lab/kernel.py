"""The Domino Score over columns: `domain/rating.py` for many matches at once. Tests hold both to the same bits.

With the extra `lab` the functions are compiled by numba and take numpy arrays. Both are imported when they are first
needed, because they take half a second and much memory. Without the extra the interpreter runs the functions on lists.
Arrays are passed one by one, because taking one out of a tuple costs compiled code more than the arithmetic.
"""

from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial, wraps
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

IS_COMPILED = find_spec("numba") is not None
"""Whether the functions of the laboratory are compiled. Otherwise the interpreter runs them."""


def delete_older_code(folder: Path) -> None:
    """Delete the compiled code of an earlier version, where a folder has some.

    numba reads the index of its cache before it compares ages, and fails on a type that an upgrade has renamed.
    """
    upgraded = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in folder.glob("__pycache__/*.nbi"):
        with suppress(OSError):  # another process has deleted it, or the folder is not ours
            if index.stat().st_mtime < upgraded:
                index.unlink()


_INLINED: list[Callable[..., Any]] = []
"""Functions that are compiled into their callers."""


def inlined(function: F) -> F:
    """Compile a function into its callers. With many arguments a call costs as much as its arithmetic."""
    _INLINED.append(function)
    return function


@cache
def _numpy() -> Any:
    import numpy  # noqa: ICN001, PLC0415

    return numpy


@cache
def _compile() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What compiles a function. Floats keep the bits of the interpreter."""
    from numba import njit  # noqa: PLC0415

    delete_older_code(Path(__file__).parent)
    for function in _INLINED:
        # Compiled code finds its callees by their names in the module.
        globals()[function.__name__] = njit(function, inline="always", nogil=True, error_model="numpy")
    return partial(njit, cache=True, nogil=True, error_model="numpy")


if IS_COMPILED:

    def compiled(function: F) -> F:
        """Compile a function of numbers and arrays on its first call."""
        lock, made = Lock(), list[Callable[..., Any]]()

        @wraps(function)
        def call(*arguments: Any) -> Any:
            with lock:
                if not made:
                    made.append(_compile()(function))
            return made[0](*arguments)

        return cast(F, call)

    def column(values: "array[int]") -> Any:
        """A column of integers that shares memory with the array. While it is in use, the array cannot grow."""
        return _numpy().frombuffer(values, dtype=values.typecode)

    def table(values: Sequence[int]) -> Any:
        """A list of integers."""
        return _numpy().array(values, dtype="int64")

    def floats(size: int) -> Any:
        """`size` zeros, as floats."""
        return _numpy().zeros(size)

    def integers(size: int) -> Any:
        """`size` zeros, as integers."""
        return _numpy().zeros(size, dtype="int32")
else:

    def compiled(function: F) -> F:
        """Leave a function as it is."""
        return function

    def column(values: "array[int]") -> Any:
        """A column of integers."""
        return values.tolist()

    def table(values: Sequence[int]) -> Any:
        """A list of integers."""
        return values

    def floats(size: int) -> Any:
        """`size` zeros, as floats."""
        return [0.0] * size

    def integers(size: int) -> Any:
        """`size` zeros, as integers."""
        return [0] * size


PLACES = 6
"""Places per match in the column of seats: two for the first side, two for the second side, two for the teams.

Each place has the number of a rating, or NOBODY."""
NOBODY = -1
"""Marks a place that a match does not use."""
PLAYERS, TEAMS = (0, 2), (4, 1)
"""The first place of players and of teams, and the distance from there to the place of the other side."""

FACTS = 12
"""Numbers per match in the column of facts: all facts that a rating depends on, in this order."""
(
    WINNER, COMPETITION, FORFEITED, RULESET, DIFFERENCE, POLLONA, VIAJERAS, CAPICUAS, CAPICUAS_BLOCKING, TRAILED_BY,
    BLOCKS_WON, CRITICAL_BLOCK,
) = range(FACTS)  # fmt: skip
CASUAL, COMPETITIVE, SPECIAL = range(3)
NO_POINTS = -1
"""Marks a match without points, in place of the difference of points."""
NOT_RATED = -1.0
"""Marks a match that is not rated, in place of its forecast."""
LARGEST_EXPONENT = 308.2547155599167
"""Largest exponent of ten in a float. Beyond it the interpreter raises an error, and compiled code gives infinity."""
MOST_GAPS = 2**15
"""Limit on full gaps between two sides that count. Their product with the largest term still fits 64 bits."""


class FormulaNumbers(NamedTuple):
    """The numbers of a `rating.Formula`."""

    one: int
    start: float
    scale: float
    by_own_rating: bool
    provisional_below: int
    veteran_matches: int
    veteran_rating: float
    k_casual: float
    k_provisional: float
    k_special: float
    k_veteran: float
    k_standard: float
    lowest: int
    highest: int
    differential: int
    pollona: int
    viajera: int
    viajera_per_hand: bool
    capicua: int
    capicua_per_hand: bool
    capicua_blocks: int
    capicua_blocks_per_hand: bool
    block_won: int
    block_won_per_hand: bool
    critical_block: int
    strength: int
    gap: int


class FormulaLists(NamedTuple):
    """The lists of a `rating.Formula`."""

    points: Any
    """Match points per step of the differential, by the number of the ruleset."""
    behind: Any
    """Match points behind for each step of the recovery, the highest first."""
    recovery: Any
    """Units of M for each step of the recovery."""


class RatedColumns(NamedTuple):
    """The ratings that a pass over the matches computes."""

    ratings: Any
    """Final rating, by the number of the rating."""
    played: Any
    """Final count of rated matches, by the number of the rating."""
    before: Any
    """Rating before the match, by place."""
    after: Any
    """Rating after the match, by place."""
    played_before: Any
    """Count of rated matches before the match, by place."""
    forecasts: Any
    """Expected score of the winning side (the mean of partners), by match; NOT_RATED for a match without ratings."""


def nothing_rated(matches: int, subjects: int) -> RatedColumns:
    """Empty arrays for a pass to fill."""
    places = matches * PLACES
    return RatedColumns(
        floats(subjects), integers(subjects), floats(places), floats(places), integers(places), floats(matches)
    )


@compiled
def rate_matches(
    facts: Any,
    seats: Any,
    first: int,
    end: int,
    f: FormulaNumbers,
    steps: FormulaLists,
    ten: float,
    rated: RatedColumns,
) -> None:
    """Rate the matches in the rows from `first` to below `end` under one formula (CDS text, whole).

    `ten` is 10.0. As a constant, the compiler would replace the power by another function, which rounds differently.
    """
    points, behind, recovery = steps
    ratings, played, before, after, played_before, forecasts = rated
    for row in range(first, end):
        place, match = PLACES * row, FACTS * row
        if seats[place] == NOBODY:
            forecasts[row] = NOT_RATED
            continue
        # A forfeited match has M = 0, without any term.
        won, lost, per_gap = 0, 0, 0
        if not facts[match + FORFEITED]:
            won, lost = _earned(facts, match, f, points, behind, recovery)
            per_gap = f.strength
        winner, competition = facts[match + WINNER], facts[match + COMPETITION]
        size = 1 if seats[place + 1] == NOBODY else 2
        if seats[place + TEAMS[0]] != NOBODY:
            _rate(
                seats, place, TEAMS, 1, winner, competition, won, lost, per_gap, f, ten, ratings, played, before,
                after, played_before,
            )  # fmt: skip
        forecasts[row] = _rate(
            seats, place, PLAYERS, size, winner, competition, won, lost, per_gap, f, ten, ratings, played, before,
            after, played_before,
        )  # fmt: skip


@inlined
def _rate(  # noqa: PLR0913, PLR0917  # arrays one by one
    seats: Any, place: int, places: tuple[int, int], size: int, winner: int, competition: int, won: int, lost: int,
    per_gap: int, f: FormulaNumbers, ten: float, ratings: Any, played: Any, before: Any, after: Any, played_before: Any,
) -> float:  # fmt: skip
    """Rate the players of a match, or its teams. `per_gap`: units of M per full gap. Returns the forecast."""
    first = place + places[0]
    second = first + places[1]
    one = _average(seats, first, size, f, ratings, played, before, played_before)
    two = _average(seats, second, size, f, ratings, played, before, played_before)
    gap = two - one if winner == 0 else one - two
    strength = per_gap * int(min(gap // f.gap, MOST_GAPS)) if gap >= f.gap else 0
    forecast = 0.0
    for side in range(2):
        start, own, opponents = (first, one, two) if side == 0 else (second, two, one)
        outcome, units = (1.0, won + strength) if side == winner else (0.0, lost - strength)
        modifier = min(max(units, f.lowest), f.highest) / f.one
        expected = _expected(own, opponents, f.scale, ten)
        for each in range(start, start + size):
            rating = before[each]
            if f.by_own_rating:
                expected = _expected(rating, opponents, f.scale, ten)
            k = _k(rating, played_before[each], competition, f)
            after[each] = rating + k * ((outcome + modifier) - expected)
            ratings[seats[each]] = after[each]
            played[seats[each]] += 1
            if side == winner:
                forecast += expected
    return forecast / size


@inlined
def _average(
    seats: Any, start: int, size: int, f: FormulaNumbers, ratings: Any, played: Any, before: Any, played_before: Any
) -> float:
    """The mean rating of a side. Also stores its ratings and match counts before the match."""
    total = 0.0
    for each in range(start, start + size):
        seat = seats[each]
        played_before[each] = played[seat]
        before[each] = f.start if played[seat] == 0 else ratings[seat]
        total += before[each]
    return before[start] if size == 1 else total / size


@inlined
def _earned(facts: Any, match: int, f: FormulaNumbers, points: Any, behind: Any, recovery: Any) -> tuple[int, int]:
    """M of the winning and of the losing side, in units, without the term for strength (CDS text 3)."""
    units = 0
    if facts[match + DIFFERENCE] != NO_POINTS:
        units = f.differential * (facts[match + DIFFERENCE] // points[facts[match + RULESET]])
    won = units
    if facts[match + POLLONA]:
        won += f.pollona
    won += f.viajera * _times(facts[match + VIAJERAS], f.viajera_per_hand)
    won += f.capicua * _times(facts[match + CAPICUAS], f.capicua_per_hand)
    won += f.capicua_blocks * _times(facts[match + CAPICUAS_BLOCKING], f.capicua_blocks_per_hand)
    for step in range(len(behind)):
        if facts[match + TRAILED_BY] >= behind[step]:
            won += recovery[step]
            break
    won += f.block_won * _times(facts[match + BLOCKS_WON], f.block_won_per_hand)
    if facts[match + CRITICAL_BLOCK]:
        won += f.critical_block
    return won, -units


@inlined
def _times(count: int, per_hand: bool) -> int:
    """How often a term counts: once per hand, or at most once per match."""
    return count if per_hand else min(count, 1)


@inlined
def _expected(own: float, opponents: float, scale: float, ten: float) -> float:
    """E, the expected score (CDS text 2.1)."""
    exponent = (opponents - own) / scale
    return 0.0 if exponent > LARGEST_EXPONENT else 1.0 / (1.0 + ten**exponent)


@inlined
def _k(rating: float, played: int, competition: int, f: FormulaNumbers) -> float:
    """K (CDS text 4). `played`: rated matches before this one."""
    if competition == CASUAL:
        return f.k_casual
    if played < f.provisional_below:
        return f.k_provisional
    if competition == SPECIAL:
        return f.k_special
    if played >= f.veteran_matches and rating >= f.veteran_rating:
        return f.k_veteran
    return f.k_standard
