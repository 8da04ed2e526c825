"""The scorekeeper's pages: the desk, and the forms of hands, matches, players and sheets."""

from league.console.scorekeeping import desk, hands, matches, offline, player_lists

PAGES = (*hands.PAGES, *matches.PAGES, *desk.PAGES, *player_lists.PAGES, offline.OFFLINE)
