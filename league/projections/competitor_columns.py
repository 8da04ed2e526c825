"""SQL expressions for columns of competitor ids: the players of a pair, and the id of a pair."""

from typing import Any

from psycopg import sql
from sqlalchemy import ColumnElement, func, literal

from league.domain.competitor import JOINT, PARTNERS


def players_of(competitor: ColumnElement[Any]) -> ColumnElement[Any]:
    """The ids of the competitor's players as an array: one player, or a pair's two players in order."""
    return func.string_to_array(competitor, JOINT)


def players_in(column: str) -> sql.Composed:
    """The same for a named column, in a statement that is written as text."""
    return sql.SQL("string_to_array({}, {})").format(sql.Identifier(column), JOINT)


def partners_of(pair: ColumnElement[Any]) -> tuple[ColumnElement[str], ...]:
    """The ids of a pair's two players in order."""
    return tuple(func.split_part(pair, JOINT, number) for number in range(1, PARTNERS + 1))


def includes(competitor: ColumnElement[Any], player: str) -> ColumnElement[bool]:
    """Whether the competitor is this player, or a pair that includes this player."""
    return literal(player) == func.any(players_of(competitor))


def pair_of(one: ColumnElement[str], other: ColumnElement[str]) -> ColumnElement[str]:
    """The id of the pair of two players."""
    return func.concat(func.least(one, other), JOINT, func.greatest(one, other)).collate("C")
