"""Ratings that differ between two runs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Float, column, func, select

from league.projections import tables as t
from league.projections.boards.board import Board
from league.projections.boards.definitions import ranked, rating_boards
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    joined,
    listed,
    of_player,
    rows_of,
    same_names,
)
from league.projections.queries.pages import Order, Query

r = t.ratings.c

_KEY = (column("subject", t.Id), column("id", t.Id), column("mode", t.Id))
BY_ID = Order(_KEY)
LARGEST_FIRST = Order((column("smallness", Float(53)), *_KEY))


class MoveRow(NamedTuple):
    """A rating in two runs; None where a run does not have it."""

    subject: str
    """`player` or `team`."""
    id: str
    mode: str
    """`1v1`, `2v2` or `overall`."""
    before: float | None
    after: float | None
    change: float | None


def moves(two: TwoRuns, *, mode: str | None = None, subject: str | None = None, player: str | None = None) -> Query:
    """Rows of MoveRow: the ratings that differ. A rating that only one run has counts as the smallest change."""
    wanted = [] if mode is None else [r.mode == mode]
    wanted += [] if subject is None else [r.subject == subject]
    wanted += [] if player is None else [of_player(player, r.id)]
    of_first, of_second = rows_of(t.ratings, two, *wanted)
    both, key = joined(of_first, of_second, "subject", "id", "mode")
    before, after = of_first.c.rating, of_second.c.rating
    change = after - before
    rows = select(
        *key,
        before.label("before"),
        after.label("after"),
        change.label("change"),
        (-func.coalesce(func.abs(change), 0.0)).label("smallness"),
    )
    return listed(rows.select_from(both).where(before.is_distinct_from(after)))


MOVES = DifferenceList(
    MoveRow,
    moves,
    {"largest_first": LARGEST_FIRST, "by_id": BY_ID},
    same_names("subject", "id", "mode", "before", "after", "change"),
)


class Ranks(Struct, frozen=True):
    """A competitor's ranks on a board in two runs; None without a rank."""

    before: int | None = None
    after: int | None = None


def ranks(conn: Connection, two: TwoRuns, subject: str, mode: str, ids: Sequence[str]) -> Mapping[str, Ranks]:
    """The ranks of players or teams on the rating board of a mode; competitors without a rank are left out."""
    board = next(Board(one.kind) for one in rating_boards() if (one.subject, one.mode) == (subject, mode))
    found: list[dict[str, int]] = []
    for run, shown in ((two.first, two.first_shown), (two.second, two.second_shown)):
        if shown is None:
            found.append({})
            continue
        places = ranked(run, board, shown).c
        query = select(places.id, places.rank).where(places.id.in_(ids), places.rank.is_not(None))
        found.append({row.id: row.rank for row in conn.execute(query)})
    return {id_: Ranks(found[0].get(id_), found[1].get(id_)) for id_ in {*found[0], *found[1]}}
