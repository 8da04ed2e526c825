"""Typed rows: the columns of a query as a NamedTuple that is defined beside the query; and rows of many ids.

A NamedTuple, because SQLAlchemy types a row by the positions of its columns, and readers use their names.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Row, Text, bindparam, func
from sqlalchemy.dialects.postgresql import ARRAY

R = TypeVar("R", bound=NamedTuple)


def typed(kind: type[R], rows: Iterable[Row[Any]]) -> Iterator[R]:  # as SQLAlchemy gives them
    """The rows as a NamedTuple of two or more fields; each field takes the column of that name, others are dropped."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return iter(())
    # By position: looking up each name in each row costs ten times as much.
    values: itemgetter[tuple[Any, ...]] = itemgetter(*map(first._fields.index, kind._fields))
    return map(kind._make, map(values, chain((first,), remaining)))


def among_ids(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a column is one of many ids, which are the parameter `ids`: a list."""
    return column == func.any(bindparam("ids", type_=ARRAY(Text)))
