"""The ways in which a hand can have ended, for rulesets whose hands score by their ending (House rules)."""

from typing import Literal

from league.domain.hand import Closing, HandFacts
from league.domain.rules import EndingPoints
from league.domain.tiles import is_double

Ending = Literal["domino", "double", "both_ends", "double_both_ends", "block"]
"""A way in which a hand ends, named as in `EndingPoints`."""

_DOMINOES: dict[tuple[bool, bool], Ending] = {
    (False, False): "domino",
    (True, False): "double",
    (False, True): "both_ends",
    (True, True): "double_both_ends",
}
"""The ending of a domino, by whether the closing tile is a double and whether it fitted both ends."""


def possible_points(facts: HandFacts, points: EndingPoints) -> frozenset[int]:
    """The points of every ending that the facts leave possible. What the sheet states of a capicúa does not count."""
    if facts.ended_by == "block":
        return frozenset((points.block,))
    return frozenset(_points_of_dominoes(facts.closing, points).values())


def facts_that_would_tell(closing: Closing, points: EndingPoints) -> list[str]:
    """The unknown facts of the closing tile that the points of a domino depend on, named as in `Closing`."""
    possible = _points_of_dominoes(closing, points)
    facts = (("tile", closing.tile, 0), ("fits_both_ends", closing.fits_both_ends, 1))
    return [name for name, known, place in facts if known is None and _depend_on(place, possible)]


def _points_of_dominoes(closing: Closing, points: EndingPoints) -> dict[tuple[bool, bool], int]:
    """The points of each possible domino, by whether the tile is a double and whether it fitted both ends."""
    known = (None if closing.tile is None else is_double(closing.tile), closing.fits_both_ends)
    return {
        domino: getattr(points, ending)
        for domino, ending in _DOMINOES.items()
        if all(fact in (None, is_so) for fact, is_so in zip(known, domino, strict=True))
        and _can_leave(closing.ends_equal, *domino)
    }


def _can_leave(ends_equal: bool | None, double: bool, fitted_both: bool) -> bool:
    """Whether such a tile can have left the ends as they were recorded.

    A tile that leaves equal ends had fitted both. A double that fitted both leaves equal ends.
    """
    if ends_equal is None:
        return True
    return fitted_both if ends_equal else not (double and fitted_both)


def _depend_on(place: int, possible: dict[tuple[bool, bool], int]) -> bool:
    """Whether two dominoes that differ in one of the two facts alone score differently."""
    other = 1 - place
    return any(one[other] == two[other] and possible[one] != possible[two] for one in possible for two in possible)
