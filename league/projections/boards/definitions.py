"""The leaderboards of the league, each defined once; exports, the API and the command line read these definitions.

Boards of achievements count over all decided matches of every kind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Float,
    FromClause,
    Integer,
    Select,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal_column,
    select,
)

from league.domain.bonuses import BOARD_TERMS, Clause
from league.domain.rules import Rulebook
from league.domain.seating import Subject
from league.domain.sentences import say
from league.domain.series import SERIES_MODES
from league.projections import tables as t
from league.projections.boards.board import BoardDefinition, BoardKey, DisplayRules, is_of_region, last_match_at
from league.projections.boards.dated_boards import RatingBoard, SeriesBoard

x = t.appearances.c

# ---------------------------------------------------------------- achievements


ADDED: dict[str, ColumnElement[Any]] = {
    "matches": literal_column("1", Integer),
    "hands_won": x.hands_won,
    "capicuas": x.capicuas,
    "viajeras": x.viajeras,
    "pollonas": cast(x.pollona, Integer),
    "wins": cast(x.won, Integer),
}
"""Keyed by column of the achievements table: what one appearance in a decided match adds to the column."""


@dataclass(frozen=True, kw_only=True)
class AchievementBoard(BoardDefinition):
    """Players by one achievement, or by its ratio to another.

    Players with a count of 0 are not listed.
    """

    clause: Clause = BOARD_TERMS["achievement"]
    counted: str
    """The column of the table of achievements that is counted."""
    per: str | None = None
    """The column to divide by; None: the board shows the plain count."""
    per_from: str | None = None
    """The setting of the boards with the smallest `per` that a player needs."""
    heading: str = say("number")

    @property
    def counts(self) -> tuple[str, ...]:
        """The columns that the value is computed from."""
        return (self.counted,) if self.per is None else (self.counted, self.per)

    def competitor(self, mode: str) -> Subject:
        """Always players."""
        return "player"

    def standings(self, run: int, board: BoardKey, shown: DisplayRules) -> Select[Any]:
        """Players with at least one; on a board of shares, players with enough of the divisor."""
        a: Any = t.achievements.c if board.as_of is None else achievements_then(run, shown.at).c
        value: ColumnElement[Any] = a[self.counted]
        listed = value > literal_column("0")
        if self.per is not None:
            value = cast(value, Float(53)) / cast(func.nullif(a[self.per], literal_column("0")), Float(53))
        if self.per is not None and self.per_from is not None:
            listed = and_(listed, a[self.per] >= getattr(shown.rulebook.boards, self.per_from))
        query = select(
            a.player_id.label("id"),
            value.label("value"),
            a.matches,
            literal_column("false", Boolean).label("provisional"),
            (-value).label("below"),
        )
        return query.where(a.run == run, listed)

    def last_decided_at(self, run: int, board: BoardKey, id_: ColumnElement[str], at: datetime) -> ColumnElement[Any]:
        """The latest match of any kind."""
        return last_match_at(run, id_, at)

    def is_moved_by(self, mode: str, competition: str, rules: Rulebook) -> bool:
        """Every decided match, including matches of individuals."""
        return True


def achievements_then(run: int, at: datetime) -> FromClause:
    """The achievements table at a moment of play: the present table minus what was added later."""
    a = t.achievements.c
    later = (
        select(x.player_id, *(func.sum(added).label(name) for name, added in ADDED.items()))
        .where(x.run == run, x.decided_at > at)
        .group_by(x.player_id)
        .subquery("later")
    )
    then = [cast(a[name] - func.coalesce(later.c[name], 0), Integer).label(name) for name in ADDED]
    joined = t.achievements.outerjoin(later, later.c.player_id == a.player_id)
    return select(a.run, a.player_id, *then).select_from(joined).where(a.run == run).subquery("then")


# ---------------------------------------------------------------- all boards


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
        subject="player",
        mode="1v1",
    ),
    RatingBoard(
        kind="2v2",
        title=say("Two on two"),
        description="Players by their rating in matches of two pairs.",
        subject="player",
        mode="2v2",
    ),
    RatingBoard(
        kind="teams",
        title=say("Pairs"),
        description="Fixed pairs.",
        subject="team",
        mode="2v2",
    ),
    AchievementBoard(
        kind="wins",
        title=say("Who has won most"),
        description="Players by the matches won, of every kind.",
        unit=say("wins"),
        is_exported=False,
        counted="wins",
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
        unit=say("pollonas"),
        counted="pollonas",
    ),
    AchievementBoard(
        kind="viajeras",
        title=say("Viajeras"),
        description="Players by the viajeras with which they closed a hand.",
        unit=say("viajeras"),
        counted="viajeras",
    ),
)

BOARDS: dict[str, BoardDefinition] = {board.kind: board for board in _BOARDS}
"""The boards by kind, in display order."""


def boards_of(definition: BoardDefinition, months: Sequence[str]) -> list[BoardKey]:
    """The boards of a kind for the whole league; a monthly kind has one for each of these months and modes."""
    if not definition.monthly:
        return [BoardKey(definition.kind)]
    return [BoardKey(definition.kind, month=month, mode=mode) for month in months for mode in SERIES_MODES]


def standings(run: int, board: BoardKey, shown: DisplayRules) -> FromClause:
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


def ranked(run: int, board: BoardKey, shown: DisplayRules) -> Subquery:
    """A whole board with ranks: from 1, shared by equal values (1, 2, 2, 4). Provisional competitors have none."""
    everybody = standings(run, board, shown)
    provisional = everybody.c.provisional
    rank = func.rank().over(partition_by=provisional, order_by=everybody.c.below)
    return select(everybody, case((~provisional, rank), else_=None).label("rank")).subquery("ranked")


def rating_board(subject: str, mode: str) -> RatingBoard:
    """The board of a player's or a team's ratings in a mode."""
    return next(board for board in rating_boards() if (board.subject, board.mode) == (subject, mode))


def rating_boards() -> Iterator[RatingBoard]:
    """The boards whose values are ratings."""
    return (board for board in BOARDS.values() if isinstance(board, RatingBoard))
