"""The monthly series in two runs: standings and encounters that differ."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Integer, Subquery, column, func, or_, select

from league.projections import tables as t
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    of_player,
    rows_of,
    same_names,
)
from league.projections.queries.pages import Order, Query

# ---------------------------------------------------------------- standings

s = t.standings.c

_STANDING_KEY = (column("month", t.Id), column("mode", t.Id), column("id", t.Id))


class StandingMoveRow(NamedTuple):
    """A standing in two runs; None where a run does not have it."""

    month: str
    mode: str
    id: str
    rank_before: int | None
    rank_after: int | None
    total_before: int | None
    total_after: int | None
    change: int | None
    """Points of the total gained."""


class StandingPairRow(NamedTuple):
    """A standing in two runs, whether it differs or not; None where a run does not have it."""

    month: str
    mode: str
    id: str
    rank_before: int | None
    rank_after: int | None
    wins_before: int | None
    wins_after: int | None
    losses_before: int | None
    losses_after: int | None
    total_before: int | None
    total_after: int | None


def every_standing(two: TwoRuns) -> Query:
    """Rows of StandingPairRow: the standings of all months, in the order of the second run."""
    of_first, of_second = (_ranked_standings(run, None, None) for run in (two.first, two.second))
    both, key = joined(of_first, of_second, "month", "mode", "id")
    names = ("rank", "wins", "losses", "total")
    rows = select(*key, *before_and_after(of_first, of_second, *names)).select_from(both).subquery("listed")
    c = rows.c
    return select(rows).order_by(c.month, c.mode, c.rank_after.asc().nulls_last(), c.id)


def standings(two: TwoRuns, *, month: str | None = None, mode: str | None = None, player: str | None = None) -> Query:
    """Rows of StandingMoveRow: standings with a different rank or total."""
    of_first, of_second = _ranked_standings(two.first, month, mode), _ranked_standings(two.second, month, mode)
    both, key = joined(of_first, of_second, "month", "mode", "id")
    before, after = of_first.c, of_second.c
    change = after.total - before.total
    rows = (
        select(
            *key,
            *before_and_after(of_first, of_second, "rank", "total"),
            change.label("change"),
            (-func.coalesce(func.abs(change), 0)).label("smallness"),
        )
        .select_from(both)
        .where(or_(before.rank.is_distinct_from(after.rank), before.total.is_distinct_from(after.total)))
    )
    return listed(rows if player is None else rows.where(of_player(player, key[-1])))


STANDINGS = DifferenceList(
    StandingMoveRow,
    standings,
    {
        # By points of the total; standings that only one run has come last.
        "largest_first": Order((column("smallness", Integer()), *_STANDING_KEY)),
        "by_id": Order(_STANDING_KEY),
    },
    same_names("month", "mode", "id", "rank_before", "rank_after", "total_before", "total_after"),
)


def _ranked_standings(run: int, month: str | None, mode: str | None) -> Subquery:
    rank = func.rank().over(partition_by=(s.month, s.mode), order_by=s.total.desc())
    query = select(s.month, s.mode, s.id, s.wins, s.losses, s.total, rank.label("rank")).where(s.run == run)
    if month is not None:
        query = query.where(s.month == month)
    return (query if mode is None else query.where(s.mode == mode)).subquery()


# ---------------------------------------------------------------- encounters


e = t.series_pairs.c


class EncounterMoveRow(NamedTuple):
    """The games of two competitors against each other in a month, in two runs; None where a run has none.

    Wins and points are those of `a` and `b`, the competitors in the order of their ids.
    """

    month: str
    mode: str
    a: str
    b: str
    a_wins_before: int | None
    a_wins_after: int | None
    b_wins_before: int | None
    b_wins_after: int | None
    a_series_points_before: int | None
    """Series points that `a` holds of `b`; negative if `b` holds them."""
    a_series_points_after: int | None
    a_game_points_before: int | None
    """Game points of `a` less those of `b`."""
    a_game_points_after: int | None
    locked_before: bool | None
    """Whether the two have played as many games as count."""
    locked_after: bool | None
    ignored_before: int | None
    """Games after that, which do not count."""
    ignored_after: int | None


_OF_ENCOUNTERS = ("a_wins", "b_wins", "a_series_points", "a_game_points", "locked", "ignored")


def encounters(two: TwoRuns, *, month: str | None = None, mode: str | None = None, player: str | None = None) -> Query:
    """Rows of EncounterMoveRow: encounters with other games, other points, or that only one run locks."""
    wanted: list[ColumnElement[bool]] = [] if month is None else [e.month == month]
    wanted += [] if mode is None else [e.mode == mode]
    wanted += [] if player is None else [or_(of_player(player, e.a), of_player(player, e.b))]
    of_first, of_second = rows_of(t.series_pairs, two, *wanted)
    both, key = joined(of_first, of_second, "month", "mode", "a", "b")
    rows = select(*key, *before_and_after(of_first, of_second, *_OF_ENCOUNTERS)).select_from(both)
    return listed(rows.where(or_(*(of_first.c[name].is_distinct_from(of_second.c[name]) for name in _OF_ENCOUNTERS))))


ENCOUNTERS = DifferenceList(
    EncounterMoveRow,
    encounters,
    {"by_month": Order(tuple(column(name, t.Id) for name in ("month", "mode", "a", "b")))},
    same_names(
        "month", "mode", "a", "b", *(f"{name}_{when}" for name in _OF_ENCOUNTERS for when in ("before", "after"))
    ),
)
