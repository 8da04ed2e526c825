"""Places on leaderboards, and badges, that differ between two runs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Float,
    Select,
    Subquery,
    case,
    cast,
    column,
    false,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)

from league.projections import tables as t
from league.projections.boards.board import BoardKey, DisplayRules
from league.projections.boards.dated_boards import months
from league.projections.boards.definitions import BOARDS, boards_of, ranked
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
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot

# ---------------------------------------------------------------- places


_PLACE_KEY = tuple(column(name, t.Id) for name in ("board", "month", "mode", "id"))


class PlaceMoveRow(NamedTuple):
    """A place in two runs: ranks are None while provisional; ranks and values are None where a run lacks the place."""

    board: str
    month: str
    """Empty on boards other than the series, as is the mode."""
    mode: str
    id: str
    rank_before: int | None
    rank_after: int | None
    value_before: float | None
    value_after: float | None
    change: int | None
    """Ranks gained."""
    value_change: float | None
    """What the value gained, in the unit of the board."""


def every_board(conn: Connection, two: TwoRuns) -> list[BoardKey]:
    """The boards of the whole league, without inactive players; the series of every month that either run has."""
    of_either = sorted({*months(conn, two.first), *months(conn, two.second)})
    return [board for definition in BOARDS.values() for board in boards_of(definition, of_either)]


def places(two: TwoRuns, boards: Sequence[BoardKey], *, player: str | None = None) -> Query:
    """Rows of PlaceMoveRow: the places that differ on these boards."""
    rows = union_all(*(_on_board(two, board, player) for board in boards)).subquery("listed")
    return select(rows)


PLACES = DifferenceList(
    PlaceMoveRow,
    places,
    {
        # By ranks gained or lost; places without a rank in one run come last.
        "largest_first": Order((column("smallness", BigInteger()), *_PLACE_KEY)),
        # By the change of the value; places that only one run has come last.
        "largest_value_first": Order((column("value_smallness", Float(53)), *_PLACE_KEY)),
        "by_id": Order(_PLACE_KEY),
    },
    same_names("board", "month", "mode", "id", "rank_before", "rank_after", "value_before", "value_after"),
    whole=lambda conn, two: {"boards": every_board(conn, two)},
)


def _on_board(two: TwoRuns, board: BoardKey, player: str | None) -> Select[Any]:
    of_first = _ranked_places(two.first, board, two.first_shown, "first")
    of_second = _ranked_places(two.second, board, two.second_shown, "second")
    both, (id_,) = joined(of_first, of_second, "id")
    before, after = of_first.c, of_second.c
    change = before.rank - after.rank
    query = select(
        literal(board.kind, t.Text).collate("C").label("board"),
        literal(board.month, t.Text).collate("C").label("month"),
        literal(board.mode, t.Text).collate("C").label("mode"),
        id_,
        *before_and_after(of_first, of_second, "rank", "value"),
        change.label("change"),
        (after.value - before.value).label("value_change"),
        (-func.coalesce(func.abs(change), 0)).label("smallness"),
        (-func.coalesce(func.abs(after.value - before.value), 0.0)).label("value_smallness"),
    )
    differs = or_(before.rank.is_distinct_from(after.rank), before.value.is_distinct_from(after.value))
    query = query.select_from(both).where(differs)
    return query if player is None else query.where(of_player(player, id_))


def _ranked_places(run: int, board: BoardKey, shown: DisplayRules | None, name: str) -> Subquery:
    """A board with its ranks; empty if the run has no decided match."""
    if shown is None:
        empty = (cast(null(), t.Id).label("id"), cast(null(), BigInteger).label("rank"))
        return select(*empty, cast(null(), Float(53)).label("value")).where(false()).subquery(name)
    places = ranked(run, board, shown).c
    return select(places.id, places.rank, cast(places.value, Float(53)).label("value")).subquery(name)


# ---------------------------------------------------------------- badges


b = t.badges.c

GAINED, LOST, EARNED_OTHERWISE = "gained", "lost", "earned_otherwise"


class BadgeMoveRow(NamedTuple):
    """A badge in two runs, with the event that earned it; None where a run does not award it.

    A badge of a month has no match.
    """

    id: str
    """The player's id."""
    badge: str
    measure: str
    threshold: int
    what: str
    """`gained`, `lost` or `earned_otherwise` (both runs award it, for different events)."""
    earned_at_before: datetime | None
    earned_at_after: datetime | None
    match_id_before: str | None
    match_id_after: str | None
    position_before: int | None
    position_after: int | None


def badges(two: TwoRuns, *, what: str | None = None, player: str | None = None) -> Query:
    """Rows of BadgeMoveRow: badges that only one run awards, or that a different event earns."""
    of_first, of_second = rows_of(t.badges, two, *([] if player is None else [b.player_id == player]))
    both, _ = joined(of_first, of_second, "player_id", "badge")
    first, second = of_first.c, of_second.c
    kind = case((first.badge.is_(None), GAINED), (second.badge.is_(None), LOST), else_=EARNED_OTHERWISE)
    rows = (
        select(
            func.coalesce(first.player_id, second.player_id).label("id"),
            *(func.coalesce(first[name], second[name]).label(name) for name in ("badge", "measure", "threshold")),
            kind.label("what"),
            *before_and_after(of_first, of_second, "earned_at", "match_id", "position"),
        )
        .select_from(both)
        .where(first.position.is_distinct_from(second.position))
    )
    return listed(rows if what is None else rows.where(kind == what))


BADGES = DifferenceList(
    BadgeMoveRow,
    badges,
    {"by_id": Order((column("id", t.Id), column("badge", t.Id)))},
    {
        **same_names("id", "badge", "what", "earned_at_before", "earned_at_after"),
        "match_before": "match_id_before",
        "match_after": "match_id_after",
        **same_names("position_before", "position_after"),
    },
)


def board_of(snapshot: Snapshot, kind: str, region: str | None, month: str | None, mode: str) -> BoardKey:
    """The key of a board. Month and mode count on boards of the series; month None: the latest. Raises InvalidInput."""
    if not BOARDS[kind].monthly:
        return BoardKey(kind, region)
    return BoardKey(kind, region, month=month_named(snapshot, mode, month).month, mode=mode)
