"""The lists of a difference: a new one is an entry here, a field of the API and a table of `league difference`."""

from typing import Any

from league.projections.difference.badges import BADGES
from league.projections.difference.divergences import DIVERGENCES
from league.projections.difference.moves import MOVES
from league.projections.difference.places import PLACES
from league.projections.difference.results import RESULTS
from league.projections.difference.standings import STANDINGS
from league.projections.difference.two_runs import DifferenceList

LISTS: dict[str, DifferenceList[Any]] = {
    "moves": MOVES,
    "places": PLACES,
    "standings": STANDINGS,
    "badges": BADGES,
    "results": RESULTS,
    "divergences": DIVERGENCES,
}
"""By name, in the order in which they are printed."""
