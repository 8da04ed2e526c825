"""Matches: the list of all, and the page of one with its hands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page

HERE = Path(__file__).parent
FILTERS = ("mode", "region", "season", "competitor")
"""What a visitor may filter by in the address, beside the state."""


def _filter(request: Request) -> Mapping[str, Any]:
    """The filter in the address; what is left empty filters nothing."""
    asked = request.query_params
    wanted: dict[str, Any] = {
        name: asked[name] for name in ("mode", "region", "season", "competitor") if asked.get(name)
    }
    if asked.get("status"):
        wanted["status"] = [asked["status"]]
    return {"filter": wanted, "after": asked.get("after")}


MATCHES = Page(
    path="/matches",
    name="matches",
    folder=HERE,
    document="matches.graphql",
    template="matches.html",
    variables=_filter,
)

MATCH = Page(
    path="/matches/{id}",
    name="match",
    folder=HERE,
    document="match.graphql",
    template="match.html",
    variables=lambda request: {"id": request.path_params["id"]},
    needs="match",
)

PAGES = (MATCHES, MATCH)
