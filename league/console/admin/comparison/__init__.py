"""The comparison of a replay with the official league or with another replay: the page, its lists, and explanations."""

from league.console.admin.comparison import lists, pages
from league.console.admin.comparison.lists import routes

PAGES = (*lists.PAGES, *pages.PAGES)

__all__ = ["PAGES", "routes"]
