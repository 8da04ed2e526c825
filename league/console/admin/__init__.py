"""The admin's pages: what waits, settings, members, seasons, months, disputes, backups, editions and replays."""

from league.console.admin import backups, candidates, comparison, editions, members, promotion, rules, running

PAGES = (
    *promotion.PAGES, *candidates.PAGES, *rules.PAGES, *editions.PAGES, *comparison.PAGES, *running.PAGES,
    *members.PAGES, *backups.PAGES,
)  # fmt: skip
