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
)

SEASON = Page(
    path="/seasons/{id}",
    name="season",
    folder=HERE,
    document="season.graphql",
    template="season.html",
    needs="season",
)

PAGES = (SEASONS, SEASON)
