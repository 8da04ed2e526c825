"""The admin's pages: what waits for an admin, settings, members, seasons, months, disputes, editions and replays."""

from league.console.admin import members, rules, running

PAGES = (*rules.PAGES, *running.PAGES, *members.PAGES)
