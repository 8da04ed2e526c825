"""Previews: what would change in the official league if some matches had other facts, in figures and largest changes.

The league is folded again with these facts, in temporary tables of one transaction. This writes nothing that other
sessions read or write, so it blocks none. It copies only what the folds read again, so the cost depends on the change.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Connection, func, or_, select, tuple_

from league.domain.match import MatchState
from league.domain.not_judged import NotJudged
from league.domain.player import Aliases, MergeEvent, evolve_merges
from league.domain.series import month_of
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.difference.places import BADGES, GAINED, LOST, PLACES, BadgeMoveRow, PlaceMoveRow
from league.projections.difference.ratings import MOVES, MoveRow
from league.projections.difference.results import RESULTS, HandMoveRow, ResultRow, other_hands
from league.projections.difference.series import STANDINGS
from league.projections.difference.two_runs import TwoRuns, joined, rows_of, two_runs
from league.projections.queries.pages import Order, Query, R, count, typed
from league.projections.replays.temporary_runs import beneath_of, fold_with, official_apart
from league.projections.runs import position_of
from league.projections.writers.catalogue import aliases_of, facts_of_moved, merges_of
from league.projections.writers.match_rows import Key, first_decided
from league.projections.writers.series_rows import calendar_of

MOST = 50
"""The most rows in a list. The figure beside the list counts all of them."""
MOST_OFFSET = timedelta(hours=15)
"""The largest offset of a time zone from UTC, rounded up."""


class MonthMoves(NamedTuple):
    """A month with standings that would change."""

    month: str
    mode: str
    changed: int
    """How many standings would change."""
    closed: bool
    """Whether the month is closed: its published list stays as it is."""


class NotJudgedRow(NamedTuple):
    """Something that the rules would not judge in a match."""

    match_id: str
    found: NotJudged


class PreviewedChanges(Struct, frozen=True):
    """The changes that would follow: rows of the difference between the league as it is and as it would be."""

    position: int
    """The log position at which the league is compared."""
    players_moved: int
    """Players whose 1v1 or 2v2 rating moves."""
    teams_moved: int
    moves: Sequence[MoveRow]
    """Ratings, largest move first."""
    matches_rated_anew: int
    """Matches with different rating changes."""
    results: Sequence[ResultRow]
    """The matches with changed facts that get a different result."""
    hands: Sequence[HandMoveRow]
    """The hands of matches with changed facts that are scored differently."""
    badges_gained: int
    badges_lost: int
    badges: Sequence[BadgeMoveRow]
    """Badges gained, lost, or earned by a different event."""
    ranks_changed: int
    """Places on the boards of the whole league, except the series."""
    places: Sequence[PlaceMoveRow]
    """Standings with a different rank, largest change first."""
    months: Sequence[MonthMoves]
    not_judged: Sequence[NotJudgedRow] = ()
    """Everything that the rules would not judge in the matches with changed facts."""


class PreviewedMerge(Struct, frozen=True):
    """The changes that a merge, or its undoing, would make."""

    matches: int
    """How many matches would count for the kept player, or, after an undoing, again for the dropped player."""
    changes: PreviewedChanges


class PreviewedZone(Struct, frozen=True):
    """The changes that another time zone of the league would make."""

    matches: int
    """How many matches would count in another month."""
    closed_months: tuple[str, ...]
    """The closed months that would lose or gain matches."""
    changes: PreviewedChanges


def compared(url: str, states: Mapping[str, MatchState], player: str | None = None) -> PreviewedChanges:
    """Compare the official league with the one that these facts would give. Stores nothing and blocks no other session.

    `player`: only the ratings, badges, boards and standings of this player and of pairs with them. Raises NotFound
    before the league is projected.
    """
    with official_apart(url) as (conn, run):
        return _compared(conn, run, states, aliases_of(beneath_of(conn)), player)


def compared_merged(url: str, change: MergeEvent) -> PreviewedMerge:
    """Compare the official league with the one in which two ids are one player, or two again, as `compared` does."""
    with official_apart(url) as (conn, run):
        merges = merges_of(beneath_of(conn))
        before, after = merges.aliases(), evolve_merges(merges, change).aliases()
        states: dict[str, MatchState] = {}
        for page in facts_of_moved(beneath_of(conn), before, after, before):
            states.update(page)
        return PreviewedMerge(len(states), _compared(conn, run, states, after, None))


def compared_in_zone(url: str, time_zone: str) -> PreviewedZone:
    """Compare the official league with itself in another time zone, as `compared` does. The time zone must be known."""
    with official_apart(url) as (conn, run):
        beneath = beneath_of(conn)
        calendar, zone = calendar_of(beneath), ZoneInfo(time_zone)
        moved = list(_moved_months(conn, run, calendar.zone, zone))
        # The folds read the time zone from the table; for the rest of this transaction its name means this copy.
        beneath.execute("CREATE TEMP TABLE league ON COMMIT DROP AS SELECT * FROM league")
        beneath.execute("UPDATE pg_temp.league SET time_zone = %s", (time_zone,))
        again = first_decided(beneath, run) if moved else None
        changes = _compared(conn, run, {}, aliases_of(beneath), None, again)
        closed = {one.month for one in calendar.closings} & {month for both in moved for month in both}
        return PreviewedZone(len(moved), tuple(sorted(closed)), changes)


def _moved_months(conn: Connection, run: int, before: ZoneInfo, after: ZoneInfo) -> Iterator[tuple[str, str]]:
    """The months before and after, for each match that would count in another month."""
    m = t.matches.c
    early, late = (func.date_trunc("month", m.began_at + hours, "UTC") for hours in (-MOST_OFFSET, MOST_OFFSET))
    near = select(m.began_at).where(m.run == run, m.status != "voided", early != late)
    for began_at in conn.scalars(near):
        both = month_of(began_at, before), month_of(began_at, after)
        if both[0] != both[1]:
            yield both


def _compared(
    conn: Connection,
    run: int,
    states: Mapping[str, MatchState],
    aliases: Aliases,
    player: str | None,
    again: Key | None = None,
) -> PreviewedChanges:
    beneath = beneath_of(conn)
    position = position_of(beneath, run)
    other, key = fold_with(beneath, run, states, aliases, again=again)
    two = two_runs(conn, run, other)
    moves = MOVES.query(two, player=player)
    subjects = _counts(conn, moves, "subject", "id")
    fates = _counts(conn, BADGES.query(two, player=player), "what")
    boards = [BoardKey(kind) for kind, definition in BOARDS.items() if not definition.monthly]
    places = _with_another_rank(PLACES.query(two, boards, player=player))
    hands = conn.execute(other_hands(two, list(states)).order_by("match_id", "hand"))
    return PreviewedChanges(
        position=position,
        players_moved=subjects.get("player", 0),
        teams_moved=subjects.get("team", 0),
        moves=_first(conn, MoveRow, moves, MOVES.usual),
        matches_rated_anew=_rated_anew(conn, two, key),
        results=_results(conn, two, list(states)),
        hands=list(typed(HandMoveRow, hands)),
        badges_gained=fates.get(GAINED, 0),
        badges_lost=fates.get(LOST, 0),
        badges=_first(conn, BadgeMoveRow, BADGES.query(two, player=player), BADGES.usual),
        ranks_changed=count(conn, places),
        places=_first(conn, PlaceMoveRow, places, PLACES.usual),
        months=_months(conn, two, player),
    )


def _first(conn: Connection, kind: type[R], rows: Query, order: Order) -> Sequence[R]:
    return list(typed(kind, conn.execute(rows.order_by(*order.columns).limit(MOST))))


def _counts(conn: Connection, rows: Query, by: str, distinct: str | None = None) -> dict[str, int]:
    """The number of rows for each value of the column `by`, or of distinct values of the column `distinct`."""
    c = rows.subquery().c
    counted = func.count() if distinct is None else func.count(c[distinct].distinct())
    return {row[0]: row[1] for row in conn.execute(select(c[by], counted).group_by(c[by]))}


def _with_another_rank(places: Query) -> Query:
    rows = places.subquery("places")
    return select(rows).where(rows.c.rank_before.is_distinct_from(rows.c.rank_after))


def _results(conn: Connection, two: TwoRuns, matches: list[str]) -> Sequence[ResultRow]:
    rows = RESULTS.query(two).subquery("results")
    query = select(rows).where(rows.c.match_id.in_(matches)).order_by(rows.c.match_id)
    return list(typed(ResultRow, conn.execute(query)))


def _rated_anew(conn: Connection, two: TwoRuns, key: Key | None) -> int:
    """The number of matches with different rating changes, looked for from the place `key` on."""
    if key is None:
        return 0
    c = t.changes.c
    first, second = rows_of(t.changes, two, tuple_(c.decided_at, c.match_id) >= tuple_(*key))
    both, (match_id, *_) = joined(first, second, "match_id", "subject", "id")
    differs = or_(*(first.c[name].is_distinct_from(second.c[name]) for name in ("before", "after")))
    rows = select(match_id).select_from(both).where(differs).distinct()
    return count(conn, select(rows.subquery()))


def _months(conn: Connection, two: TwoRuns, player: str | None) -> Sequence[MonthMoves]:
    s, closed = STANDINGS.query(two, player=player).subquery("standings").c, t.closed_months.c
    is_closed = select(closed.month).where(closed.month == s.month).exists().label("closed")
    query = select(s.month, s.mode, func.count().label("changed"), is_closed).group_by(s.month, s.mode)
    return list(typed(MonthMoves, conn.execute(query.order_by(s.month, s.mode))))
