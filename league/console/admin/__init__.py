"""The admin's pages: what waits for an admin, settings, members, seasons, months, disputes, editions and replays."""

from league.console.admin import candidates, comparison, editions, members, promotion, rules, running

PAGES = (
    *promotion.PAGES, *candidates.PAGES, *rules.PAGES, *editions.PAGES, *comparison.PAGES, *running.PAGES,
    *members.PAGES,
)  # fmt: skip
