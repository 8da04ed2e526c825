"""Why a number is what it is: a rating change, a hand, a standing; in two runs; and without a match."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.console.why.waterfall import waterfall

HERE = Path(__file__).parent


def _change_of(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "of": request.path_params["of"]}


def _with_waterfall(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    return {"waterfall": waterfall(data["ratingChange"])}


CHANGE = Page(
    path="/matches/{id}/changes/{of}",
    name="change",
    folder=HERE,
    document="change.graphql",
    template="change.html",
    variables=_change_of,
    needs="ratingChange",
    adds=_with_waterfall,
)


def _change_in_run(request: Request) -> Mapping[str, Any]:
    run = request.query_params.get("run", "")
    compared = run.isdecimal() and len(run) < 10  # noqa: PLR2004  # digits of GraphQL's Int
    return {**_change_of(request), "run": int(run) if compared else None, "compared": compared}


CHANGE_IN_RUNS = Page(
    path="/matches/{id}/changes/{of}/runs",
    name="change_in_runs",
    folder=HERE,
    document="change_in_runs.graphql",
    template="change_in_runs.html",
    variables=_change_in_run,
    needs="ratingChange",
)


def _hand_of(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "number": request.path_params["number"]}


def _with_a_hand(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    if data["match"]["hand"] is None:
        raise NoPage(404)
    return {}


HAND = Page(
    path="/matches/{id}/hands/{number:int}",
    name="hand",
    folder=HERE,
    document="hand.graphql",
    template="hand.html",
    variables=_hand_of,
    needs="match",
    adds=_with_a_hand,
)


def _standing_of(request: Request) -> Mapping[str, Any]:
    return {"isPair": "+" in request.path_params["of"]}


def _with_a_standing(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    who = data.get("player") or data.get("team")
    if who is None or who["series"]["standing"] is None:
        raise NoPage(404)
    return {}


STANDING = Page(
    path="/series/{month}/standings/{of}",
    name="standing",
    folder=HERE,
    document="standing.graphql",
    template="standing.html",
    variables=_standing_of,
    adds=_with_a_standing,
)


def _match_and_player(request: Request) -> Mapping[str, Any]:
    return {"match": request.path_params["id"], "player": request.query_params.get("player", "")}


WHAT_IF_NOT = Page(
    path="/matches/{id}/what-if-not",
    name="what_if_not",
    folder=HERE,
    document="what_if_not.graphql",
    template="what_if_not.html",
    variables=_match_and_player,
    needs="player",
    requires="whatIfNot",
)

PAGES = (CHANGE, CHANGE_IN_RUNS, HAND, STANDING, WHAT_IF_NOT)
