"""The podium of a tournament: on its page, and on the screen for the hall."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

MEDALS = 3
"""The ranks on the podium."""


def podium_of(tournament: Mapping[str, Any]) -> list[tuple[int, list[Mapping[str, Any]]]]:
    """The first three ranks with those who have them. Competitors who share a rank stand together."""
    first = [place for place in tournament["standing"] if place["rank"] is not None and place["rank"] <= MEDALS]
    return [(rank, [*places]) for rank, places in groupby(first, lambda place: place["rank"])]
