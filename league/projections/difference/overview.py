"""In which months and seasons two runs differ, and by how much."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, case, column, func, literal, or_, select, union_all

from league.projections import tables as t
from league.projections.difference.results import m, other_hands, results
from league.projections.difference.series import encounters, standings
from league.projections.difference.two_runs import DifferenceList, TwoRuns, same_names
from league.projections.queries.pages import Order, Query

_ZONE = select(t.league.c.time_zone).scalar_subquery()


class OtherMonthRow(NamedTuple):
    """How many rows of other lists concern a month: matches that began in it, and its series."""

    month: str
    results: int
    """Matches with a different winner, score or status."""
    hands: int
    standings_of_players: int
    standings_of_pairs: int
    encounters: int


def other_months(two: TwoRuns, *, player: str | None = None) -> Query:
    """Rows of OtherMonthRow: the months in which something differs."""
    found = union_all(*_in_months(two, player)).subquery("found").c
    rows = select(found.month, *_counted(found.what, OtherMonthRow._fields[1:])).group_by(found.month)
    return select(rows.subquery("listed"))


def _in_months(two: TwoRuns, player: str | None) -> list[Select[Any]]:
    """The month of each row that differs, and what it is a row of."""
    of_results, of_hands = results(two, player=player).subquery(), _hands_with_beginning(two, player).subquery()
    of_standings, of_encounters = standings(two, player=player).subquery(), encounters(two, player=player).subquery()
    whose = case((of_standings.c.mode == "1v1", "standings_of_players"), else_="standings_of_pairs")
    return [
        select(_month_of(of_results.c.began_at), literal("results").label("what")),
        select(_month_of(of_hands.c.began_at), literal("hands").label("what")),
        select(of_standings.c.month, whose.label("what")),
        select(of_encounters.c.month, literal("encounters").label("what")),
    ]


def _month_of(began_at: ColumnElement[Any]) -> ColumnElement[str]:
    """The month of the series in which a match counts: the one in which it began, by the league's clock."""
    return func.to_char(func.timezone(_ZONE, began_at), "YYYY-MM").collate("C").label("month")


OTHER_MONTHS = DifferenceList(
    OtherMonthRow,
    other_months,
    {"by_month": Order((column("month", t.Id),))},
    same_names(*OtherMonthRow._fields),
)


class OtherSeasonRow(NamedTuple):
    """How many results and hands of a season differ."""

    season_id: str
    name: str
    results: int
    """Matches that began in the season, with a different winner, score or status."""
    hands: int


def other_seasons(two: TwoRuns, *, player: str | None = None) -> Query:
    """Rows of OtherSeasonRow: the seasons in which something differs. Matches outside all seasons are in no row."""
    parts = {"results": results(two, player=player), "hands": _hands_with_beginning(two, player)}
    found = union_all(
        *(
            select(rows.c.began_at, literal(what).label("what"))
            for what, rows in ((what, query.subquery()) for what, query in parts.items())
        )
    ).subquery("found")
    s = t.seasons.c
    is_in = and_(s.starts_at <= found.c.began_at, or_(s.ends_at.is_(None), found.c.began_at < s.ends_at))
    rows = select(s.season_id, s.name, s.starts_at, *_counted(found.c.what, ("results", "hands")))
    rows = rows.select_from(t.seasons.join(found, is_in)).group_by(s.season_id, s.name, s.starts_at)
    return select(rows.subquery("listed"))


OTHER_SEASONS = DifferenceList(
    OtherSeasonRow,
    other_seasons,
    {"by_beginning": Order((column("starts_at", t.Time), column("season_id", t.Id)))},
    {"season": "season_id", **same_names("name", "results", "hands")},
)


def _hands_with_beginning(two: TwoRuns, player: str | None) -> Query:
    """The hands that differ, each with the time when its match began."""
    hands = other_hands(two, player=player).subquery("hands")
    # A match that both runs have began at one time in both.
    began = select(m.match_id, func.min(m.began_at).label("began_at")).where(m.run.in_((two.first, two.second)))
    matches = began.group_by(m.match_id).subquery("began")
    return select(hands, matches.c.began_at).select_from(hands.join(matches, matches.c.match_id == hands.c.match_id))


def _counted(what: ColumnElement[str], names: tuple[str, ...]) -> list[ColumnElement[int]]:
    """How many rows of each kind."""
    return [func.count().filter(what == name).label(name) for name in names]
