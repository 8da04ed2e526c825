"""A rating change as a waterfall: from the rating before to the rating after, by what each term does to it.

`after = before + k * ((outcome + M) - expected)`, so a term does `k` times its value, and the effects add up.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from msgspec import Struct

WIDTH = 1000.0
"""The width of all bars, in units of their drawing."""
THINNEST = 3.0
"""The width of a bar of 0, so that its place can be seen."""


class Step(Struct, frozen=True):
    """A bar: a term, what it does to the rating, and where its bar lies."""

    term: Mapping[str, Any]
    effect: float
    """In rating points."""
    left: float
    width: float


class Waterfall(Struct, frozen=True):
    """The bars in the order of the formula, and where the rating is before and after."""

    steps: Sequence[Step]
    before: float
    after: float


def waterfall(change: Mapping[str, Any]) -> Waterfall:
    """The waterfall of a change as the API gives it."""
    terms = [(term, effect) for term, effect in _effects(change) if effect is not None]
    levels = list(accumulate((effect for _term, effect in terms), initial=change["before"]))
    low, high = min(levels), max(levels)
    units = WIDTH / ((high - low) or 1.0)
    steps = [
        Step(
            term,
            effect,
            (min(level, level + effect) - low) * units,
            max(abs(effect) * units, THINNEST),
        )
        for (term, effect), level in zip(terms, levels, strict=False)
    ]
    return Waterfall(steps, (change["before"] - low) * units, (change["after"] - low) * units)


def _effects(change: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], float | None]]:
    """Each term with what it adds to the rating; None: the rating before, and K, which multiplies all others."""
    k = change["k"]
    for term in change["explanation"]["terms"]:
        match term["name"]:
            case "BEFORE" | "K":
                yield term, None
            case "EXPECTED":
                yield term, -k * term["value"]
            case _:
                yield term, k * term["value"]
