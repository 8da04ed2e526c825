"""The search over players, pairs, seasons and matches."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page

SHORTEST, LONGEST = 2, 200
"""Characters that are searched for."""


def _typed(request: Request) -> Mapping[str, Any]:
    typed = request.query_params.get("q", "").strip()[:LONGEST]
    return {"query": typed, "asked": len(typed) >= SHORTEST, "after": request.query_params.get("after")}


SEARCH = Page(
    path="/search",
    name="search",
    folder=Path(__file__).parent,
    document="search.graphql",
    template="search.html",
    variables=_typed,
)

PAGES = (SEARCH,)
