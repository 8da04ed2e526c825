"""The league at a glance: the first page, search, seasons, badges, rules, proposals, and the way to all other pages."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import Ask, NoPage, Visitor, document_in
from league.console.pages import FRAME, Page, with_fields_of_features
from league.console.present import edition_in_force, present
from league.console.public import my_page
from league.console.site_part import homes_of

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


SHORTEST, LONGEST = 2, 200
"""The fewest characters that are searched for, and the most."""


def _typed(request: Request) -> Mapping[str, Any]:
    typed = request.query_params.get("q", "").strip()[:LONGEST]
    return {"query": typed, "asked": len(typed) >= SHORTEST, "after": request.query_params.get("after")}


def _ruleset(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The ruleset that the address names, in force or the first one to begin. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    if edition and edition["ruleset"] is not None:
        return {"edition": edition, "ruleset": edition["ruleset"], "begins": None}
    later = [
        span
        for span in data["timeline"]
        if span["edition"]["ruleset"] is not None
        and span["start"]
        and datetime.fromisoformat(span["start"]) > present()
    ]
    if not later:
        raise NoPage(404)
    edition = later[0]["edition"]
    return {"edition": edition, "ruleset": edition["ruleset"], "begins": later[0]["start"]}


async def _complete_home(ask: Ask, variables: Mapping[str, Any], data: dict[str, Any], visitor: Visitor) -> None:
    """Add what waits for the visitor, and what features show those who keep score."""
    await my_page.complete(ask, variables, data, visitor)
    data["homes"] = homes_of(visitor) if data["league"] else []
    for home in data["homes"]:
        found = await ask(with_fields_of_features(document_in(home.document)), {})
        data[home.name] = {**found, **home.adds(found)}


PAGES = (
    page(path="/", name="home", completes=_complete_home),
    page(
        path="/badges",
        name="badges",
        at_replay=True,
        document="query Badges { league { name timeZone } badges { key measure threshold description holderCount } }",
    ),
    page(path="/badges/{key}", name="badge", at_replay=True, needs="badge"),
    page(
        path="/seasons",
        name="seasons",
        at_replay=True,
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
    page(path="/seasons/{id}", name="season", at_replay=True, needs="season"),
    page(path="/search", name="search", variables=_typed),
    page(path="/more", name="more", document=FRAME),
    page(
        path="/rules",
        name="rules",
        at_replay=True,
        adds=lambda data, _request: {"edition": edition_in_force(data["timeline"])},
    ),
    page(path="/rules/{name}", name="ruleset", at_replay=True, adds=_ruleset),
    page(path="/proposals", name="proposals"),
)
