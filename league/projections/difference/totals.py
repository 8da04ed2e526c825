"""The difference between two runs in a few figures; and its lists.

A new list is an entry here, a field of the API and a table of `league difference`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, FromClause, Select, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from league.projections import tables as t
from league.projections.difference.overview import OTHER_MONTHS, OTHER_SEASONS
from league.projections.difference.places import BADGES, EARNED_OTHERWISE, GAINED, LOST, PLACES, badges
from league.projections.difference.ratings import CHANGES, DIVERGENCES, MOVES, ForecastLosses, moves, predictions
from league.projections.difference.results import HANDS, RESULTS, other_hands, results
from league.projections.difference.series import ENCOUNTERS, STANDINGS, encounters, standings
from league.projections.difference.two_runs import DifferenceList, TwoRuns, scored_alike
from league.projections.queries.pages import Query

r = t.ratings.c


class DifferenceCounts(Struct, frozen=True):
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
    encounters_changed: int
    """Pairs of competitors with other games or points against each other in the series of a month."""
    badges_gained: int
    badges_lost: int
    badges_earned_otherwise: int
    """Badges that a different event earns."""

    @property
    def drift(self) -> float:
        """The change of the mean rating; 0 where one run has no ratings."""
        return 0.0 if self.mean_before is None or self.mean_after is None else self.mean_after - self.mean_before


class DifferenceFigures(DifferenceCounts, frozen=True):
    """Counts of what differs, and how well both runs foresaw results."""

    predictions: tuple[ForecastLosses, ...]


Rows = Callable[[Select[Any]], Sequence[Any]]
"""Executes a query. A promotion counts in a transaction of psycopg, which is no connection of SQLAlchemy."""


def totals(conn: Connection, two: TwoRuns) -> DifferenceFigures:
    """Compare two runs in figures, by a few aggregates."""
    alike = scored_alike(conn, two)
    counts = counted(lambda query: conn.execute(query).all(), two, moves(two).subquery(), scored_alike=alike)
    return DifferenceFigures(**asdict(counts), predictions=predictions(conn, two))


def counted(rows: Rows, two: TwoRuns, moved: FromClause, *, scored_alike: bool = False) -> DifferenceCounts:
    """Count what differs between two runs. `moved`: the ratings that move, with what they are before and after.

    `scored_alike`: nothing differs in what the rules of matches and of the series decide, so it need not be read.
    """

    def count(query: Query) -> int:
        return 0 if scored_alike else int(rows(query.with_only_columns(func.count(), maintain_column_froms=True))[0][0])

    moves_counted = rows(_moves_counted(moved))[0]
    b = badges(two).subquery().c
    fates = dict[str, int](rows(select(b.what, func.count()).group_by(b.what)))
    return DifferenceCounts(
        players_moved=moves_counted.players,
        teams_moved=moves_counted.teams,
        largest_move=moves_counted.largest or 0.0,
        median_move=moves_counted.median or 0.0,
        mean_move=moves_counted.mean or 0.0,
        mean_before=rows(_mean(two.first))[0][0],
        mean_after=rows(_mean(two.second))[0][0],
        matches_changed=count(results(two)),
        hands_changed=count(other_hands(two)),
        standings_changed=count(standings(two)),
        encounters_changed=count(encounters(two)),
        badges_gained=fates.get(GAINED, 0),
        badges_lost=fates.get(LOST, 0),
        badges_earned_otherwise=fates.get(EARNED_OTHERWISE, 0),
    )


def _moves_counted(moved: FromClause) -> Select[Any]:
    m = moved.c
    size = func.abs(m.after - m.before)
    return select(
        func.count(m.id.distinct()).filter(m.subject == "player").label("players"),
        func.count(m.id.distinct()).filter(m.subject == "team").label("teams"),
        func.max(size).label("largest"),
        func.percentile_cont(0.5).within_group(size).label("median"),
        # Floats are added in a fixed order, so equal leagues have equal figures to the last bit.
        func.avg(aggregate_order_by(size, size)).label("mean"),
    ).where(m.mode != "overall")


def _mean(run: int) -> Select[Any]:
    query = select(func.avg(aggregate_order_by(r.rating, r.rating)))
    return query.where(r.run == run, r.subject == "player", r.mode != "overall")


LISTS: dict[str, DifferenceList[Any]] = {
    "moves": MOVES,
    "places": PLACES,
    "standings": STANDINGS,
    "encounters": ENCOUNTERS,
    "badges": BADGES,
    "results": RESULTS,
    "hands": HANDS,
    "divergences": DIVERGENCES,
    "changes": CHANGES,
    "seasons": OTHER_SEASONS,
    "months": OTHER_MONTHS,
}
"""The lists of a difference by name, in the order in which they are printed."""
