"""The difference between two runs in a few figures; and its lists.

A new list is an entry here, a field of the API and a table of `league difference`.
"""

from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from league.projections import tables as t
from league.projections.difference.places import (
    BADGES,
    EARNED_OTHERWISE,
    GAINED,
    LOST,
    PLACES,
    STANDINGS,
    badges,
    standings,
)
from league.projections.difference.ratings import DIVERGENCES, MOVES, ForecastLosses, moves, predictions
from league.projections.difference.two_runs import RESULTS, DifferenceList, TwoRuns, other_hands, results
from league.projections.queries.pages import count, typed

r = t.ratings.c


class DifferenceFigures(Struct, frozen=True):
    """Counts of what differs. Moves are moves of 1v1 and 2v2 ratings; the overall rating is derived from these."""

    players_moved: int
    """Players with a rating that differs."""
    teams_moved: int
    largest_move: float
    """Rating points, up or down; 0 if no rating moves. The median and the mean cover only the ratings that move."""
    median_move: float
    mean_move: float
    mean_before: float | None
    """The mean of all player ratings in 1v1 and 2v2; None if there are none."""
    mean_after: float | None
    matches_changed: int
    """Matches with a different winner, score or status."""
    hands_changed: int
    """Hands of any match, with a different winner or points, or that count in one run only."""
    standings_changed: int
    """Standings with a different rank or total in the series of a month."""
    badges_gained: int
    badges_lost: int
    badges_earned_otherwise: int
    """Badges that a different event earns."""
    predictions: tuple[ForecastLosses, ...]

    @property
    def drift(self) -> float:
        """The change of the mean rating; 0 where one run has no ratings."""
        return 0.0 if self.mean_before is None or self.mean_after is None else self.mean_after - self.mean_before


def totals(conn: Connection, two: TwoRuns) -> DifferenceFigures:
    """Compare two runs in figures, by a few aggregates."""
    moved, changed = _moved(conn, two), _badges(conn, two)
    return DifferenceFigures(
        players_moved=moved.players,
        teams_moved=moved.teams,
        largest_move=moved.largest or 0.0,
        median_move=moved.median or 0.0,
        mean_move=moved.mean or 0.0,
        mean_before=_mean(conn, two.first),
        mean_after=_mean(conn, two.second),
        matches_changed=count(conn, results(two)),
        hands_changed=count(conn, other_hands(two)),
        standings_changed=count(conn, standings(two)),
        badges_gained=changed.get(GAINED, 0),
        badges_lost=changed.get(LOST, 0),
        badges_earned_otherwise=changed.get(EARNED_OTHERWISE, 0),
        predictions=predictions(conn, two),
    )


class _Moved(NamedTuple):
    """The ratings that moved, counted; None where none did."""

    players: int
    teams: int
    largest: float | None
    median: float | None
    mean: float | None


def _moved(conn: Connection, two: TwoRuns) -> _Moved:
    m = moves(two).subquery().c
    size = func.abs(m.change)
    query = select(
        func.count(m.id.distinct()).filter(m.subject == "player").label("players"),
        func.count(m.id.distinct()).filter(m.subject == "team").label("teams"),
        func.max(size).label("largest"),
        func.percentile_cont(0.5).within_group(size).label("median"),
        # Floats are added in a fixed order, so equal leagues have equal figures to the last bit.
        func.avg(aggregate_order_by(size, size)).label("mean"),
    )
    return next(typed(_Moved, conn.execute(query.where(m.mode != "overall"))))


def _mean(conn: Connection, run: int) -> float | None:
    query = select(func.avg(aggregate_order_by(r.rating, r.rating)))
    mean: float | None = conn.scalar(query.where(r.run == run, r.subject == "player", r.mode != "overall"))
    return mean


def _badges(conn: Connection, two: TwoRuns) -> dict[str, int]:
    b = badges(two).subquery().c
    rows = conn.execute(select(b.what, func.count().label("badges")).group_by(b.what))
    return {row.what: row.badges for row in rows}


LISTS: dict[str, DifferenceList[Any]] = {
    "moves": MOVES,
    "places": PLACES,
    "standings": STANDINGS,
    "badges": BADGES,
    "results": RESULTS,
    "divergences": DIVERGENCES,
}
"""The lists of a difference by name, in the order in which they are printed."""
