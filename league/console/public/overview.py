"""The league at a glance: the first page, the search, seasons, badges and rules, and the way to all other pages."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import FRAME, Page
from league.console.present import edition_in_force

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


SHORTEST, LONGEST = 2, 200
"""The fewest characters that are searched for, and the most."""


def _typed(request: Request) -> Mapping[str, Any]:
    typed = request.query_params.get("q", "").strip()[:LONGEST]
    return {"query": typed, "asked": len(typed) >= SHORTEST, "after": request.query_params.get("after")}


def _ruleset(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The ruleset that the address names. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    for ruleset in edition["rulesets"] if edition else ():
        if ruleset["name"] == request.path_params["name"]:
            return {"edition": edition, "ruleset": ruleset}
    raise NoPage(404)


PAGES = (
    page(path="/", name="home"),
    page(
        path="/badges",
        name="badges",
        document="query Badges { league { name timeZone } badges { key measure threshold description holderCount } }",
    ),
    page(path="/badges/{key}", name="badge", needs="badge"),
    page(
        path="/seasons",
        name="seasons",
        document="""
          query Seasons($before: String) {
            league { name timeZone }
            seasons(last: 50, before: $before) {
              pageInfo { hasPreviousPage startCursor }
              nodes { seasonId name start end }
            }
          }
        """,
    ),
    page(path="/seasons/{id}", name="season", needs="season"),
    page(path="/search", name="search", variables=_typed),
    page(path="/more", name="more", document=FRAME),
    page(
        path="/rules",
        name="rules",
        adds=lambda data, _request: {"edition": edition_in_force(data["timeline"])},
    ),
    page(path="/rules/{name}", name="ruleset", adds=_ruleset),
)
