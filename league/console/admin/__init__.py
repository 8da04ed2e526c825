"""The admin's pages: what waits, settings, the look of the club, members, seasons, disputes, editions, replays."""

from league.console.admin import (
    backups,
    candidates,
    club_look,
    comparison,
    editions,
    members,
    promotion,
    rules,
    running,
)

PAGES = (
    *promotion.PAGES, *candidates.PAGES, *rules.PAGES, *editions.PAGES, *comparison.PAGES, *running.PAGES,
    *members.PAGES, *backups.PAGES, *club_look.PAGES,
)  # fmt: skip
