"""With whom and against whom somebody has played, the most often first."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Integer, Subquery, column, func, select, true

from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.played import Counted, conditions

a = t.appearances.c


class CompanyRow(NamedTuple):
    """A partner or an opponent: matches with or against them, and how many of these the owner of the list won."""

    id: str
    matches: int
    wins: int


MOST_OFTEN_FIRST = Order((column("seldom", Integer), column("id", t.Id)))


def partners_of(run: int, player: ColumnElement[str], counted: Counted) -> Query:
    """The players who have sat on a player's side: id, matches, wins."""
    met = _met(a.partner.label("id")).where(a.partner.is_not(None), a.run == run, *conditions(a, counted))
    grouped = _most_often(met)
    return select(grouped).where(grouped.c.player_id == player)


def opponents_of_player(run: int, player: ColumnElement[str], counted: Counted) -> Query:
    """The players who have sat on another side than a player: id, matches, wins."""
    opponent = func.unnest(a.opponents).table_valued("id").render_derived(name="opponent")
    met = _met(opponent.c.id.collate("C").label("id")).join(opponent, true())
    grouped = _most_often(met.where(a.run == run, *conditions(a, counted)))
    return select(grouped).where(grouped.c.player_id == player)


def opponents_of_pair(run: int, pair: ColumnElement[str], counted: Counted) -> Query:
    """The pairs whom a pair has met: id, matches, wins."""
    seats = [a.opponents[number].collate("C") for number in (1, 2)]
    team = competitor_columns.pair_of(*seats)
    met = _met(team.label("id"), a.partner).where(a.partner.is_not(None), a.run == run, *conditions(a, counted))
    grouped = _most_often(met, "partner")
    players = (grouped.c.player_id, grouped.c.partner)
    own = competitor_columns.partners_of(pair)
    return select(grouped).where(*(seat == player for seat, player in zip(players, own, strict=True)))


def _met(*columns: Any) -> Query:
    """A row for each that a player met in a match."""
    return select(a.player_id, a.won, *columns).select_from(t.appearances)


def _most_often(met: Query, *also: str) -> Subquery:
    """By player, who was met and how often; where one player is asked for, the database reads no other's rows."""
    m = met.subquery("met").c
    keys = (m.player_id, *(m[name] for name in also), m.id)
    times = func.count()
    # Pages go by ascending keys.
    figures = (times.label("matches"), func.count().filter(m.won).label("wins"), (-times).label("seldom"))
    return select(*keys, *figures).group_by(*keys).subquery("grouped")
