"""The seasons, and the matches of each."""

from pathlib import Path

from league.console.pages import Page

HERE = Path(__file__).parent

SEASONS = Page(
    path="/seasons",
    name="seasons",
    folder=HERE,
    document="seasons.graphql",
    template="seasons.html",
    variables=lambda request: {"before": request.query_params.get("before")},
)

SEASON = Page(
    path="/seasons/{id}",
    name="season",
    folder=HERE,
    document="season.graphql",
    template="season.html",
    variables=lambda request: {"id": request.path_params["id"], "after": request.query_params.get("after")},
    needs="season",
)

PAGES = (SEASONS, SEASON)
