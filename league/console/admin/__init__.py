"""The admin's pages: what waits for an admin, settings, members, seasons, months, disputes and editions."""

from league.console.admin import disputes, editions, members, months, overview, seasons, settings

PAGES = (
    *overview.PAGES,
    *settings.PAGES,
    *members.PAGES,
    *seasons.PAGES,
    *months.PAGES,
    *disputes.PAGES,
    *editions.PAGES,
)
