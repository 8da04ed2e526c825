"""The honours of closed months: who was first in the standings, who lost nothing; and the badges that they earn."""

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import timedelta

from msgspec import Struct
from psycopg import sql

from league.domain.rules import Badges
from league.projections import tables as t
from league.projections.competitor_columns import players_in
from league.projections.folds.careers import Badge
from league.projections.folds.match_fold import Rules
from league.projections.folds.series import BEYOND_LIMIT
from league.projections.runs import Conn, copy_rows, table_of
from league.projections.writers.calendar import Closing

MEASURES = ("month_won", "unbeaten_month")

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


class Honour(Struct, frozen=True):
    """First in a month's standings of a mode (a pair's partners both are), or unbeaten in a month over both modes."""

    player: str
    measure: str
    month: str
    mode: str | None


def store_honours(
    conn: Conn, run: int, rules: Rules, closings: Sequence[Closing], months: Container[str] | None = None
) -> None:
    """Find the honours of these closed months anew (None: of all), and the badges that honours earn."""
    anew = [closing for closing in closings if months is None or closing.month in months]
    honours = table_of(run, "honours")
    conn.execute(sql.SQL("DELETE FROM {} WHERE month = ANY(%s)").format(honours), ([c.month for c in anew],))
    rows = ((run, h.player, h.measure, h.month, h.mode) for h in _honours(conn, run, rules, anew))
    copy_rows(conn, t.honours, rows, run)
    badges = sql.SQL("DELETE FROM {} WHERE measure = ANY(%s)").format(table_of(run, "badges"))
    conn.execute(badges, (list(MEASURES),))
    held = conn.execute(sql.SQL("SELECT player_id, measure, month, mode FROM {}").format(honours)).fetchall()
    store_badges(conn, run, badges_of(closings, (Honour(*row) for row in held), rules))


def store_badges(conn: Conn, run: int, badges: Iterable[Badge]) -> None:
    """Write badges that were earned."""
    rows = ((run, b.player, b.badge, b.measure, b.threshold, b.earned_at, b.match, b.position) for b in badges)
    copy_rows(conn, t.badges, rows, run)


def badges_of(closings: Iterable[Closing], honours: Iterable[Honour], rules: Rules) -> Iterator[Badge]:
    """The badges that honours earn, in the order in which the months were closed, under the rules of each month."""
    by_month: dict[str, list[Honour]] = {}
    for honour in honours:
        by_month.setdefault(honour.month, []).append(honour)
    counts: dict[tuple[str, str], int] = {}
    earned: set[tuple[str, str]] = set()
    for closing in sorted(closings, key=lambda closing: closing.position):
        thresholds = thresholds_of_months(_badges_at(closing, rules))
        for honour in by_month.get(closing.month, ()):
            held = (honour.player, honour.measure)
            counts[held] = counts.get(held, 0) + 1
            for threshold in thresholds[honour.measure]:
                badge = f"{honour.measure}-{threshold}"
                if counts[held] >= threshold and (honour.player, badge) not in earned:
                    earned.add((honour.player, badge))
                    yield Badge(
                        honour.player, badge, honour.measure, threshold, closing.ends_at, None, closing.position
                    )


def _honours(conn: Conn, run: int, rules: Rules, closings: Sequence[Closing]) -> list[Honour]:
    months = [closing.month for closing in closings]
    winners = sql.SQL(WINNERS).format(standings=table_of(run, "standings"), players=players_in("id"))
    honours = [
        Honour(player, "month_won", month, mode) for month, mode, player in conn.execute(winners, (months,)).fetchall()
    ]
    least = {closing.month: _badges_at(closing, rules).unbeaten_month.games for closing in closings}
    unbeaten = sql.SQL(UNBEATEN).format(
        games=table_of(run, "series_games"), players_of_a=players_in("a"), players_of_b=players_in("b")
    )
    honours += [
        Honour(player, "unbeaten_month", month, None)
        for month, player, games in conn.execute(unbeaten, (months, BEYOND_LIMIT)).fetchall()
        if games >= least[month]
    ]
    return honours


def _badges_at(closing: Closing, rules: Rules) -> Badges:
    """The edition under which a match at the very end of the month would have been played."""
    return rules.at(closing.ends_at - timedelta(microseconds=1)).rulebook.badges


def thresholds_of_months(badges: Badges) -> dict[str, tuple[int, ...]]:
    """By measure, the numbers of honours that earn a badge."""
    return {"month_won": badges.month_won, "unbeaten_month": badges.unbeaten_month.thresholds}
