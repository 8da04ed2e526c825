"""Replays: what if other rules held? Start one, watch it, see who moves, promote it, roll back."""

from league.console.replays.changing import CHANGES
from league.console.replays.reading import PAGES as READING
from league.console.replays.starting import NEW

PAGES = (NEW, *CHANGES, *READING)
