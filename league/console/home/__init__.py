"""The first page: the league at a glance."""

from pathlib import Path

from league.console.pages import Page

HOME = Page(path="/", name="home", folder=Path(__file__).parent, document="home.graphql", template="home.html")

PAGES = (HOME,)
