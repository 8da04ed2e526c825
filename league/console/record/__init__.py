"""The scorekeeper's desk: open matches, the hands recorded last, and what to do next."""

from pathlib import Path

from league.console.pages import Page

DESK = Page(
    path="/record",
    name="record",
    folder=Path(__file__).parent,
    document="record.graphql",
    template="record.html",
    requires="recordHand",
)

PAGES = (DESK,)
