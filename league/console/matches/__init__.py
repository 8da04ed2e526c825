"""Matches: the list of all, the page of one with its hands, and the deal and the turns of a hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.addresses import beginning_of, day_of, end_of
from league.console.asking import NoPage
from league.console.matches.chain import chain_of
from league.console.matches.match_picture import match_picture
from league.console.pages import Page

HERE = Path(__file__).parent
FILTERS = ("mode", "region", "season", "competitor")
"""What a visitor may filter by in the address, beside the state and the days."""


def _filter(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The filter in the address; what is left empty filters nothing."""
    asked = request.query_params
    wanted: dict[str, Any] = {name: asked[name] for name in FILTERS if asked.get(name)}
    if asked.get("status"):
        wanted["status"] = [asked["status"]]
    wanted["beganFrom"] = beginning_of(day_of(request, "from"), zone)
    wanted["beganBefore"] = end_of(day_of(request, "to"), zone)
    return {"filter": wanted}


def _with_the_turns(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    number = request.path_params["number"]
    hand = next((one for one in data["match"]["hands"] if str(one["number"]) == number), None)
    if hand is None or hand["transcript"] is None:
        raise NoPage(404)
    return {"hand": hand, "chain": chain_of(hand["transcript"]["turns"])}


MATCHES = Page(
    path="/matches",
    name="matches",
    folder=HERE,
    document="matches.graphql",
    template="matches.html",
    by_clock=_filter,
)

MATCH = Page(
    path="/matches/{id}",
    name="match",
    folder=HERE,
    document="match.graphql",
    template="match.html",
    needs="match",
    picture=match_picture,
)

TURNS = Page(
    path="/matches/{id}/hands/{number}/turns",
    name="turns",
    folder=HERE,
    document="turns.graphql",
    template="turns.html",
    needs="match",
    adds=_with_the_turns,
)

PAGES = (MATCHES, MATCH, TURNS)
