"""What waits for an admin, and the way to all their pages."""

from pathlib import Path

from league.console.pages import Page

ADMIN = Page(
    path="/admin",
    name="admin",
    folder=Path(__file__).parent,
    document="overview.graphql",
    template="overview.html",
    requires="readMembers",
)

PAGES = (ADMIN,)
