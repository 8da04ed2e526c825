"""A competitor's partners and opponents, the most frequent first."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Integer, Subquery, column, func, select, true

from league.projections import competitor_columns
from league.projections import tables as t
from league.projections.queries.pages import Order, Query
from league.projections.queries.played import Counted, conditions

a = t.appearances.c


class CompanyRow(NamedTuple):
    """A partner or an opponent: matches with or against them, and how many of these the list's owner won."""

    id: str
    matches: int
    wins: int


MOST_OFTEN_FIRST = Order((column("seldom", Integer), column("id", t.Id)))


def partners_of(run: int, player: ColumnElement[str], counted: Counted) -> Query:
    """The players who have played on a player's side: id, matches, wins."""
    met = _met(a.partner.label("id")).where(a.partner.is_not(None), a.run == run, *conditions(a, counted))
    grouped = _most_often(met)
    return select(grouped).where(grouped.c.player_id == player)


def opponents_of_player(run: int, player: ColumnElement[str], counted: Counted) -> Query:
    """The players who have played against a player: id, matches, wins."""
    opponent = func.unnest(a.opponents).table_valued("id").render_derived(name="opponent")
    met = _met(opponent.c.id.collate("C").label("id")).join(opponent, true())
    grouped = _most_often(met.where(a.run == run, *conditions(a, counted)))
    return select(grouped).where(grouped.c.player_id == player)


def opponents_of_pair(run: int, pair: ColumnElement[str], counted: Counted) -> Query:
    """The pairs that have played against a pair: id, matches, wins."""
    seats = [a.opponents[number].collate("C") for number in (1, 2)]
    team = competitor_columns.pair_of(*seats)
    met = _met(team.label("id"), a.partner).where(a.partner.is_not(None), a.run == run, *conditions(a, counted))
    grouped = _most_often(met, "partner")
    players = (grouped.c.player_id, grouped.c.partner)
    own = competitor_columns.partners_of(pair)
    return select(grouped).where(*(seat == player for seat, player in zip(players, own, strict=True)))


def _met(*columns: Any) -> Query:
    """A row for each player whom a player met in a match."""
    return select(a.player_id, a.won, *columns).select_from(t.appearances)


def _most_often(met: Query, *also: str) -> Subquery:
    """By player, whom they met and how often; if one player is asked for, the database reads no other player's rows."""
    m = met.subquery("met").c
    keys = (m.player_id, *(m[name] for name in also), m.id)
    times = func.count()
    # Pages go by ascending keys.
    figures = (times.label("matches"), func.count().filter(m.won).label("wins"), (-times).label("seldom"))
    return select(*keys, *figures).group_by(*keys).subquery("grouped")
