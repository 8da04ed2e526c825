"""Writes the rows of fold 2 for the series: games, pairs and standings of months; honours and lists of closed months.

Closing a month publishes its standings. Nothing changes the list afterwards; reopening the month withdraws it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import astuple
from psycopg import sql

from league.domain.league import MonthClosed, MonthReopened
from league.domain.seating import JOINT
from league.domain.series import SERIES_MODES, Encounter, bounds
from league.eventlog.records import LoggedEvent
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.folds.badges import MONTH_BADGES
from league.projections.folds.careers import AwardedBadge, Honour, LeagueCalendar, MonthClosure, badges_at, badges_of
from league.projections.folds.league_fold import BEYOND_LIMIT, PairTally, SeriesGame, after_game, encounter_of, game_of
from league.projections.folds.match_fold import DecidedMatch, RulesTimeline
from league.projections.runs import Conn, first_value, table_of
from league.projections.writers.match_rows import Key

# ---------------------------------------------------------------- games, pairs and standings


MOST_PAIRS = 50_000
"""How many changed pairs are held in memory before they are written."""

STANDINGS = """
    INSERT INTO {standings} (run, mode, month, id, wins, losses, series_points, total)
    SELECT {run}, mode, month, id, sum(wins), sum(losses), sum(series_points),
           (array_agg(start ORDER BY entered_at, entered_match))[1] + sum(series_points + game_points)
    FROM (
        SELECT p.mode, p.month, p.a AS id, a_wins AS wins, b_wins AS losses, a_series_points AS series_points,
               a_game_points AS game_points, start, entered_at, entered_match
        FROM {pairs} AS p JOIN unnest(%(modes)s::text[], %(months)s::text[], %(ids)s::text[]) AS d (mode, month, id)
            ON p.mode = d.mode AND p.month = d.month AND p.a = d.id
        UNION ALL
        SELECT p.mode, p.month, p.b, b_wins, a_wins, -a_series_points, -a_game_points, start, entered_at, entered_match
        FROM {pairs} AS p JOIN unnest(%(modes)s::text[], %(months)s::text[], %(ids)s::text[]) AS d (mode, month, id)
            ON p.mode = d.mode AND p.month = d.month AND p.b = d.id
    ) AS held
    GROUP BY mode, month, id
"""


class SeriesFold:
    """The series of a run while matches are folded in the order decided; `close` writes the remaining rows.

    `is_first`: the run has no games yet.
    """

    def __init__(self, conn: Conn, run: int, rules: RulesTimeline, calendar: LeagueCalendar, *, is_first: bool) -> None:
        self._conn, self._run, self._rules, self._calendar = conn, run, rules, calendar
        self._all_in_memory = is_first
        """Whether no pair is written yet."""
        self._zone = calendar.zone
        self._pairs: dict[Encounter, PairTally | None] = {}
        """Pairs that changed and are not written yet."""
        self._months: set[str] = set()
        """Months in which something changed."""

    def forget(self, key: Key) -> None:
        """Remove the games from a place in the decided order on."""
        if self._all_in_memory:
            return
        query = sql.SQL(
            "WITH removed AS (DELETE FROM {} WHERE (decided_at, match_id) >= (%s, %s) RETURNING mode, month, a, b)"
            " SELECT DISTINCT mode, month, a, b FROM removed"
        )
        removed = self._conn.execute(query.format(table_of(self._run, "series_games")), key).fetchall()
        for start in range(0, len(removed), MOST_PAIRS):
            self._load([Encounter(*row) for row in removed[start : start + MOST_PAIRS]])
            self._write_when_many()

    def take(self, page: Sequence[DecidedMatch]) -> None:
        """Apply the next matches."""
        self._load({encounter_of(match, self._zone) for match in page if match.mode in SERIES_MODES})
        games: list[SeriesGame] = []
        for match in page:
            if match.mode in SERIES_MODES:
                rules = self._rules.by_hash[match.edition].rulebook.series
                pair = self._pairs[encounter_of(match, self._zone)]
                game = game_of(pair, match, rules, self._zone)
                games.append(game)
                self._pairs[game.encounter] = after_game(pair, game, rules)
        rows = (
            (self._run, g.match, *_key(g.encounter), g.decided_at, g.a_won, g.counts_zero, g.edition) for g in games
        )
        copy_rows(self._conn, t.series_games, rows, self._run)
        self._write_when_many()

    def close(self) -> None:
        """Write the changed pairs, and the standings of their competitors."""
        pairs, self._pairs = self._pairs, {}
        if not pairs:
            return
        self._months |= {encounter.month for encounter in pairs}
        competitors = sorted({(e.mode, e.month, id_) for e in pairs for id_ in (e.a, e.b)})
        if not self._all_in_memory:
            self._delete("series_pairs", ("mode", "month", "a", "b"), [_key(encounter) for encounter in pairs])
            self._delete("standings", ("mode", "month", "id"), competitors)
        self._all_in_memory = False
        # The row takes the fields in their order: the fields of PairTally are the last columns of `series_pairs`.
        rows = ((self._run, *_key(e), *astuple(pair)) for e, pair in pairs.items() if pair is not None)
        copy_rows(self._conn, t.series_pairs, rows, self._run)
        modes, months, ids = map(list, zip(*competitors, strict=True))
        query = sql.SQL(STANDINGS).format(
            run=self._run, standings=table_of(self._run, "standings"), pairs=table_of(self._run, "series_pairs")
        )
        self._conn.execute(query, {"modes": modes, "months": months, "ids": ids})

    def changed_closed_months(self) -> set[str]:
        """The closed months in which something changed."""
        return {closing.month for closing in self._calendar.closings} & self._months

    def _write_when_many(self) -> None:
        if len(self._pairs) >= MOST_PAIRS:
            self.close()

    def _load(self, encounters: Iterable[Encounter]) -> None:
        """Fold the stored games of these pairs, unless the pairs are in memory."""
        new = [encounter for encounter in encounters if encounter not in self._pairs]
        if not new:
            return
        self._pairs.update(dict.fromkeys(new))
        if self._all_in_memory:
            return
        query = sql.SQL(
            "SELECT g.mode, g.month, g.a, g.b, decided_at, match_id, a_won, counts_zero, edition FROM {} AS g"
            " JOIN unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS d (mode, month, a, b)"
            " ON g.mode = d.mode AND g.month = d.month AND g.a = d.a AND g.b = d.b ORDER BY decided_at, match_id"
        )
        columns = [list(column) for column in zip(*map(_key, new), strict=True)]
        for row in self._conn.execute(query.format(table_of(self._run, "series_games")), columns).fetchall():
            decided_at, match, a_won, counts_zero, edition = row[4:]
            game = SeriesGame(Encounter(*row[:4]), match, decided_at, a_won, counts_zero, edition)
            rules = self._rules.by_hash[edition].rulebook.series
            self._pairs[game.encounter] = after_game(self._pairs[game.encounter], game, rules)

    def _delete(self, table: str, columns: Sequence[str], keys: Sequence[Sequence[Any]]) -> None:
        arrays = sql.SQL(", ").join([sql.SQL("%b::text[]")] * len(columns))
        names = [sql.Identifier(column) for column in columns]
        same = sql.SQL(" AND ").join(sql.SQL("r.{0} = d.{0}").format(name) for name in names)
        query = sql.SQL("DELETE FROM {} AS r USING unnest({}) AS d ({}) WHERE {}").format(
            table_of(self._run, table), arrays, sql.SQL(", ").join(names), same
        )
        self._conn.execute(query, [list(column) for column in zip(*keys, strict=True)])


def _key(encounter: Encounter) -> tuple[str, str, str, str]:
    return (encounter.mode, encounter.month, encounter.a, encounter.b)


# ---------------------------------------------------------------- honours of closed months


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


def _players_in(column: str) -> sql.Composed:
    """The ids of the players in a column of competitor ids, as an array (see `tables.players_of`)."""
    return sql.SQL("string_to_array({}, {})").format(sql.Identifier(column), JOINT)


def store_honours(
    conn: Conn, run: int, rules: RulesTimeline, closings: Sequence[MonthClosure], months: Collection[str] | None = None
) -> None:
    """Replace the honours of these months (None: all), and the badges that honours earn. An open month has none."""
    affected = [closing for closing in closings if months is None or closing.month in months]
    honours = table_of(run, "honours")
    if months is None:
        conn.execute(sql.SQL("DELETE FROM {}").format(honours))
    else:
        conn.execute(sql.SQL("DELETE FROM {} WHERE month = ANY(%s)").format(honours), (list(months),))
    found = [honour for badge in MONTH_BADGES for honour in HONOURS[badge.name](conn, run, rules, affected)]
    copy_rows(conn, t.honours, ((run, *astuple(honour)) for honour in found), run)
    badges = sql.SQL("DELETE FROM {} WHERE measure = ANY(%s)").format(table_of(run, "badges"))
    conn.execute(badges, ([badge.name for badge in MONTH_BADGES],))
    held = conn.execute(sql.SQL("SELECT player_id, measure, month, mode FROM {}").format(honours)).fetchall()
    store_badges(conn, run, badges_of(closings, (Honour(*row) for row in held), rules))


def store_badges(conn: Conn, run: int, badges: Iterable[AwardedBadge]) -> None:
    """Write earned badges."""
    rows = ((run, b.player, b.badge, b.measure, b.threshold, b.earned_at, b.match, b.position) for b in badges)
    copy_rows(conn, t.badges, rows, run)


def _winners(conn: Conn, run: int, _: RulesTimeline, closings: Sequence[MonthClosure]) -> Iterator[Honour]:
    """The players who are first in the standings of a month and mode."""
    query = sql.SQL(WINNERS).format(standings=table_of(run, "standings"), players=_players_in("id"))
    for month, mode, player in conn.execute(query, ([closing.month for closing in closings],)).fetchall():
        yield Honour(player, "month_won", month, mode)


def _unbeaten(conn: Conn, run: int, rules: RulesTimeline, closings: Sequence[MonthClosure]) -> Iterator[Honour]:
    """Players without a lost game in a month, over both modes, who have played as many games as the rules require."""
    least = {closing.month: badges_at(closing, rules).unbeaten_month.games for closing in closings}
    query = sql.SQL(UNBEATEN).format(
        games=table_of(run, "series_games"), players_of_a=_players_in("a"), players_of_b=_players_in("b")
    )
    for month, player, games in conn.execute(query, (list(least), BEYOND_LIMIT)).fetchall():
        if games >= least[month]:
            yield Honour(player, "unbeaten_month", month, None)


HONOURS = {"month_won": _winners, "unbeaten_month": _unbeaten}
"""The function that finds the honours of each badge of a month."""


# ---------------------------------------------------------------- closing and reopening months


PUBLISH = """
    INSERT INTO published_standings (month, mode, id, rank, wins, losses, series_points, total)
    SELECT month, mode, id, rank() OVER (PARTITION BY mode ORDER BY total DESC), wins, losses, series_points, total
    FROM {} WHERE month = %s
"""


def calendar_of(conn: Conn) -> LeagueCalendar:
    """The calendar according to the read tables."""
    zone = first_value(conn, "SELECT time_zone FROM league") or "UTC"
    closings = conn.execute("SELECT month, ends_at, position FROM closed_months").fetchall()
    return LeagueCalendar(ZoneInfo(zone), tuple(MonthClosure(*closing) for closing in closings))


def close_month(conn: Conn, run: int, rules: RulesTimeline, closed: LoggedEvent) -> None:
    """Publish the standings of a month. `run` must be folded up to the event that closes it."""
    assert isinstance(closed.event, MonthClosed)
    month = closed.event.month
    _, ends_at = bounds(month, calendar_of(conn).zone)
    conn.execute(
        "INSERT INTO closed_months (month, ends_at, closed_at, position) VALUES (%s, %s, %s, %s)",
        (month, ends_at, closed.recorded_at, closed.position),
    )
    conn.execute(sql.SQL(PUBLISH).format(table_of(run, "standings")), (month,))
    store_honours(conn, run, rules, calendar_of(conn).closings, {month})


def reopen_month(conn: Conn, run: int, rules: RulesTimeline, reopened: LoggedEvent) -> None:
    """Withdraw the published standings of a month, and the badges that it gave."""
    assert isinstance(reopened.event, MonthReopened)
    month = reopened.event.month
    for table in ("published_standings", "closed_months"):
        conn.execute(sql.SQL("DELETE FROM {} WHERE month = %s").format(sql.Identifier(table)), (month,))
    store_honours(conn, run, rules, calendar_of(conn).closings, {month})
