"""The leaderboards of the league, each defined once; exports, the API and the command line read these definitions.

A new board is an entry in `_BOARDS`, and an index in its order in a migration.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Subquery, case, func, select

from league.domain.clauses import BOARD_TERMS
from league.domain.sentences import say
from league.domain.series_entry import SERIES_MODES
from league.projections.boards.achievements import AchievementBoard
from league.projections.boards.board import Board, BoardDefinition, is_of_region
from league.projections.boards.ratings import RatingBoard
from league.projections.boards.series import SeriesBoard
from league.projections.display_rules import Shown

_BOARDS: tuple[BoardDefinition, ...] = (
    RatingBoard(
        kind="global",
        title=say("Global"),
        description="Players by their overall rating.",
        clause=BOARD_TERMS["overall"],
        subject="player",
        mode="overall",
    ),
    RatingBoard(
        kind="1v1",
        title=say("One on one"),
        description="Players by their rating in matches of two.",
        clause=BOARD_TERMS["rating"],
        subject="player",
        mode="1v1",
    ),
    RatingBoard(
        kind="2v2",
        title=say("Two on two"),
        description="Players by their rating in matches of two pairs.",
        clause=BOARD_TERMS["rating"],
        subject="player",
        mode="2v2",
    ),
    RatingBoard(
        kind="teams",
        title=say("Pairs"),
        description="Fixed pairs.",
        clause=BOARD_TERMS["rating"],
        subject="team",
        mode="2v2",
    ),
    SeriesBoard(
        kind="series",
        title=say("Series"),
        description="The standings of the series of a month: players, or fixed pairs.",
    ),
    AchievementBoard(
        kind="capicuas",
        title=say("Capicúas"),
        description="Players by the capicúas with which they closed a hand.",
        clause=BOARD_TERMS["achievement"],
        unit=say("capicuas"),
        counted="capicuas",
    ),
    AchievementBoard(
        kind="capicuas_per_hand",
        title=say("Capicúas per hand won"),
        description="Capicúas per hand won, for players with enough hands won, as the rules say.",
        clause=BOARD_TERMS["capicuas_per_hand"],
        unit=say("capicuas per hand won"),
        decimals=4,
        counted="capicuas",
        per="hands_won",
        per_from="capicuas_per_hand_from",
    ),
    AchievementBoard(
        kind="pollonas",
        title=say("Pollonas"),
        description="Players by the matches won while the other side had 0.",
        clause=BOARD_TERMS["achievement"],
        unit=say("pollonas"),
        counted="pollonas",
    ),
    AchievementBoard(
        kind="viajeras",
        title=say("Viajeras"),
        description="Players by the viajeras with which they closed a hand.",
        clause=BOARD_TERMS["achievement"],
        unit=say("viajeras"),
        counted="viajeras",
    ),
)

BOARDS: dict[str, BoardDefinition] = {board.kind: board for board in _BOARDS}
"""By kind, in display order."""


def boards_of(definition: BoardDefinition, months: Sequence[str]) -> list[Board]:
    """The boards of a kind for the whole league; a monthly kind has one for each of these months and modes."""
    if not definition.monthly:
        return [Board(definition.kind)]
    return [Board(definition.kind, month=month, mode=mode) for month in months for mode in SERIES_MODES]


def standings(run: int, board: Board, shown: Shown) -> FromClause:
    """The competitors of a board, with the columns of `BoardDefinition.standings`; `shown`: now, or `as_of`.

    The current board is read from an index in its order. A board at an earlier moment is computed whole, once per
    statement.
    """
    definition = BOARDS[board.kind]
    query = definition.standings(run, board, shown)
    if board.region is not None:
        id_ = query.selected_columns.id
        query = query.where(is_of_region(definition.competitor(board.mode), id_, board.region))
    return query.subquery("board") if board.as_of is None else query.cte("board")


def in_order(places: FromClause) -> tuple[ColumnElement[Any], ...]:
    """The order of every board: established before provisional, then by value, ties by id."""
    return places.c.provisional, places.c.below, places.c.id


def ranked(run: int, board: Board, shown: Shown) -> Subquery:
    """A whole board with ranks: from 1, shared by equal values (1, 2, 2, 4), null while provisional."""
    everybody = standings(run, board, shown)
    rank = func.rank().over(partition_by=everybody.c.provisional, order_by=everybody.c.below)
    return select(everybody, case((~everybody.c.provisional, rank), else_=None).label("rank")).subquery("ranked")


def rating_board(subject: str, mode: str) -> RatingBoard:
    """The board of a player's or a team's ratings in a mode."""
    return next(board for board in rating_boards() if (board.subject, board.mode) == (subject, mode))


def rating_boards() -> Iterator[RatingBoard]:
    """The boards whose values are ratings."""
    return (board for board in BOARDS.values() if isinstance(board, RatingBoard))
