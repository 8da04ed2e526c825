"""Pages that explain a rating change, a hand or a standing, compare two runs, and show the ratings without a match."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.console.under_replay import REPLAY

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


def _change_of(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "of": request.path_params["of"]}


def _with_waterfall(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    return {"waterfall": waterfall(data["ratingChange"])}


def _change_in_run(request: Request) -> Mapping[str, Any]:
    replay = request.query_params.get(REPLAY, "")
    compared = replay.isdecimal() and len(replay) < 10  # noqa: PLR2004  # digits of GraphQL's Int
    return {**_change_of(request), "run": int(replay) if compared else None, "compared": compared}


def _hand_of(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "number": request.path_params["number"]}


def _with_a_hand(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    if data["match"]["hand"] is None:
        raise NoPage(404)
    return {}


def _standing_of(request: Request) -> Mapping[str, Any]:
    return {"isPair": "+" in request.path_params["of"]}


def _with_a_standing(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    who = data.get("player") or data.get("team")
    if who is None or who["series"]["standing"] is None:
        raise NoPage(404)
    return {}


def _match_and_player(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "player": request.query_params.get("player", "")}


WIDTH = 1000.0
"""The width of the drawing, in its units."""
THINNEST = 3.0
"""The least width of a bar, so that a bar of 0 can be seen."""


class WaterfallStep(Struct, frozen=True):
    """A bar of the waterfall: a term, its effect on the rating, and the place of the bar."""

    term: Mapping[str, Any]
    effect: float
    """In rating points."""
    left: float
    width: float


class Waterfall(Struct, frozen=True):
    """The bars in the order of the formula, and the places of the rating before and after."""

    steps: Sequence[WaterfallStep]
    before: float
    after: float


def waterfall(change: Mapping[str, Any]) -> Waterfall:
    """The waterfall of a rating change. `change`: as the API answers it."""
    return waterfalls([change])[0]


def waterfalls(changes: Sequence[Mapping[str, Any]]) -> list[Waterfall]:
    """The waterfalls of rating changes, on one scale, so that their bars can be compared."""
    effects = [[(term, effect) for term, effect in _effects(change) if effect is not None] for change in changes]
    levels = [
        list(accumulate((effect for _term, effect in terms), initial=change["before"]))
        for change, terms in zip(changes, effects, strict=True)
    ]
    heights = [level for of_one in levels for level in of_one]
    low, high = min(heights), max(heights)
    units = WIDTH / ((high - low) or 1.0)
    return [
        Waterfall(
            [
                WaterfallStep(
                    term, effect, (min(level, level + effect) - low) * units, max(abs(effect) * units, THINNEST)
                )
                for (term, effect), level in zip(terms, of_one, strict=False)
            ],
            (change["before"] - low) * units,
            (change["after"] - low) * units,
        )
        for change, terms, of_one in zip(changes, effects, levels, strict=True)
    ]


def change_in(explanation: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """A rating change with its numbers, from its explanation alone; None for a voided match, which changes nothing."""
    numbers = {term["name"]: term["value"] for term in explanation["terms"]}
    if explanation["value"] is None or not numbers:
        return None
    return {
        "before": numbers["BEFORE"],
        "k": numbers["K"],
        "after": explanation["value"],
        "explanation": explanation,
    }


def _effects(change: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], float | None]]:
    """Each term with what it adds to the rating; None for the rating before, and for K, which multiplies the others."""
    k = change["k"]
    for term in change["explanation"]["terms"]:
        match term["name"]:
            case "BEFORE" | "K":
                yield term, None
            case "EXPECTED":
                yield term, -k * term["value"]
            case _:
                yield term, k * term["value"]


PAGES = (
    page(
        path="/matches/{id}/changes/{of}",
        name="change",
        at_replay=True,
        variables=_change_of,
        needs="ratingChange",
        adds=_with_waterfall,
    ),
    page(
        path="/matches/{id}/changes/{of}/runs",
        name="change_in_runs",
        variables=_change_in_run,
        needs="ratingChange",
    ),
    page(
        path="/matches/{id}/hands/{number:int}",
        name="hand",
        at_replay=True,
        variables=_hand_of,
        needs="match",
        adds=_with_a_hand,
    ),
    page(
        path="/series/{month}/standings/{of}",
        name="standing",
        at_replay=True,
        variables=_standing_of,
        adds=_with_a_standing,
    ),
    page(
        path="/matches/{id}/what-if-not",
        name="what_if_not",
        variables=_match_and_player,
        needs="player",
        requires="whatIfNot",
    ),
)
