"""All pages that have no link in the top bar."""

from pathlib import Path

from league.console.pages import Page

MORE = Page(path="/more", name="more", folder=Path(__file__).parent, document="more.graphql", template="more.html")

PAGES = (MORE,)
