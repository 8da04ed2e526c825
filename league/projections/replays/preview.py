"""What other facts of some matches would change in the official league: figures, and the largest changes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from psycopg import Connection as Conn
from sqlalchemy import Connection, func, or_, select, tuple_

from league.domain.match import MatchState
from league.domain.merges import Aliases, MergeEvent, evolve
from league.domain.not_judged import NotJudged
from league.domain.series import month_of
from league.infra.database import WITHOUT_TIME_LIMITS, engine
from league.projections import tables as t
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.difference import badges as badge_reads
from league.projections.difference import hands as hand_reads
from league.projections.difference import moves as move_reads
from league.projections.difference import places as place_reads
from league.projections.difference import results as result_reads
from league.projections.difference import standings as standing_reads
from league.projections.difference.badges import BadgeMoveRow
from league.projections.difference.hands import HandMoveRow
from league.projections.difference.moves import MoveRow
from league.projections.difference.places import PlaceMoveRow
from league.projections.difference.results import ResultRow
from league.projections.difference.two_runs import TwoRuns, joined, rows_of, two_runs
from league.projections.queries.official import chosen_run
from league.projections.queries.pages import Order, Query, count
from league.projections.queries.rows import R, typed
from league.projections.replays.what_if import fold_with
from league.projections.runs import position_of
from league.projections.writers.calendar import calendar_of
from league.projections.writers.match_rows import Key, first_decided
from league.projections.writers.merged_players import aliases_of, facts_of_moved, merges_of

MOST = 50
"""The most rows of a list; its figure counts all of them."""
MOST_OFFSET = timedelta(hours=15)
"""No clock is further from UTC."""


class MonthMoves(NamedTuple):
    """A month with standings that would change."""

    month: str
    mode: str
    changed: int
    """How many standings would change."""
    closed: bool
    """Whether the month is closed: its published list stays as it is."""


class NotJudgedInMatch(NamedTuple):
    """Something that the rules would not judge in a match."""

    match_id: str
    found: NotJudged


class Preview(Struct, frozen=True):
    """What would change: rows of the difference between the league as it is and as it would be."""

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
    """Of the changed matches, those with a different result."""
    hands: Sequence[HandMoveRow]
    """Their hands that are scored differently."""
    badges_gained: int
    badges_lost: int
    badges: Sequence[BadgeMoveRow]
    """Badges gained, lost, or earned by a different event."""
    ranks_changed: int
    """Places on the boards of the whole league, except the series."""
    places: Sequence[PlaceMoveRow]
    """Standings with a different rank, largest change first."""
    months: Sequence[MonthMoves]
    not_judged: Sequence[NotJudgedInMatch] = ()
    """All that the rules would not judge in the matches."""


class MergePreview(Struct, frozen=True):
    """What a merge, or its undoing, would change."""

    matches: int
    """Those that would count for the kept player, or again for the dropped one."""
    changes: Preview


class ZonePreview(Struct, frozen=True):
    """What another time zone of the league would change."""

    matches: int
    """Those that would count in another month."""
    closed_months: tuple[str, ...]
    """The closed months that would lose matches, or get some."""
    changes: Preview


def compared(url: str, states: Mapping[str, MatchState], player: str | None = None) -> Preview:
    """Compare the official league with the one that these facts would give. Stores nothing and blocks no other session.

    `player`: only the ratings, badges, boards and standings of this player and of pairs with them. Raises NotFound
    before the league is projected.
    """
    with _official(url) as (conn, run):
        return _compared(conn, run, states, aliases_of(_beneath(conn)), player)


def compared_merged(url: str, change: MergeEvent) -> MergePreview:
    """Compare the official league with the one in which two ids are one player, or two again, as `compared` does."""
    with _official(url) as (conn, run):
        merges = merges_of(_beneath(conn))
        before, after = merges.aliases(), evolve(merges, change).aliases()
        states: dict[str, MatchState] = {}
        for page in facts_of_moved(_beneath(conn), before, after, before):
            states.update(page)
        return MergePreview(len(states), _compared(conn, run, states, after, None))


def compared_in_zone(url: str, time_zone: str) -> ZonePreview:
    """Compare the official league with the one in another time zone, as `compared` does. `time_zone`: a known one."""
    with _official(url) as (conn, run):
        beneath = _beneath(conn)
        calendar, zone = calendar_of(beneath), ZoneInfo(time_zone)
        moved = list(_moved_months(conn, run, calendar.zone, zone))
        # The folds read the time zone from the table; for the rest of this transaction its name means this copy.
        beneath.execute("CREATE TEMP TABLE league ON COMMIT DROP AS SELECT * FROM league")
        beneath.execute("UPDATE pg_temp.league SET time_zone = %s", (time_zone,))
        again = first_decided(beneath, run) if moved else None
        changes = _compared(conn, run, {}, aliases_of(beneath), None, again)
        closed = {one.month for one in calendar.closings} & {month for both in moved for month in both}
        return ZonePreview(len(moved), tuple(sorted(closed)), changes)


def _moved_months(conn: Connection, run: int, before: ZoneInfo, after: ZoneInfo) -> Iterator[tuple[str, str]]:
    """For each match that would count in another month, that month before and after."""
    m = t.matches.c
    early, late = (func.date_trunc("month", m.began_at + hours, "UTC") for hours in (-MOST_OFFSET, MOST_OFFSET))
    near = select(m.began_at).where(m.run == run, m.status != "voided", early != late)
    for began_at in conn.scalars(near):
        both = month_of(began_at, before), month_of(began_at, after)
        if both[0] != both[1]:
            yield both


@contextmanager
def _official(url: str) -> Iterator[tuple[Connection, int]]:
    """A connection that sees the league at one moment, and the official run; what it writes is rolled back."""
    pool = engine(url, pool_size=1, limits=WITHOUT_TIME_LIMITS)
    try:
        with pool.execution_options(isolation_level="REPEATABLE READ").connect() as conn:
            # Closing the connection rolls back what was written.
            yield conn, chosen_run(conn, None)
    finally:
        pool.dispose()


def _beneath(conn: Connection) -> Conn:
    beneath = conn.connection.driver_connection
    assert isinstance(beneath, Conn)
    return beneath


def _compared(
    conn: Connection,
    run: int,
    states: Mapping[str, MatchState],
    aliases: Aliases,
    player: str | None,
    again: Key | None = None,
) -> Preview:
    beneath = _beneath(conn)
    position = position_of(beneath, run)
    other, key = fold_with(beneath, run, states, aliases, again=again)
    two = two_runs(conn, run, other)
    moves = move_reads.moves(two, player=player)
    subjects = _counts(conn, moves, "subject", "id")
    fates = _counts(conn, badge_reads.badges(two, player=player), "what")
    boards = [Board(kind) for kind, definition in BOARDS.items() if not definition.monthly]
    places = _with_another_rank(place_reads.places(two, boards, player=player))
    return Preview(
        position=position,
        players_moved=subjects.get("player", 0),
        teams_moved=subjects.get("team", 0),
        moves=_first(conn, MoveRow, moves, move_reads.LARGEST_FIRST),
        matches_rated_anew=_rated_anew(conn, two, key),
        results=_results(conn, two, list(states)),
        hands=_hands(conn, two, list(states)),
        badges_gained=fates.get(badge_reads.GAINED, 0),
        badges_lost=fates.get(badge_reads.LOST, 0),
        badges=_first(conn, BadgeMoveRow, badge_reads.badges(two, player=player), badge_reads.BY_ID),
        ranks_changed=count(conn, places),
        places=_first(conn, PlaceMoveRow, places, place_reads.LARGEST_FIRST),
        months=_months(conn, two, player),
    )


def _first(conn: Connection, kind: type[R], rows: Query, order: Order) -> Sequence[R]:
    return list(typed(kind, conn.execute(rows.order_by(*order.columns).limit(MOST))))


def _hands(conn: Connection, two: TwoRuns, matches: list[str]) -> Sequence[HandMoveRow]:
    return list(typed(HandMoveRow, conn.execute(hand_reads.other_hands(two, matches).order_by("match_id", "hand"))))


def _counts(conn: Connection, rows: Query, by: str, distinct: str | None = None) -> dict[str, int]:
    """How many rows there are of each kind, or how many distinct ones."""
    c = rows.subquery().c
    counted = func.count() if distinct is None else func.count(c[distinct].distinct())
    return {row[0]: row[1] for row in conn.execute(select(c[by], counted).group_by(c[by]))}


def _with_another_rank(places: Query) -> Query:
    rows = places.subquery("places")
    return select(rows).where(rows.c.rank_before.is_distinct_from(rows.c.rank_after))


def _results(conn: Connection, two: TwoRuns, matches: list[str]) -> Sequence[ResultRow]:
    rows = result_reads.results(two).subquery("results")
    query = select(rows).where(rows.c.match_id.in_(matches)).order_by(rows.c.match_id)
    return list(typed(ResultRow, conn.execute(query)))


def _rated_anew(conn: Connection, two: TwoRuns, key: Key | None) -> int:
    """From the first changed match on, the matches with different rating changes."""
    if key is None:
        return 0
    c = t.changes.c
    first, second = rows_of(t.changes, two, tuple_(c.decided_at, c.match_id) >= tuple_(*key))
    both, (match_id, *_) = joined(first, second, "match_id", "subject", "id")
    differs = or_(*(first.c[name].is_distinct_from(second.c[name]) for name in ("before", "after")))
    rows = select(match_id).select_from(both).where(differs).distinct()
    return count(conn, select(rows.subquery()))


def _months(conn: Connection, two: TwoRuns, player: str | None) -> Sequence[MonthMoves]:
    s, closed = standing_reads.standings(two, player=player).subquery("standings").c, t.closed_months.c
    is_closed = select(closed.month).where(closed.month == s.month).exists().label("closed")
    query = select(s.month, s.mode, func.count().label("changed"), is_closed).group_by(s.month, s.mode)
    return list(typed(MonthMoves, conn.execute(query.order_by(s.month, s.mode))))
