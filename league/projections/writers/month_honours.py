"""The honours of closed months: first in the standings, or unbeaten; and the badges that honours earn."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from psycopg import sql

from league.projections import tables as t
from league.projections.competitor_columns import players_in
from league.projections.copy_rows import copy_rows
from league.projections.folds.badges import MONTH_BADGES
from league.projections.folds.calendar import Closing
from league.projections.folds.careers import Badge
from league.projections.folds.honours import Honour, badges_at, badges_of
from league.projections.folds.match_fold import Rules
from league.projections.folds.series import BEYOND_LIMIT
from league.projections.runs import Conn, table_of

WINNERS = """
    SELECT DISTINCT month, mode, unnest({players})
    FROM {standings} AS s
    WHERE month = ANY(%s) AND total = (
        SELECT max(total) FROM {standings} AS other WHERE other.month = s.month AND other.mode = s.mode)
"""
UNBEATEN = """
    SELECT month, player, count(*)
    FROM {games}, LATERAL (
        SELECT unnest({players_of_a}), a_won UNION ALL SELECT unnest({players_of_b}), NOT a_won
    ) AS played (player, won)
    WHERE month = ANY(%s) AND (counts_zero IS NULL OR counts_zero = %s)
    GROUP BY month, player HAVING bool_and(won)
"""


def store_honours(
    conn: Conn, run: int, rules: Rules, closings: Sequence[Closing], months: Collection[str] | None = None
) -> None:
    """Find the honours of these months again (None: all), and the badges that honours earn; an open month has none."""
    affected = [closing for closing in closings if months is None or closing.month in months]
    honours = table_of(run, "honours")
    if months is None:
        conn.execute(sql.SQL("DELETE FROM {}").format(honours))
    else:
        conn.execute(sql.SQL("DELETE FROM {} WHERE month = ANY(%s)").format(honours), (list(months),))
    rows = ((run, h.player, h.measure, h.month, h.mode) for h in _honours(conn, run, rules, affected))
    copy_rows(conn, t.honours, rows, run)
    badges = sql.SQL("DELETE FROM {} WHERE measure = ANY(%s)").format(table_of(run, "badges"))
    conn.execute(badges, ([badge.name for badge in MONTH_BADGES],))
    held = conn.execute(sql.SQL("SELECT player_id, measure, month, mode FROM {}").format(honours)).fetchall()
    store_badges(conn, run, badges_of(closings, (Honour(*row) for row in held), rules))


def store_badges(conn: Conn, run: int, badges: Iterable[Badge]) -> None:
    """Write earned badges."""
    rows = ((run, b.player, b.badge, b.measure, b.threshold, b.earned_at, b.match, b.position) for b in badges)
    copy_rows(conn, t.badges, rows, run)


def _honours(conn: Conn, run: int, rules: Rules, closings: Sequence[Closing]) -> list[Honour]:
    return [honour for badge in MONTH_BADGES for honour in HONOURS[badge.name](conn, run, rules, closings)]


def _winners(conn: Conn, run: int, _: Rules, closings: Sequence[Closing]) -> Iterator[Honour]:
    """The first in the standings of a month and mode."""
    query = sql.SQL(WINNERS).format(standings=table_of(run, "standings"), players=players_in("id"))
    for month, mode, player in conn.execute(query, ([closing.month for closing in closings],)).fetchall():
        yield Honour(player, "month_won", month, mode)


def _unbeaten(conn: Conn, run: int, rules: Rules, closings: Sequence[Closing]) -> Iterator[Honour]:
    """Players with no lost game in a month, over both modes, out of at least as many as the rules require."""
    least = {closing.month: badges_at(closing, rules).unbeaten_month.games for closing in closings}
    query = sql.SQL(UNBEATEN).format(
        games=table_of(run, "series_games"), players_of_a=players_in("a"), players_of_b=players_in("b")
    )
    for month, player, games in conn.execute(query, (list(least), BEYOND_LIMIT)).fetchall():
        if games >= least[month]:
            yield Honour(player, "unbeaten_month", month, None)


HONOURS = {"month_won": _winners, "unbeaten_month": _unbeaten}
"""By badge of a month, the function that finds its honours."""
