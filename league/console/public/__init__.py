"""Pages that everybody can read, and the ways to sign in."""

from league.console.public import (
    matches,
    my_page,
    notices,
    overview,
    players,
    rankings,
    signed_log,
    signing_in,
    why,
)

PAGES = (
    *overview.PAGES, *rankings.PAGES, *matches.PAGES, *players.PAGES, *why.PAGES, *notices.PAGES,
    *my_page.PAGES, *signed_log.PAGES, *signing_in.PAGES,
)  # fmt: skip
