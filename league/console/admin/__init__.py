"""The admin's pages: what waits for an admin, settings, members, seasons, months, disputes, merges and editions."""

from league.console.admin import disputes, editions, members, merges, months, overview, seasons, settings

PAGES = (
    *overview.PAGES,
    *settings.PAGES,
    *members.PAGES,
    *seasons.PAGES,
    *months.PAGES,
    *disputes.PAGES,
    *merges.PAGES,
    *editions.PAGES,
)
