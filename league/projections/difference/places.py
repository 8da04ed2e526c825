"""Places on leaderboards that differ between two runs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Float,
    Select,
    Subquery,
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
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS, boards_of, ranked
from league.projections.boards.series import months
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    of_player,
    same_names,
)
from league.projections.display_rules import Shown
from league.projections.queries.pages import Order, Query

_KEY = tuple(column(name, t.Id) for name in ("board", "month", "mode", "id"))
BY_ID = Order(_KEY)
LARGEST_FIRST = Order((column("smallness", BigInteger()), *_KEY))
"""Ordered by ranks gained or lost; places without a rank in one run come last."""


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


def every_board(conn: Connection, two: TwoRuns) -> list[Board]:
    """The boards of the whole league, without inactive players; the series of every month that either run has."""
    of_either = sorted({*months(conn, two.first), *months(conn, two.second)})
    return [board for definition in BOARDS.values() for board in boards_of(definition, of_either)]


def places(two: TwoRuns, boards: Sequence[Board], *, player: str | None = None) -> Query:
    """Rows of PlaceMoveRow: the places that differ on these boards."""
    rows = union_all(*(_on_board(two, board, player) for board in boards)).subquery("listed")
    return select(rows)


PLACES = DifferenceList(
    PlaceMoveRow,
    places,
    {"largest_first": LARGEST_FIRST, "by_id": BY_ID},
    same_names("board", "month", "mode", "id", "rank_before", "rank_after", "value_before", "value_after"),
    whole=lambda conn, two: {"boards": every_board(conn, two)},
)


def _on_board(two: TwoRuns, board: Board, player: str | None) -> Select[Any]:
    of_first = _ranked(two.first, board, two.first_shown, "first")
    of_second = _ranked(two.second, board, two.second_shown, "second")
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
        (-func.coalesce(func.abs(change), 0)).label("smallness"),
    )
    differs = or_(before.rank.is_distinct_from(after.rank), before.value.is_distinct_from(after.value))
    query = query.select_from(both).where(differs)
    return query if player is None else query.where(of_player(player, id_))


def _ranked(run: int, board: Board, shown: Shown | None, name: str) -> Subquery:
    """A board with its ranks; empty if the run has no decided match."""
    if shown is None:
        empty = (cast(null(), t.Id).label("id"), cast(null(), BigInteger).label("rank"))
        return select(*empty, cast(null(), Float(53)).label("value")).where(false()).subquery(name)
    places = ranked(run, board, shown).c
    return select(places.id, places.rank, cast(places.value, Float(53)).label("value")).subquery(name)
