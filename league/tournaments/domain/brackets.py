"""The bracket of a knock-out: its places, and who meets in each round (rules, Tournaments, `knockout`).

A bracket has the next power of two of places. Two places next to each other meet first, then two neighbouring pairs,
and so on.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct


def size_of(entrants: int) -> int:
    """The number of places in a bracket: the next power of two."""
    return 1 << max(1, (entrants - 1).bit_length())


def fold(size: int) -> list[int]:
    """The places in the order in which they stand in the bracket: for 8 they are 1, 8, 4, 5, 2, 7, 3, 6."""
    places = [1, 2]
    while len(places) < size:
        both = 2 * len(places) + 1
        places = [one for place in places for one in (place, both - place)]
    return places


def rounds_of_bracket(entrants: int) -> int:
    """How many rounds a knock-out has."""
    return size_of(entrants).bit_length() - 1


def ties_in(entrants: int, number: int) -> int:
    """How many ties a round of the bracket has place for. `number`: of the round in the knock-out, from 1."""
    return size_of(entrants) >> number


class BracketTie(Struct, frozen=True):
    """A place for a tie in a round of the bracket."""

    place: int
    """From 0, from the top of the bracket."""
    sides: tuple[str | None, str | None]
    """Who plays there; None: nobody, or nobody who is known yet."""


def ties_of(bracket: Sequence[str], number: int, still_in: Collection[str]) -> list[BracketTie]:
    """The ties of a round among those who are still in, from the top of the bracket.

    `bracket`: who has which place, from place 1 on; `number`: of the round in the knock-out, from 1.
    """
    size = size_of(len(bracket))
    sides: list[list[str | None]] = [[None, None] for _ in range(size >> number)]
    for line, place in enumerate(fold(size)):
        if place <= len(bracket) and bracket[place - 1] in still_in:
            half = line >> (number - 1)
            sides[half // 2][half % 2] = bracket[place - 1]
    return [BracketTie(place, (first, second)) for place, (first, second) in enumerate(sides)]
