"""A bracket as pages show it: its rounds, and its parts that fit on a sheet of paper or on the screen for the hall."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

Ties = Sequence[Mapping[str, Any]]


class RoundOfBracket(NamedTuple):
    """A round of a bracket, or a part of it."""

    ties: int
    """How many ties the whole round has place for: 1 in the final."""
    places: Ties
    """The ties from the top, also those to come. The tie for the third place follows the final."""


def rounds_of(bracket: Ties) -> list[RoundOfBracket]:
    """The rounds of a bracket, from its ties in their order."""
    return [RoundOfBracket(ties, [*places]) for ties, places in groupby(bracket, lambda tie: tie["ties"])]


MOST_ON_SHEET = 16
"""The most ties of one round that a sheet of paper has place for, one below the other."""


def parts_of(rounds: Sequence[RoundOfBracket]) -> list[list[RoundOfBracket]]:
    """The parts of a bracket that each fit on a sheet, from the top; then the rounds of those who win the parts."""
    parts = rounds[0].ties // MOST_ON_SHEET if rounds else 0
    if parts <= 1:
        return [[*rounds]] if rounds else []
    first, last = [of for of in rounds if of.ties >= parts], [of for of in rounds if of.ties < parts]
    return [*([_part(of, number, parts) for of in first] for number in range(parts)), last]


def fills_sheet(part: Sequence[RoundOfBracket]) -> bool:
    """Whether a part of a bracket fits on a sheet in small letters only."""
    return len(part[0].places) > MOST_ON_SHEET // 2


def _part(of: RoundOfBracket, number: int, parts: int) -> RoundOfBracket:
    """The ties of a round in a part of the bracket. `number`: that of the part, from 0."""
    count = of.ties // parts
    return of._replace(places=of.places[number * count : (number + 1) * count])


MOST_ON_WALL = 4
"""The most ties of one round that the screen for the hall has place for, one below the other."""


def last_rounds(rounds: Sequence[RoundOfBracket], ties: int | None) -> list[RoundOfBracket]:
    """The rounds that fit on the screen for the hall, once one of them is played.

    `ties`: how many ties the round that is shown has place for; None outside of knock-outs.
    """
    if ties is None or ties > MOST_ON_WALL:
        return []
    return [of for of in rounds if of.ties <= MOST_ON_WALL]
