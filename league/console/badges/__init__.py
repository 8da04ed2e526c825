"""The badges that can be earned, and their holders."""

from pathlib import Path

from league.console.pages import Page

HERE = Path(__file__).parent

BADGES = Page(path="/badges", name="badges", folder=HERE, document="badges.graphql", template="badges.html")

BADGE = Page(
    path="/badges/{key}",
    name="badge",
    folder=HERE,
    document="badge.graphql",
    template="badge.html",
    needs="badge",
)

PAGES = (BADGES, BADGE)
