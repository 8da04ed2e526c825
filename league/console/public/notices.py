"""Notices of ratings that moved, what each moved of a player, and what promotions moved."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.domain.sentences import say

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)

WIDTH = 1000.0
"""The width of a drawing, in its units."""
THINNEST = 3.0
"""The least width of a bar, so that a bar of 0 can be seen."""
PARTS = {
    "outcome": say("Results, each times K"),
    "expected": say("What was expected, each times K, is taken away"),
    "modifier": say("How matches were won or lost, each times K"),
}
"""What a rating is made of beside its start, in the order of the formula."""


class PartBar(Struct, frozen=True):
    """A part of a rating in one of two waterfalls: its value and the place of its bar."""

    value: float
    left: float
    width: float


class PartOfBoth(Struct, frozen=True):
    """A part of a rating, as it was and as it is; None where there was or is no rating."""

    label: str
    old: PartBar | None
    new: PartBar | None


def waterfalls(move: Mapping[str, Any]) -> Sequence[PartOfBoth]:
    """The two waterfalls of a rating that moved, on one scale. Empty for a rating that is made of no parts."""
    levels = {side: _levels(move[side]) for side in ("old", "new") if move[side] is not None}
    if not levels:
        return ()
    every = [level for of_side in levels.values() for level in of_side]
    low, units = min(every), WIDTH / ((max(every) - min(every)) or 1.0)
    bars = {side: list(_bars(move[side], of_side, low, units)) for side, of_side in levels.items()}
    return [
        PartOfBoth(label, *(bars[side][number] if side in bars else None for side in ("old", "new")))
        for number, label in enumerate(PARTS.values())
    ]


def _levels(parts: Mapping[str, Any]) -> list[float]:
    """The rating at the start and after each part."""
    return list(accumulate((parts[name] for name in PARTS), initial=parts["start"]))


def _bars(parts: Mapping[str, Any], levels: Sequence[float], low: float, units: float) -> Iterator[PartBar]:
    for name, level in zip(PARTS, levels, strict=False):
        value = parts[name]
        yield PartBar(value, (min(level, level + value) - low) * units, max(abs(value) * units, THINNEST))


def _with_waterfalls(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    told = data["player"]["notice"]
    if told is None:
        raise NoPage(404, say("There is no such notice of this player: notices end after 30 days."))
    return {"moves": [(move, waterfalls(move)) for move in told["moves"]]}


def _position(request: Request) -> Mapping[str, Any]:
    return {"position": request.path_params["position"]}


PAGES = (
    page(path="/notices", name="notices"),
    page(path="/notices/{position:int}", name="notice", variables=_position, needs="notice"),
    page(
        path="/notices/{position:int}/players/{id}",
        name="player_notice",
        variables=_position,
        needs="player",
        adds=_with_waterfalls,
    ),
    page(path="/promotions/{position:int}", name="promotion", variables=_position, needs="promotion"),
)
